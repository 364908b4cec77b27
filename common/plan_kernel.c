/* From a plan to the kernel that it launches: options to build with, and limits. */
#include "plan_kernel.h"

#include <stdio.h>
#include <string.h>

bool needs(const struct run *run, enum needs need) { return run->variant->needs & need; }

/* The language, the operator and type, the width, the back end, the atomics. */
static void build_options(const struct run *run, bool partials, char *options, size_t size)
{
    const char *atomics = run->plan->atomics, *further = run->variant->options;
    const struct back_end *back_end = &run->plan->back_end;
    const bool native = strcmp(atomics, "native") == 0, ptx = strcmp(atomics, "ptx") == 0;
    const bool modern = (native && run->operation->floating) || needs(run, WORK_GROUP_REDUCE) ||
                        (needs(run, SUB_GROUPS) && back_end->new_words);
    const unsigned version = run->device->c_version >= 200 && modern ? run->device->c_version : 120;

    snprintf(options, size, "-cl-std=CL%u.%u -cl-kernel-arg-info %s -D WIDTH=%d%s%s%s%s%s %s",
             version / 100, version / 10 % 10, run->operation->options, run->width,
             partials ? " -D PARTIALS" : "", needs(run, SUB_GROUPS) ? back_end->options : "",
             native ? " -D NATIVE_ATOMICS" : "", ptx ? " -D PTX_ATOMICS" : "",
             needs(run, ONE_WORD) ? " -D ONE_WORD" : "", further ? further : "");
}

const struct kernel *kernel_for(struct run *run, bool partials)
{
    static const struct kernel none = { .arguments = 3, .group_limit = SIZE_MAX }; // never launched
    struct plan *plan = run->plan;
    const struct operation *operation = run->operation;
    char options[260];

    plan->asked |= ASKED_KERNEL;
    build_options(run, partials && operation->value_bytes != operation->element_bytes, options,
                  sizeof options);
    const struct kernel *kernel = kernel_get(plan->kernels, plan->kernel_file, "reduce", options);
    if (kernel)
        return kernel;
    plan->broken = true;
    unsupported(run, "%s does not compile for %s of %s", plan->kernel_file, operation->op,
                operation->type);
    return &none;
}

size_t scratch_bytes(const struct run *run, const struct kernel *kernel)
{
    return kernel->arguments == 4 ? run->plan->scratch * run->operation->value_bytes : 0;
}

size_t group_limit(const struct run *run, const struct kernel *kernel)
{
    const struct device *device = run->device;
    size_t each = scratch_bytes(run, kernel), limit = device->group_limits[0];
    if (each)
        limit = smaller(limit, (device->local_bytes - kernel->local_bytes) / each);
    return smaller(limit, smaller(kernel->group_limit, device->group_limit));
}
