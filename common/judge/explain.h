/* Explains a wrong result to the reader. */
#pragma once

#include "options.h"

/* Prints what is known about the mistake of `wrong`, each line after `mark`: the elements that are
 * lost or counted twice, and the likely cause. `wrong` may be planned again. */
void explain_mistake(const struct request *request, struct reduction *wrong, const char *mark);

/* pocl 3.1 compiles a loop with barriers wrongly if the condition of the loop calls a function. */
bool has_loop_that_pocl_breaks(const char *kernel_file);
#define POCL_LOOP_ADVICE                                                                           \
    "Keep get_local_size(0) in a variable: pocl 3.1 compiles a loop with barriers wrongly if its " \
    "condition calls this function"
