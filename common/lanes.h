/* Sub-groups: are their lanes those of the hardware? */
#ifndef LANES_H
#define LANES_H

#include "device.h"

/* True if this device's sub-groups are lanes of hardware. A CPU's that are as large as their group
 * are not: pocl 5 and later exchange values between such lanes by barriers of the whole group,
 * slower than the stand-in does. */
bool has_lanes(const struct device *device);

#endif
