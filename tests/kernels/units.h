/* Functions that units.c shares with laws.c, which is compiled for each operation. */
#pragma once

#include "operations.h"

/* Prints one line of TAP. */
void ok(bool is_right, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define OPERATION(op, type) void laws_##op##_##type(void);
#include "operation_list.h"
#undef OPERATION
