/* From the evidence, which says how often each element counts, to the likely cause. */
#pragma once

#include "kinds.h"
#include "probe.h"

/* The cause that most often has this effect. That is an experienced guess, not a proof. `operation`
 * gave the wrong result; the evidence may have been found with another one. */
struct diagnosis find_cause(const struct evidence *found, const struct operation *operation);
