/* --check: every variant with many operations, sizes, groups and widths. */
#pragma once

#include "session.h"

/* TAP on standard output: all that the command line has chosen. Returns the exit status. */
int check(struct session *session);
