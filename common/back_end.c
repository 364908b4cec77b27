/* The choice of a back end follows from what the device says; --subgroups forces another, for tests
 * and for curiosity. */
#include "back_end.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WARP = 32 };

/* On a CPU as many as a register holds ints, else 16; or the widest size below; 0: no choice. */
static unsigned preferred_lanes(const struct device *device)
{
    const size_t most = device->cpu && device->vector_ints > 1 ? device->vector_ints : 16;
    size_t best = 0;
    for (const size_t *size = device->sub_group_sizes; *size; size++)
        if (*size <= most && *size > best)
            best = *size;
    return (unsigned)best;
}

static const char *best_name(const struct device *device)
{
    // Some announce cl_intel_subgroups without its block reads: only Intel is taken at its word.
    if (device->intel_sub_groups && device->intel_platform && preferred_lanes(device))
        return "intel";
    return device->nvidia ? "nvidia" : device->sub_groups && !device->emulated ? "khr" : "local";
}

/* Why it cannot have that many lanes; NULL if it can. */
static const char *lanes_refused(const struct back_end *back_end, const struct device *device)
{
    const size_t *size = device->sub_group_sizes;
    if (strcmp(back_end->name, "khr") == 0 && back_end->lanes)
        return "with khr the lanes are the compiler's choice: --subgroups khr, or intel:LANES";
    if (strcmp(back_end->name, "nvidia") == 0 && back_end->lanes != WARP)
        return "NVIDIA's sub-groups are warps, of 32 lanes always";
    while (*size && *size != back_end->lanes)
        size++;
    if (strcmp(back_end->name, "intel") == 0 && !*size)
        return "no sub-groups of that many lanes on this device: --facts lists them";
    return NULL;
}

/* Behind the name: nothing, or :8, a power of two. */
static bool read_lanes(const char *text, unsigned *lanes)
{
    char *end;
    if (!*text)
        return true;
    unsigned long read = strtoul(text + 1, &end, 10);
    *lanes = (unsigned)read;
    return isdigit((unsigned char)text[1]) && !*end && read > 0 && read <= 1024 &&
           (read & (read - 1)) == 0;
}

struct back_end back_end_choose(const struct device *device, const char *wanted)
{
    // A CPU without sub-groups runs work-items one after the other: one lane is the best order.
    const struct back_end all[] = {
        { "intel", "INTEL", preferred_lanes(device), true,
          device->intel_sub_groups
              ? NULL
              : "no cl_intel_subgroups on this device: --subgroups local stands in" },
        { "khr", "KHR", 0, true,
          device->sub_groups ? NULL : "no sub-groups on this device: --subgroups local stands in" },
        { "nvidia", device->nvidia >= 80 ? "NVIDIA -D REDUX" : "NVIDIA", WARP,
          false, // from Ampere on
          device->nvidia ? NULL : "not NVIDIA's OpenCL: --subgroups local stands in" },
        { "local", "LOCAL", device->gpu ? 32 : 1, false, NULL },
    };
    const char *text = wanted ? wanted : best_name(device);
    const size_t length = strcspn(text, ":");
    struct back_end chosen = { .name = NULL };

    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        if (strlen(all[i].name) == length && strncmp(text, all[i].name, length) == 0)
            chosen = all[i];
    if (!chosen.name || !read_lanes(text + length, &chosen.lanes))
        fail("--subgroups %s: must be intel, khr, nvidia or local, with :LANES behind it (a power "
             "of two) or not",
             text);
    if (!chosen.why_not)
        chosen.why_not = lanes_refused(&chosen, device);
    chosen.stands_in = strcmp(chosen.name, "local") == 0;
    snprintf(chosen.options, sizeof chosen.options, " -D %s -D LANES=%u", chosen.defines,
             chosen.lanes);
    return chosen;
}

const char *atomics_for(const struct device *device, const struct operation *operation)
{
    // Capability bits of cl_ext_float_atomics, in global and in local memory; Debian 12's headers
    // do not name them yet.
    const cl_ulong can_add = 1 << 1 | 1 << 17, can_min_and_max = 1 << 2 | 1 << 18;
    const char *name = operation->native_atomic ? operation->native_atomic : "";
    bool add = strcmp(name, "add") == 0, wide = operation->value_bytes == 8, native;

    if (operation->floating && !operation->has_index) {
        if (add && device->nvidia >= (wide ? 60 : 30)) // compute capability: doubles from 6.0 on
            return "ptx";
        cl_ulong has = wide ? device->double_atomics : device->float_atomics,
                 wanted = add ? can_add : can_min_and_max;
        // No CPU has an instruction for a minimum of floats: its runtime loops too, and pocl 5.0's
        // loop may never end.
        native = *name && (has & wanted) == wanted && (add || !device->cpu);
    } else {
        native = *name && (!wide || (add ? device->atomics64 : device->atomics64_min));
    }
    return native ? "native" : wide && !device->atomics64 ? NULL : "exchange";
}

bool meets_in_word(const struct device *device, const struct operation *operation)
{
    const bool adds = operation->meets == BY_ADDING && !operation->floating && device->atomics64;
    return operation->value_bytes == 4 && (adds || operation->meets == BY_RANK);
}
