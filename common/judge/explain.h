/* Explains a wrong result to the reader. */
#pragma once

#include "options.h"

/* Prints what is known about the mistake of `wrong`, each line after `mark`: the elements that are
 * lost or counted twice, and the likely cause. `wrong` may be planned again. */
void explain_mistake(const struct request *request, struct reduction *wrong, const char *mark);
