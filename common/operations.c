/* The list is made from operation_list.h, as the objects in it are. */
#include "operations.h"

#include <stdio.h>
#include <string.h>

#define OPERATION(op, type) &operation_##op##_##type,
const struct operation *const operations[] = {
#include "operation_list.h"
    NULL
};

const struct operation *find_operation(const char *op, const char *type)
{
    for (int i = 0; operations[i]; i++)
        if ((!op || strcmp(operations[i]->op, op) == 0) &&
            (!type || strcmp(operations[i]->type, type) == 0))
            return operations[i];
    return NULL;
}

const char *list_operation_names(const char *op)
{
    static char text[200];
    text[0] = '\0';
    for (int i = 0; operations[i]; i++) {
        const char *name = op ? operations[i]->type : operations[i]->op;
        // an operator once, where it comes first
        if (find_operation(op ? op : name, op ? name : NULL) == operations[i])
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", *text ? ", " : "",
                     name);
    }
    return text;
}
