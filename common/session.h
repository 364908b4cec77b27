/* What one call of a step works with, for its two modes: timing (step.c) and checking (check.c). */
#ifndef SESSION_H
#define SESSION_H

#include "options.h"
#include "verify.h"

struct session {
    const struct step *step;
    const struct options *options;
    struct device device;
    struct kernels kernels;
    struct back_end back_end;
    char kernel[4096]; // path of --kernel, or ""
    bool planned;      // a plan was possible,
    unsigned asked;    // and any asked for these: enum asked
};

/* Plans variant for an input; false: unsupported, the reason is in run->plan. plan_release it
 * either way. */
bool session_plan(struct session *session, struct run *run, const struct variant *variant,
                  const struct operation *operation, const struct input *input,
                  struct geometry wanted);

/* An option given that no plan had a use for, or NULL. */
const char *session_unused(const struct session *session);

/* Every place planted, one of them reduced twice. 0: right, EXIT_WRONG, EXIT_BROKEN or
 * EXIT_UNSUPPORTED: why. *wall: of the last. */
enum { EXIT_BROKEN = -1 }; // does not compile: to --check a wrong result
int check_size(struct session *session, const struct variant *variant,
               const struct operation *operation, struct geometry wanted, uint64_t n, double *wall,
               char why[400]);

/* Both return the exit status. check(): TAP on standard output. time_variants(): a table, and data
 * files. */
int check(struct session *session, const struct variant *const *variants,
          const struct operation *const *chosen);
int time_variants(struct session *session, const struct variant *const *variants,
                  const struct operation *operation);

#endif
