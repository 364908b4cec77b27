/* Measures a reduction by all ranks, and prints its row. */
#pragma once

#include "measure.h"

/* Repeats the reduction. The wall time of a repetition begins when the rank leaves a barrier, and
 * it is that of the slowest rank. False on all ranks: reduction->reason says what is wrong. */
bool time_ranks(struct reduction *reduction, const struct limits *limits,
                const struct options *options, struct row *row);

void print_ranks_head(const struct step *step, const struct reduction *reduction,
                      const struct options *options, uint64_t evict_bytes);
void print_ranks(const struct reduction *reduction, const struct row *row);

/* For a row that stands alone. */
void print_ranks_details(const struct reduction *reduction, const struct row *row);
