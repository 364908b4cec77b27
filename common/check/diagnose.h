/* What a wrong result comes from, in the kernel's own terms. */
#pragma once

#include "session.h"

/* Prints what is lost or counted twice, and the likely reason, each line behind `mark`, unless
 * session->run.reason says all. Takes two seconds or so at most at the sizes of --check. */
void diagnose(struct session *session, const struct trial *trial, const char *mark);
