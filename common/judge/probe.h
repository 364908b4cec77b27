/* What a wrong reduction does with each of its elements, found by experiments. */
#pragma once

#include "plan.h"

enum { RANGES_MAX = 1100 };
enum range_effect {
    RANGE_COUNTED,
    RANGE_MIXED,  // not searched further: the elements do not all count equally often
    RANGE_CHANGED // what is added is no multiple of the element
};

struct evidence {
    // the experiment: the operation, n, and the first launch
    const struct operation *operation;
    uint64_t n, groups, group_size, lanes, width;
    uint64_t row;            // elements of one load of all lanes
    uint64_t block;          // consecutive elements of one work-item
    bool has_sub_groups;     // the kernel needs them
    bool has_group_each;     // each work-item of a full group has one element
    bool finishes_in_launch; // the last group reads what the other groups wrote

    double seconds;        // of one reduction
    bool is_wrong;         // the sum of integers, or the result of identities alone
    bool varies;           // two runs on the same input differ
    bool changes_identity; // identities alone give `of_identities`, which is another value
    any_value of_identities;
    bool is_wrong_with_nan; // right without NaN, but the input that was wrong had some
    bool is_unwritten;      // the wrong result was the poison that was in out
    bool is_no_sum;         // the sums of two pieces do not add up to the sum of all
    // How many values that are no elements enter the result:
    uint32_t times_beyond_n;   // elements after the last one
    uint32_t times_from_out;   // previous values of the result and of partial results
    uint32_t times_from_local; // previous values in local memory
    uint64_t
        right_power_of_two; // a lower power of two; the problem is right in groups of this size
    bool is_right_in_256;   // in groups of 256

    struct range { // elements from … to - 1 do not count once
        uint64_t from, to;
        enum range_effect effect;
        int count; // how often each counts; 1 unless the effect is RANGE_COUNTED
    } ranges[RANGES_MAX];
    int range_count;
    uint64_t period;     // the ranges repeat after so many elements; 0: they do not
    uint64_t repeats_to; // the first element that does not repeat, or that was not looked at
    uint64_t counted;    // elements of a period that count
};

/* False: the kernel can be tried neither as a sum of integers nor with its own operation. */
bool find_evidence(struct device *device, const struct problem *problem, struct evidence *found);

/* A wrong kernel may lose any element but the extreme, so its minimum or maximum is right. If its
 * sums of two pieces add up to the sum of all, as those of combine() do, it is tried as a sum too,
 * which shows the elements that may be lost. Each of these becomes the extreme, or else, in a
 * kernel with an operator of its own, every element does. Returns STATUS_RIGHT or STATUS_WRONG; in
 * the latter case the reduction is the wrong one afterwards. */
enum status verify_as_sum(struct reduction *reduction, uint32_t seed);
