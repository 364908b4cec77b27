/* What the rows and the checks of one call share. */
#pragma once

#include "data_file.h"
#include "share.h"

struct ranks_table {
    const struct request *request;
    struct problem problem; // at hand, with the n of the whole array
    struct reduction reduction;
    struct data_file file;
    uint32_t seed;
    bool has_head; // so far
};

/* The variant for an operation: the first one that may change the order of the elements as much,
 * unless --variant names one. */
const struct variant *choose_variant(const struct request *request,
                                     const struct operation *operation);

/* Plans n elements for table->problem, and verifies the plan on several inputs. Returns the same
 * status on all ranks: unless it is STATUS_RIGHT, table->reduction says what is wrong, and with
 * which rank, in its reason or its verdict. */
enum status verify_n(struct ranks_table *table, uint64_t n);
