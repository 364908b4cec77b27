/* A value that nobody wrote must show, and so must one written where nothing belongs.
 *
 *   result, partial results   poison … poison | canaries     poison: the value that would win
 *   local memory              poison …
 *
 *   poison -> reduce -> same value? canaries alive? counter of groups at 0?
 */
#include "verify.h"

#include "buffer.h"
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- before */
/* More than the plan uses, as its share may lie elsewhere: on a CPU a little more, as all groups
 * share one place, of megabytes; else half of what there is, as some devices keep a part to
 * themselves. */
static void fill_local(const struct run *run, const any_value *with)
{
    const struct stage *first = first_launch(run);
    const size_t bytes = run->operation->value_bytes, groups = 4 * run->device->compute_units,
                 group = 64;
    const struct kernel *own = first->kernel;
    if (!own)
        return;
    const size_t scratch = own->arguments == 4 ? first->group * run->scratch * bytes : 0;
    const cl_ulong used = own->local_bytes + scratch, half = run->device->local_bytes / 2;
    if (used == 0)
        return;
    cl_ulong filled = run->device->cpu ? used + (16 << 10) : half;
    filled = filled < half ? filled : half;
    filled = filled > used ? filled : used;
    const cl_uint count = (cl_uint)(filled / bytes);
    const struct kernel *kernel =
        kernel_get(run->device, "data.cl", "fill_local", run->operation->options);
    cl_mem sink = buffer_create(run->device, groups * group * bytes, "poison");
    kernel_set(kernel, (size_t)count * bytes, (void *)NULL, NUMBER(count), sizeof(cl_ulong), with,
               ARRAY(sink));
    kernel_launch(run->device->queue, kernel, groups * group, group, NULL);
    CL(clReleaseMemObject(sink));
}

void fill_memory(const struct run *run, const any_value *arrays, const any_value *local)
{
    const any_value zero = { { 0 } }; // of a counter of groups: each launch leaves it so
    const size_t bytes = run->operation->value_bytes;
    for (int i = 0; i < run->owned_count; i++)
        buffer_fill(run->device, run->owned[i].buffer, arrays, bytes, 0,
                    (run->owned[i].count + CANARIES) * bytes);
    if (has_counter(run))
        buffer_fill(run->device, run->result.buffer, &zero, bytes,
                    (run->result.count - COUNTER) * bytes, COUNTER * bytes);
    fill_local(run, local);
    CL(clFinish(run->device->queue)); // what is launched next may go through another queue
}

/* ---- after */
static bool counter_is_back(struct run *run)
{
    uint64_t count = 0; // a word of 64 bits, where it shares one with a sum
    if (has_counter(run))
        buffer_read(run->device, run->result.buffer,
                    (run->result.count - COUNTER) * run->operation->value_bytes, sizeof count,
                    &count);
    return count == 0 || wrong(run,
                               "leaves the counter of groups at %" PRIu64
                               ", not at 0: the next launch begins with that",
                               count);
}

static bool canaries_alive(struct run *run)
{
    const size_t bytes = run->operation->value_bytes;
    unsigned char canaries[CANARIES * VALUE_BYTES];
    for (int i = 0; i < run->owned_count && !run->device->simulated; i++) {
        const struct array *array = &run->owned[i];
        buffer_read(run->device, array->buffer, array->count * bytes, CANARIES * bytes, canaries);
        for (int k = 0; k < CANARIES; k++)
            if (memcmp(canaries + k * bytes, run->operation->poison, bytes) != 0)
                return wrong(run, "writes beyond the end of out: to out[%" PRIu64 "] of %" PRIu64,
                             array->count + k, array->count);
    }
    return true;
}

/* ---- the value */
/* Sums of uniform floats are not exact:
 *
 *     each addition rounds by a factor between 1 - u and 1 + u, u = 2^-24
 *     an element meets at most k of them on its way into the result
 *     so the result is off by at most   k u / (1 - k u) * sum |x|
 *
 * (N. J. Higham, "The accuracy of floating point summation", 1993). k follows from the plan: the
 * additions of an accumulator, then a tree; atomics are accumulators too. The data is not negative,
 * so sum |x| is the sum. */
static double roundings(const struct run *run)
{
    double k = 0;
    for (int i = 0; i < run->stage_count; i++) {
        const struct stage *stage = &run->stages[i];
        // A group's local atomics are on one place, and a work-item has one at most.
        uint64_t local = stage->local_atomics < stage->group ? stage->local_atomics : stage->group;
        k += (double)stage->adds + stage->depth + (double)local + (double)stage->global_atomics;
    }
    return k;
}

struct accuracy accuracy_of(const struct run *run, const any_value *got)
{
    const double most = 0.01; // above it the bound says next to nothing: there is none then
    const double ku = 0x1p-24 * roundings(run);
    const double off = fabs(run->operation->show(got).number - run->exact);
    return (struct accuracy) { .error = run->exact > 0 ? off / run->exact : off, // all may be 0
                               .bound = ku > most ? NAN : ku / (1 - ku) };
}

bool same_value(struct run *run, const any_value *got)
{
    const struct operation *operation = run->operation;
    const size_t bytes = operation->value_bytes;
    if (memcmp(got, &run->expected, bytes) == 0)
        return true;
    const struct shown made = operation->show(got), right = operation->show(&run->expected);
    if (operation->floating && !operation->has_index && made.number == 0 && right.number == 0)
        return true; // 0 and -0 are equal
    const struct accuracy is = accuracy_of(run, got);
    if (run->data.uniform && isfinite(is.error) && !(is.error > is.bound))
        return true; // a bound that is NAN refuses no number

    uint64_t bits = 0, right_bits = 0; // what a value is shown as may be a part of it
    memcpy(&bits, got, bytes);
    memcpy(&right_bits, &run->expected, bytes);
    char within[64] = "";
    if (run->data.uniform)
        snprintf(within, sizeof within, ", off by %.3g of it at most", is.bound);
    if (strcmp(made.text, right.text) == 0)
        wrong(run, "expected 0x%" PRIx64 ", got 0x%" PRIx64 " (both are shown as %s)", right_bits,
              bits, right.text);
    else
        wrong(run, "expected %s%s, got %s", right.text, within, made.text);
    if (memcmp(got, operation->poison, bytes) == 0)
        wrong(run, " (0x%" PRIx64 ", the poison: has nobody written it?)", bits);
    if (made.number != right.number) // of 64 bits both may round to one
        wrong(run, ", difference %.*g", operation->floating ? 9 : 15, made.number - right.number);
    const char *slip = operation->slip ? operation->slip(&run->data, got) : NULL;
    if (slip)
        wrong(run, "; likely: %s", slip);
    return false;
}

/* Reduces what is there, with what stands in the arrays. */
static bool right(struct run *run)
{
    any_value result;
    run->reason[0] = '\0';
    run->wall = reduce_once(run, &result).wall;
    return canaries_alive(run) && same_value(run, &result) && counter_is_back(run);
}

bool verified(struct run *run)
{
    const any_value *poison = run->operation->poison;
    if (!run->device->simulated) // there it counts as written, and Oclgrind finds what is not
        fill_memory(run, poison, poison);
    return right(run);
}

bool verified_anew(struct run *run)
{
    struct data other = run->data;
    other.seed++;
    input_make(run, other);
    const bool same = right(run);
    if (same && input_untouched(run))
        return true;
    if (!same && verified(run)) // which begins the reason anew
        wrong(run, "depends on what an earlier run left in out or in local memory");
    return false;
}
