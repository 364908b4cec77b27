/* The table of operators, made by including the kernels' own text once for each: see
 * each_operator.h. The reference is included a second time, with REFERENCE, because there a sum of
 * floats is kept in double.
 */
#include "operator.h"

#include <stdio.h>
#include <string.h>

#define TEXT_OF(word) #word
#define TEXT(word) TEXT_OF(word)

#define DECLARE(op, type)                                                                          \
    static double reference_loop_##op##_##type(const struct data *data, void *to);
EACH_OPERATOR(DECLARE)

#define PREFIX device
#define INSTANTIATE "operator_functions.h"
#include "each_operator.h"

#define REFERENCE
#define PREFIX reference
#define INSTANTIATE "operator_reference.h"
#include "each_operator.h"
#undef REFERENCE

#define ADDRESS(op, type) &device_row_##op##_##type,
const struct operation *const operators[] = { EACH_OPERATOR(ADDRESS) NULL };

const struct operation *operator_find(const char *op, const char *type)
{
    for (int i = 0; operators[i]; i++)
        if (strcmp(operators[i]->op, op) == 0 && strcmp(operators[i]->type, type) == 0)
            return operators[i];
    return NULL;
}
