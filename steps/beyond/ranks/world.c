#include "world.h"

#include <err.h>
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

/* The same device may have another number in another rank, because a launcher may show each rank
 * only one device of the node. */
struct identity {
    unsigned char uuid[16]; // CL_DEVICE_UUID_KHR; zeros if the device has none
    int number;             // 0 if it has one
};

static struct identity identify(const struct device *device)
{
    const cl_device_info uuid = 0x106A; // older headers do not name it
    struct identity identity = { .number = 0 };
    if (clGetDeviceInfo(device->id, uuid, sizeof identity.uuid, identity.uuid, NULL) != CL_SUCCESS)
        identity = (struct identity) { .number = device->number };
    return identity;
}

/* Counts the nodes, the devices, and the ranks that share this rank's device. */
static void count_devices(MPI_Comm node, const struct device *device)
{
    const struct identity own = identify(device);
    struct identity *all = allocate((size_t)world.ranks_here * sizeof *all);
    int rank_here, is_first = 1, sums[2];
    MPI_Comm_rank(node, &rank_here);
    MPI_Allgather(&own, sizeof own, MPI_BYTE, all, sizeof own, MPI_BYTE, node);
    for (int r = 0; r < world.ranks_here; r++) {
        const bool is_same = memcmp(&all[r], &own, sizeof own) == 0;
        world.sharing += is_same;
        is_first &= !is_same || r >= rank_here;
    }
    free(all);
    MPI_Allreduce((int[2]) { rank_here == 0, is_first }, sums, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    world.nodes = sums[0];
    world.devices = sums[1];
}

struct device open_own_device(const char *wanted)
{
    MPI_Comm node; // the ranks that share this machine's memory
    int rank_here;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_rank(node, &rank_here);
    MPI_Comm_size(node, &world.ranks_here);

    char number[12];
    begin_set_up();
    snprintf(number, sizeof number, "%d", find_device_in_turn(wanted, rank_here));
    const struct device device = open_device(number);
    meet();
    count_devices(node, &device);
    MPI_Comm_free(&node);
    return device;
}
