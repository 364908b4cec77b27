#include "launch.h"

#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char runtimes[] = "OCL_ICD_FILENAMES="; // the loader loads these, separated by colons
static int runtime_count;                            // in this rank's environment

static int count_names(const char *list)
{
    int count = 1;
    for (; *list; list++)
        count += *list == ':';
    return count;
}

void remember_environment(void)
{
    const char *list = getenv("OCL_ICD_FILENAMES");
    runtime_count = list ? count_names(list) : 0;
}

/* Counts the runtimes in the environment of the process that has started this one: mpirun, or its
 * daemon on this node. */
static int count_launched_runtimes(void)
{
    static char block[1 << 20]; // NAME=value, NAME=value …, each with a 0 at its end
    char path[40];
    int count = 0;
    snprintf(path, sizeof path, "/proc/%ld/environ", (long)getppid());
    FILE *file = fopen(path, "r");
    if (!file)
        return 0;
    const char *end = block + fread(block, 1, sizeof block - 1, file);
    fclose(file);
    // A loader that has replaced a colon by 0 leaves the next name as an entry without "=".
    for (const char *entry = block; entry < end; entry += strlen(entry) + 1)
        if (strncmp(entry, runtimes, strlen(runtimes)) == 0)
            count = count_names(entry);
        else if (count && !strchr(entry, '='))
            count += count_names(entry);
        else if (count)
            break;
    return count;
}

void require_own_launcher(void)
{
    static const char *const launchers[][2] = {
        { "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK" }, // Open MPI
        { "PMI_SIZE", "PMI_RANK" },                         // MPICH
        { "SLURM_STEP_NUM_TASKS", "SLURM_PROCID" },
    };
    for (size_t i = 0; i < sizeof launchers / sizeof *launchers; i++) {
        const char *size = getenv(launchers[i][0]), *rank = getenv(launchers[i][1]);
        if (!size || !rank)
            continue;
        if (world.ranks == 1 && atoi(size) > 1 && atoi(rank) == 0)
            fail(
                "%s processes were started, but MPI finds one rank in each: was this program "
                "built with another MPI than the one that starts it? Build it for that one: "
                "rm step13; make step13 MPICC=...; with srun, try another --mpi of srun --mpi=list",
                size);
        if (world.ranks == 1 && atoi(size) > 1)
            exit(leave_world(STATUS_SETUP)); // without a message: process 0 has it
        return;
    }
}

void report_lost_runtimes(void)
{
    const int launched = count_launched_runtimes();
    char note[TROUBLE_BYTES] = "";
    if (launched > runtime_count)
        snprintf(
            note, sizeof note,
            "OCL_ICD_FILENAMES names %d of %d runtimes, the others were lost on the way through "
            "mpirun: start with mpirun -n %d env OCL_ICD_FILENAMES=\"$OCL_ICD_FILENAMES\" ./%s",
            runtime_count, launched, world.ranks, program_name);
    if (share_trouble(note) && world.rank == 0)
        warnx("%s", note);
}

void report_unused_gpu(const struct device *device, const struct options *options)
{
    static const char *const gpus[] = { "/dev/nvidia0", "/dev/kfd", "/dev/dri/renderD128" };
    const char *by_environment = getenv("REDUCE_DEVICE");
    const bool has_choice = options->device || (by_environment && *by_environment);
    const bool all_share_cpu = device->is_cpu && world.sharing == world.ranks_here;
    char note[TROUBLE_BYTES] = "";
    for (size_t i = 0; all_share_cpu && !has_choice && i < sizeof gpus / sizeof *gpus; i++)
        if (access(gpus[i], F_OK) == 0)
            snprintf(note, sizeof note,
                     "uses a CPU, although there is a GPU (%s): OpenCL does not find the GPU's "
                     "runtime; ./step00 tells more, and --device cpu silences this line",
                     gpus[i]);
    if (share_trouble(note) && world.rank == 0)
        warnx("%s", note);
}
