/* How what is lost repeats. */
#ifndef PATTERN_H
#define PATTERN_H

#include "evidence.h"

/* From the parts that were found to period, first and counted. */
void find_pattern(struct evidence *found);

#endif
