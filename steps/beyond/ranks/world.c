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
    const int has_trouble = *trouble != '\0', mine = has_trouble ? world.rank : world.ranks;
    char all[TROUBLE_BYTES] = "";
    int lowest, count;
    MPI_Allreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (lowest == world.ranks)
        return false;
    MPI_Allreduce(&has_trouble, &count, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Bcast(trouble, TROUBLE_BYTES, MPI_CHAR, lowest, MPI_COMM_WORLD);
    memcpy(all, trouble, sizeof all);
    if (count < world.ranks)
        snprintf(trouble, TROUBLE_BYTES, "rank %d: %.*s", lowest, TROUBLE_BYTES - 20, all);
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
    int rank_here, ranks_here, is_first = 1;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank_here);
    MPI_Comm_size(node, &ranks_here);

    begin_set_up();
    const struct device device = open_device_in_turn(wanted, rank_here);
    meet();

    int *numbers = allocate((size_t)ranks_here * sizeof *numbers);
    MPI_Allgather(&device.number, 1, MPI_INT, numbers, 1, MPI_INT, node);
    for (int r = 0; r < ranks_here; r++) {
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
