#include "world.h"

#include <err.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world world;

/* ---- errors */
static bool is_setting_up;

bool share_trouble(char trouble[TROUBLE_BYTES])
{
    const int mine = *trouble ? world.rank : world.ranks;
    char first[TROUBLE_BYTES];
    int rank;
    MPI_Allreduce(&mine, &rank, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (rank == world.ranks)
        return false;
    memcpy(first, trouble, sizeof first);
    MPI_Bcast(first, sizeof first, MPI_CHAR, rank, MPI_COMM_WORLD);
    const int differs = strcmp(first, trouble) != 0;
    int any_differs;
    MPI_Allreduce(&differs, &any_differs, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    if (any_differs)
        snprintf(trouble, TROUBLE_BYTES, "rank %d: %.*s", rank, TROUBLE_BYTES - 20, first);
    return true;
}

static void meet_with(const char *message)
{
    char trouble[TROUBLE_BYTES] = "";
    is_setting_up = false;
    snprintf(trouble, sizeof trouble, "%s", message);
    if (!share_trouble(trouble))
        return;
    if (world.rank == 0)
        warnx("%s", trouble);
    exit(leave_world(STATUS_SETUP));
}

/* What fail() calls. */
static void end_world(const char *message)
{
    if (is_setting_up)
        meet_with(message);
    warnx("rank %d: %s", world.rank, message);
    MPI_Abort(MPI_COMM_WORLD, STATUS_SETUP);
}

void begin_set_up(void) { is_setting_up = true; }

void meet(void) { meet_with(""); }

void enter_world(int *argc, char ***argv)
{
    int provided;
    MPI_Init_thread(argc, argv, MPI_THREAD_FUNNELED, &provided); // the runtime has threads, too
    MPI_Comm_rank(MPI_COMM_WORLD, &world.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &world.ranks);
    end_all_processes = end_world;
    begin_set_up();
}

int leave_world(enum status status)
{
    end_all_processes = NULL;
    MPI_Finalize();
    return status;
}

/* ---- devices */
struct device open_own_device(const char *wanted)
{
    MPI_Comm node; // the ranks that share this machine's memory
    int rank_here, is_first = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank_here);
    MPI_Comm_size(node, &world.ranks_here);

    begin_set_up();
    const struct device device = open_device_in_turn(wanted, rank_here);
    meet();

    int *numbers = allocate((size_t)world.ranks_here * sizeof *numbers);
    MPI_Allgather(&device.number, 1, MPI_INT, numbers, 1, MPI_INT, node);
    for (int r = 0; r < world.ranks_here; r++) {
        world.sharing += numbers[r] == device.number;
        is_first &= numbers[r] != device.number || r >= rank_here;
    }
    const int own[2] = { rank_here == 0, is_first };
    int all[2];
    MPI_Allreduce(own, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    world.nodes = all[0];
    world.devices = all[1];
    free(numbers);
    MPI_Comm_free(&node);
    return device;
}
