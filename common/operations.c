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

static void add(char names[200], const char *name)
{
    const size_t length = strlen(names);
    snprintf(names + length, 200 - length, "%s%s", length ? ", " : "", name);
}

const char *operator_names(void)
{
    static char names[200];
    *names = '\0';
    for (int i = 0; operations[i]; i++)
        if (operation_find(operations[i]->op, NULL) == operations[i]) // each once
            add(names, operations[i]->op);
    return names;
}

const char *type_names(const char *op)
{
    static char names[200];
    *names = '\0';
    for (int i = 0; operations[i]; i++)
        if (operation_find(op, operations[i]->type) == operations[i])
            add(names, operations[i]->type);
    return names;
}
