/* What the rows and the checks of one call share. */
#pragma once

#include "data_file.h"
#include "parts.h"

struct table { // what the rows share
    const struct request *request;
    struct device *device;
    struct problem problem;
    struct reduction reduction;
    struct limits limits;
    struct data_file file;
    uint32_t seed;
    bool has_plan, has_head; // so far
};

/* The variant for an operation: the first one that may change the order of the elements as much,
 * unless --variant names one. */
const struct variant *choose_variant(const struct request *request,
                                     const struct operation *operation);

/* Plans n elements for table->problem. False on all ranks: table->reduction.reason says why a rank
 * cannot do it. */
bool plan_n(struct table *table, uint64_t n);

/* Verifies the planned reduction of n elements on several inputs. False: as verify_on(). */
bool verify_n(struct table *table, uint64_t n);
