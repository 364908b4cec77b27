/* How what is lost repeats. */
#pragma once

#include "evidence.h"

/* From the parts that were found to period, first and counted. */
void find_pattern(struct evidence *found);
