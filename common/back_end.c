#include "back_end.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *const back_end_names = "intel, khr, nvidia, local";

struct back_end choose_back_end(const struct device *device, const char *wanted)
{
    char digits[5] = "", more;
    const bool given = wanted && sscanf(wanted, "local:%4[0-9]%c", digits, &more) == 1;
    const unsigned lanes = (unsigned)strtoul(digits, NULL, 10);
    const bool legal = given && lanes > 0 && lanes <= 1024 && (lanes & (lanes - 1)) == 0;
    const char *name = legal ? "local" : wanted;
    const char *intel = device->sub_group_sizes[0] ? NULL : "cl_intel_subgroups",
               *nvidia = device->nvidia ? NULL : "warps of NVIDIA's",
               *khr = device->sub_groups ? NULL : "sub-groups";
    // Of the sizes that a kernel may ask for: the widest one up to a vector register of a CPU, or
    // up to 16 lanes of another device. 0: there is no choice.
    const size_t most = device->is_cpu && device->vector_ints > 1 ? device->vector_ints : 16;
    const size_t *size = device->sub_group_sizes; // they ascend
    while (size[1] && size[1] <= most)
        size++;
    // A CPU runs work-items one after the other, so one lane is best. Oclgrind finds more with 4.
    const unsigned local_lanes = legal ? lanes : device->is_simulated ? 4 : device->is_gpu ? 32 : 1;
    // Without --subgroups, the first one that is native on the device is taken.
    const struct back_end all[] = {
        { "intel", "INTEL", (unsigned)*size, intel, .needs_version_2 = true },
        { "nvidia", device->nvidia >= 8 ? "NVIDIA -D REDUX" : "NVIDIA", 32,
          nvidia }, // from Ampere on
        { "khr", "KHR", 0, khr, .needs_version_2 = true },
        { "local", "LOCAL", local_lanes, NULL, .is_emulated = true },
    };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        struct back_end chosen = all[i];
        const bool native = !chosen.missing &&
                            !(chosen.needs_version_2 && device->sub_groups == SUB_GROUPS_EMULATED);
        if (name ? strcmp(name, chosen.name) != 0 : !native)
            continue;
        snprintf(chosen.options, sizeof chosen.options, " -D %s -D LANES=%u", chosen.define,
                 chosen.lanes);
        return chosen;
    }
    fail("--subgroups %s: must be one of %s; only local takes a number of lanes, "
         "a power of two up to 1024, as in local:8",
         wanted, back_end_names);
}

struct atomics choose_atomics(const struct device *device, const struct operation *operation)
{
    // Capability bits of cl_ext_float_atomics, in global and in local memory. The headers of Debian
    // 12 do not name them yet.
    const cl_ulong can_add = 1 << 1 | 1 << 17, can_min_and_max = 1 << 2 | 1 << 18;
    const bool adds = operation->adds, is_wide = operation->value_bytes == 8,
               is_float = operation->is_floating && !operation->has_index;
    const struct atomics native = { "native", " -D NATIVE_ATOMICS", operation->is_floating, false };
    bool has_native = !is_wide || (adds ? device->has_atomics64 : device->has_atomics64_min);

    if (is_float) {
        const cl_ulong has = is_wide ? device->double_atomics : device->float_atomics,
                       needed = adds ? can_add : can_min_and_max;
        const unsigned first_capability = is_wide ? 6 : 3; // of NVIDIA's GPUs that add floats
        if (adds && device->nvidia >= first_capability)
            return (struct atomics) { "ptx", " -D PTX_ATOMICS", false, false };
        // No CPU has an instruction for a minimum of floats, so its runtime uses a loop too, and
        // that of pocl 5.0 may never end.
        has_native = (has & needed) == needed && (adds || !device->is_cpu);
    }
    if (has_native && operation->has_atomic)
        return native;
    return (struct atomics) { "exchange", "", false, is_wide && !device->has_atomics64 };
}
