/* The table of all operations, and how the command line names them. */
#ifndef OPERATIONS_H
#define OPERATIONS_H

#include "operation.h"

extern const struct operation *const operations[]; // NULL ends it

/* The first of that operator and type; NULL: of any. Returns NULL: there is none. */
const struct operation *operation_find(const char *op, const char *type);

/* "sum, min, max …" and "int, uint, …": of one operator, or all. */
const char *operator_names(void);
const char *type_names(const char *op);

#endif
