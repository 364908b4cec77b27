/* The table is made from operation_list.h, as the objects in it are. */
#include "operations.h"

#include <stdio.h>
#include <string.h>

#define OPERATION(op, type) &operation_##op##_##type,
const struct operation *const operations[] = {
#include "operation_list.h"
    NULL
};

const struct operation *operation_find(const char *op, const char *type)
{
    for (int i = 0; operations[i]; i++)
        if ((!op || strcmp(operations[i]->op, op) == 0) &&
            (!type || strcmp(operations[i]->type, type) == 0))
            return operations[i];
    return NULL;
}

/* Of the operator, or of all: each name once, where it comes first. */
static const char *names(char text[200], const char *op, bool of_types)
{
    int length = 0;
    for (int i = 0; operations[i]; i++) {
        const char *name = of_types ? operations[i]->type : operations[i]->op;
        if (operation_find(of_types ? op : name, of_types ? name : NULL) == operations[i])
            length +=
                snprintf(text + length, 200 - (size_t)length, "%s%s", length ? ", " : "", name);
    }
    return text;
}

const char *operator_names(void)
{
    static char text[200];
    return names(text, NULL, false);
}

const char *type_names(const char *op)
{
    static char text[200];
    return names(text, op, true);
}
