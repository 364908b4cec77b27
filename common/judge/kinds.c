#include "kinds.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

void print_kind(enum cause cause, const char *mark)
{
#define CAUSE(name) #name,
    static const char *const names[] = {
#include "kind_list.h"
    };
#undef CAUSE
    if (!getenv("REDUCE_CAUSE"))
        return;
    printf("%s%scause: ", mark, mark[0] == '#' ? "" : "# ");
    for (const char *name = names[cause]; *name; name++)
        putchar(tolower(*name));
    puts("");
}
