/* A reduction that is no launch: a loop on the host, over the elements as they lie in memory. */
#ifndef HOST_LOOP_H
#define HOST_LOOP_H

#include "plan.h"

struct host_loop { // for one operator and type; a table of them ends with a NULL
    const char *op, *type;
    void (*reduce)(const void *elements, uint64_t n, void *value);
};

/* Plans the loop for this operator and type. False: unsupported, the table has none. */
bool on_host(struct run *run, const struct host_loop *loops);

#endif
