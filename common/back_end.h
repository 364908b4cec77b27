/* How a device works in sub-groups, and how its work-items combine into one place: the host's side
 * of kernels/subgroup.clh and kernels/atomics.clh. */
#pragma once

#include "device.h"
#include "operation.h"

struct back_end {         // of sub-groups
    const char *name;     // "intel", "khr", "nvidia" or "local"
    const char *define;   // for subgroup.clh: "INTEL"
    unsigned lanes;       // of a sub-group; 0: the compiler chooses (khr)
    const char *missing;  // what this device lacks for it; NULL: nothing
    bool needs_version_2; // of OpenCL C
    bool is_emulated;     // values are exchanged through local memory, not by lanes of hardware
    char options[48];     // for the build
};

extern const char *const back_end_names; // of all, for messages

/* `wanted` is what --subgroups says: "intel", "khr", "nvidia", "local" or "local:8". NULL: the best
 * that the device has. Fails if it is none of these. */
struct back_end choose_back_end(const struct device *device, const char *wanted);

struct atomics {      // of one operation on one device
    const char *name; // "native": the device's own; "ptx": an instruction of NVIDIA's; "exchange":
                      // a compare-exchange loop; "none": the kernel has none
    const char *options;  // for the build
    bool needs_version_2; // of OpenCL C
    bool is_missing;      // the device has no atomics of this size
};

struct atomics choose_atomics(const struct device *device, const struct operation *operation);
