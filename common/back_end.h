/* Which way of working in sub-groups a device takes: the host's side of kernels/subgroup.clh. */
#pragma once

#include "device.h"
#include "operation.h"

struct back_end {
    const char *name;     // "intel", "khr", "nvidia", "local"
    const char *define;   // for subgroup.clh: "INTEL"
    unsigned lanes;       // 0: the compiler's choice (khr)
    const char *missing;  // what this device has not; NULL: it can do that
    bool needs_version_2; // needs OpenCL C 2.0 or later
    bool is_emulated;     // local memory in the place of lanes of hardware
    char options[48];     // to build with
};

extern const char *const back_end_names; // their names, for people

/* From what --subgroups says ("intel", "khr", "nvidia", "local:8"; NULL: the best the device has).
 * Fails for a word that means nothing. */
struct back_end choose_back_end(const struct device *device, const char *wanted);

/* How work-items combine into one place: "native", by the device's own atomic; "ptx", by an
 * instruction of NVIDIA's where its OpenCL has no word for it; "exchange", by a loop over
 * compare-exchange; NULL: not at all. */
const char *choose_atomics(const struct device *device, const struct operation *operation);
