/* How often elements count, written in a row, often repeats:
 *
 *   w      1 0 0 0 1 0 0 0 1 0 0 0 …      period 4, of which 1 counts: the first
 */
#include "pattern.h"

#include <string.h>

/* 0: there is none, or nothing but one value. */
static uint64_t period_of(const int *times, uint64_t count)
{
    uint64_t period = 1;
    while (period <= count / 2 &&
           memcmp(times, times + period, (count - period) * sizeof *times) != 0)
        period++;
    return period > 1 && period <= count / 2 ? period : 0;
}

void find_pattern(struct evidence *found)
{
    enum { KNOWN = 8192 }; // elements that are looked at
    static int times[KNOWN];
    const uint64_t own = found->group * found->width;
    uint64_t known = found->n < KNOWN ? found->n : KNOWN;
    for (int i = 0; i < KNOWN; i++)
        times[i] = 1;
    for (const struct part *part = found->part; part < found->part + found->parts; part++) {
        for (uint64_t i = part->from; i < part->to && i < known; i++) {
            times[i] = part->times;
            if (part->times < 0)
                known = i;
        }
    }
    // within the first group's elements, as a later stage may lose others; else within half
    found->period = period_of(times, own < known ? own : known);
    if (!found->period)
        found->period = period_of(times, known / 2);
    for (uint64_t i = 0; i < found->period; i++) {
        found->counted += times[i] > 0;
        found->first += times[i] == 1 && found->first == i;
    }
    if (found->counted > found->first)
        found->first = 0;
}
