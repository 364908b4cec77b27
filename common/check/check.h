/* --check: every variant with many operations, sizes, groups and widths. */
#ifndef CHECK_H
#define CHECK_H

#include "session.h"

/* TAP on standard output; both lists end with NULL. Returns the exit status. */
int check(struct session *session, const struct variant *const *variants,
          const struct operation *const *operations);

/* One trial for --races, which is another process for each: 0, EXIT_WRONG or EXIT_UNSUPPORTED. */
int check_once(struct session *session, const struct variant *variant,
               const struct operation *operation);

#endif
