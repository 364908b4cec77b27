/* The ranks of this run: their number, their devices, and how they end together. */
#pragma once

#include "step.h"
#include <mpi.h>

struct world {
    int rank, ranks;    // this rank, and how many there are
    int nodes, devices; // that the ranks use together
    int ranks_here;     // on this rank's node
    int sharing;        // ranks that use this rank's device, this rank included
    // of the last run
    any_value own_value;       // of this rank's share
    double collective_seconds; // in MPI
};
extern struct world world;

/* Starts MPI. From now on fail() ends all ranks. */
void enter_world(int *argc, char ***argv);
int leave_world(enum status status); // returns the status

/* Opens a device for this rank: the ranks of a node take its devices in turn. */
struct device open_own_device(const char *wanted);

/* ---- errors. In a set-up, no rank calls MPI except by meet(). So a rank that fails there can go
 * to the meeting at once, and one message is printed for all ranks. After the meeting the ranks
 * need each other, so a rank that fails prints its message and ends the others. */
void begin_set_up(void);

/* Ends a set-up. If a rank has failed, all ranks end. */
void meet(void);

enum { TROUBLE_BYTES = 600 };

/* Every rank calls this with its own trouble, or with "". Then all ranks have the text of the
 * lowest rank that is in trouble, and in front of it the number of that rank, unless all ranks had
 * the same text. False: no rank is in trouble. */
bool share_trouble(char trouble[TROUBLE_BYTES]);
