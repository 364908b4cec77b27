/* The list of all operations, and how the command line names them. */
#pragma once

#include "operation.h"

extern const struct operation *const operations[]; // NULL ends it

/* The first of that operator and type; NULL: of any. Returns NULL: there is none. */
const struct operation *find_operation(const char *op, const char *type);

/* "sum, min, max …", or the types of one operator, "int, uint, …": until the next call. */
const char *list_operation_names(const char *op);
