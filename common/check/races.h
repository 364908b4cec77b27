/* Races, reads of what nobody has written, barriers that not all reach, and addresses out of
 * bounds: seen by Oclgrind.
 */
#pragma once

#include "session.h"

/* Runs this program again under Oclgrind, once for each variant, n, group size and width, and
 * prints what it found, a line for each; there it does work(session). Returns the exit status: 0
 * nothing, 1 something, 77 if there is no Oclgrind or it can run none of this. */
int races(struct session *session, int (*work)(void *session));
