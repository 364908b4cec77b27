/* --check. */
#pragma once

#include "table.h"

/* Verifies each chosen operation with many sizes, and prints TAP on rank 0. */
enum status check_operations(struct ranks_table *table);
