/* One trial: a variant, an operation, a geometry and an n, on every input that tells something. */
#ifndef TRIAL_H
#define TRIAL_H

#include "session.h"

enum { EXIT_BROKEN = -1 }; // its kernel does not compile: to --check a wrong result

/* 0: right, EXIT_WRONG, EXIT_BROKEN or EXIT_UNSUPPORTED: why. *wall: of the last reduction. */
int check_size(struct session *session, const struct trial *trial, double *wall, char why[400]);

/* Sorts, drops doubles and what is out of range; returns how many are left. */
int sorted_set(uint64_t *numbers, int count, uint64_t least, uint64_t most);

#endif
