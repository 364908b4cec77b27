/* What one call of a step's program works with, and one trial in it: a variant, an operation, a
 * geometry and an n, on every input that tells something.
 */
#pragma once

#include "operations.h"
#include "options.h"
#include "verify.h"

enum { EXIT_BROKEN = -1 }; // its kernel does not compile: to --check a wrong result

struct step {
    int number;
    const char *name;
    int compared_with;
    const struct variant *variants;    // the main one first; one without a name ends them
    const struct operation *operation; // its own, of which it has one; NULL: the ladder's
};

struct session {
    const struct step *step;
    const struct options *options;
    const struct variant *variants[17]; // that the command line asks for: NULL ends both lists
    const struct operation *operations[64];
    struct device device;
    struct back_end back_end;
    struct run run;    // what was planned last
    struct trial only; // if it has a variant: this one is checked, and nothing else
    char kernel[4096]; // path of --kernel, or ""
    bool planned;      // a plan was possible
    unsigned asked;    // options that any plan made use of: ASKED_GROUP and so on
    double pace;       // seconds for an element, at best: a guess at larger sizes
};

/* Each group size with each width, as far as they are given, and --groups and --force: how many
 * such there are, and one of them. The first ones have the first group size, and all widths. */
int session_geometries(const struct session *session);
struct geometry session_geometry(const struct session *session, int number);

/* Plans a trial as session->run, with room for its elements, or for one; what was planned before is
 * given up. False: unsupported, session->run.reason says why. */
bool session_plan(struct session *session, const struct trial *trial);
void session_release(struct session *session); // gives up what is planned, at the end

/* Checks it on all of its inputs. 0: right, EXIT_WRONG, EXIT_BROKEN or EXIT_UNSUPPORTED: see
 * session->run.reason. Keeps session->pace. */
int check_trial(struct session *session, const struct trial *trial);

/* Sorts, drops doubles and what is out of range; returns how many are left. */
int sorted_set(uint64_t *numbers, int count, uint64_t least, uint64_t most);
