/* The command line: that of the other steps (common/options.h), read by all ranks. */
#pragma once

#include "options.h"

extern const struct known_option *const lists_of_ranks[];
extern bool checks; // --check

/* Reads the command line. If it is wrong, or if it is not the same on all ranks, all ranks end. */
struct options read_options(int argc, char **argv);

/* What the options choose, as choose_request() does. Refuses options of other steps. */
struct request read_request(const struct step *step, const struct options *options);

/* Fails if the device has no groups of the size that --group asks for, or if its memory,
 * divided among the ranks that use it, is too small for this rank's share of the array. */
void require_room_on_ranks(const struct options *options, const struct device *device,
                           size_t element_bytes);
