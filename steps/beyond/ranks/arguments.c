#include "arguments.h"

#include "data_file.h"
#include "operations.h"
#include "world.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

bool checks;

// The first option of a name counts, so this list comes first.
static const char of_step[] = "not for ranks: use it with ./step11, which has the same kernel",
                  of_judge[] = "not for ranks: use it with ./judge11, which has the same kernel";
static const struct known_option options_of_ranks[] = {
    { "check", "", "check many sizes and operators; print TAP", VALUE_NONE, &checks },
    { "facts", "", "", VALUE_MOVED, (void *)of_step },
    { "races", "", "", VALUE_MOVED, (void *)of_judge },
    { "kernel", "", "", VALUE_MOVED, (void *)of_step },
    { "limit-seconds", "", "", VALUE_MOVED, (void *)of_step },
    { NULL },
};
const struct known_option *const lists_of_ranks[] = { options_of_ranks, common_options,
                                                      measuring_options, NULL };
// With measuring_options, n and the seed would be those of a row unless they are given.
static const char of_rows[] = "--check measures nothing: leave this option out";
static const struct known_option refused_by_check[] = {
    { "out", "", "", VALUE_MOVED, (void *)of_rows },
    { "reps", "", "", VALUE_MOVED, (void *)of_rows },
    { "seconds", "", "", VALUE_MOVED, (void *)of_rows },
    { "warm", "", "", VALUE_MOVED, (void *)of_rows },
    { "evict", "", "", VALUE_MOVED, (void *)of_rows },
    { NULL },
};
static const struct known_option *const lists_of_checks[] = { options_of_ranks, common_options,
                                                              refused_by_check, NULL };

/* A rank may have another REDUCE_DEVICE than the others, but no other options. */
static void compare_options(const struct options *options)
{
    unsigned bytes = (unsigned)strlen(options->command) + 1;
    MPI_Bcast(&bytes, 1, MPI_UNSIGNED, 0, MPI_COMM_WORLD);
    char *of_rank_0 = allocate(bytes);
    if (world.rank == 0)
        memcpy(of_rank_0, options->command, bytes);
    MPI_Bcast(of_rank_0, (int)bytes, MPI_CHAR, 0, MPI_COMM_WORLD);
    begin_set_up();
    if (strcmp(of_rank_0, options->command) != 0) // a message has TROUBLE_BYTES
        fail("has the options '%.200s', but rank 0 has '%.200s': all ranks need the same options",
             options->command, of_rank_0);
    meet();
    free(of_rank_0);
}

struct options read_options(int argc, char **argv)
{
    begin_set_up();
    bool is_check = false;
    for (int i = 1; i < argc; i++)
        is_check |= strcmp(argv[i], "--check") == 0;
    const struct options options =
        parse_options(argc, argv, is_check ? lists_of_checks : lists_of_ranks);
    if (checks && !is_check)
        fail("write --check in full");
    if (options.variant && strcmp(options.variant, "all") == 0)
        fail("--variant all: the ranks run one variant at a time; --variants lists them");
    meet();
    compare_options(&options);
    return options;
}

struct request read_request(const struct step *step, const struct options *options)
{
    begin_set_up();
    const struct request request = choose_request(step, options, checks);
    if (options->out && world.rank == 0)
        create_data_folder(options->out);
    meet();
    return request;
}

void require_room_on_ranks(const struct options *options, const struct device *device,
                           size_t element_bytes)
{
    const uint64_t memory = device->memory_bytes / (uint64_t)world.sharing,
                   bytes = memory < device->buffer_bytes ? memory : device->buffer_bytes,
                   room = bytes / element_bytes, guard = device->guard_elements,
                   own_most = room > guard ? room - guard : 0;
    uint64_t most; // signed, because MPI's minimum of unsigned numbers may be wrong; below 2^63
    MPI_Allreduce(&own_most, &most, 1, MPI_INT64_T, MPI_MIN, MPI_COMM_WORLD);
    begin_set_up();
    for (int i = 0; i < options->group.count; i++)
        require_group_size(device, options->group.value[i]);
    for (int i = 0; i < options->n.count; i++)
        if (ceil_div(options->n.value[i], (uint64_t)world.ranks) > most)
            fail("n = %" PRIu64 ": the devices of these ranks have room for %" PRIu64 " elements",
                 options->n.value[i], most * (uint64_t)world.ranks);
    meet();
}
