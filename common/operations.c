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

const char *operation_names(const char *op, enum names which)
{
    static char text[2][200]; // of both at once
    char *to = text[which];
    *to = '\0';
    for (int i = 0; operations[i]; i++) {
        const bool types = which == TYPES;
        const char *name = types ? operations[i]->type : operations[i]->op;
        // each name once, where it comes first
        if (operation_find(types ? op : name, types ? name : NULL) == operations[i])
            snprintf(to + strlen(to), sizeof text[0] - strlen(to), "%s%s", *to ? ", " : "", name);
    }
    return to;
}
