/* Shows how the kernels of a step are compiled. plots/asm.py calls these programs.
 *
 *   build/compile06                 prints a kernel, and its build options on Intel's GPUs
 *   build/compile06 --binary FILE   compiles the kernel on a device, and saves the result
 *
 * The Makefile links this file and the object of step 06 in front of the harness. Therefore main()
 * of the step calls this step_main(), and the linker leaves out step.c of the harness.
 */
#include "step.h"

#include "data_file.h"
#include "report.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The properties of Intel's GPUs of Gen8 to Gen12, with the runtime of Debian 12, that decide how a
 * kernel is built for them. Without a context, a plan ends before the kernel is compiled. Gen12 has
 * no double, so a kernel of double does not compile for it. The bits of cl_ext_float_atomics: a
 * minimum and a maximum in global and in local memory. */
static const struct device intel_gpu = { .name = "an Intel GPU",
                                         .is_gpu = true,
                                         .c_version = 300,
                                         .local_bytes = 1 << 16,
                                         .has_doubles = true,
                                         .has_atomics64 = true,
                                         .has_atomics64_min = true,
                                         .float_atomics = 1 << 2 | 1 << 18,
                                         .has_work_group_reduce = true,
                                         .sub_groups = SUB_GROUPS_IN_HARDWARE,
                                         .sub_group_sizes = { 8, 16, 32 } };

static void print_usage(const struct step *step)
{
    printf("usage: %s [--binary FILE] [options of step%02d]\n"
           "Prints a kernel and its build options on Intel's GPUs. This needs no device.\n"
           "  --binary FILE   as the first option: instead compile the kernel on the device that\n"
           "                  --device names, and save what the device's compiler makes of it\n"
           "options: --device --variant --op --type --width --subgroups --kernel --force\n",
           program_name, step->number);
    flush_output();
}

/* Other options choose what a step measures, or how. */
static void refuse_options(const struct options *options, const struct step *step, bool has_binary)
{
    static const char *const others[] = { "check", "evict", "group",   "groups", "limit-seconds",
                                          "n",     "out",   "races",   "reps",   "seconds",
                                          "seed",  "sweep", "timeout", "warm" };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (is_given(options, others[i]))
            fail("--%s has no effect on how a kernel is compiled: leave it out, or use step%02d",
                 others[i], step->number);
    if (options->device && !has_binary)
        fail("--device has no effect on the build options, which are for Intel's GPUs: leave it "
             "out, or begin with --binary FILE");
}

static void save_binary(const char *path, const struct kernel *kernel)
{
    size_t bytes = 0;
    CL(clGetProgramInfo(kernel->program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    unsigned char *binary = allocate(bytes + 1);
    CL(clGetProgramInfo(kernel->program, CL_PROGRAM_BINARIES, sizeof binary, &binary, NULL));
    /* NVIDIA's program is PTX, a text. The driver appends bytes 0 to it, which ptxas refuses, so
     * they are left out. A program with a byte 0 before other bytes is not a text. */
    size_t length = bytes;
    while (length > 0 && binary[length - 1] == 0)
        length--;
    if (!memchr(binary, 0, length))
        bytes = length;
    if (bytes == 0)
        fail("--binary: this runtime does not give the program that it compiled");
    replace_file(path, (const char *)binary, bytes);
    free(binary);
}

/* Prints the line of one variant. On a device, also compiles its kernel. */
static enum status compile_variant(struct reduction *reduction, const struct request *request,
                                   const struct variant *variant, const char *binary)
{
    struct problem problem = request->first;
    problem.variant = variant;
    problem.n = 1; // the build options do not depend on n, and the device needs no room for more
    const bool is_ready = plan_reduction(reduction, request->device, &problem);
    if (!is_ready || !variant->kernel) {
        fprintf(stderr, "%s: %s is not supported here: %s\n", program_name, variant->name,
                is_ready ? "it is a loop on the host, without a kernel" : reduction->reason);
        return STATUS_UNSUPPORTED;
    }
    if (!request->variants[1]) // among several variants, one may use what another one does not
        refuse_unused_options(request->options, reduction->options_used, "the build");
    if (binary)
        save_binary(binary, reduction->kernel);
    // A plan for a device may have built a second kernel, for partial results.
    printf("%s %s %s\n", variant->name, problem.kernel_file ? problem.kernel_file : variant->kernel,
           binary ? reduction->kernel->options : reduction->build_options);
    return STATUS_RIGHT;
}

int step_main(int argc, char **argv, const struct step *step)
{
    const bool has_binary = argc > 1 && strcmp(argv[1], "--binary") == 0;
    if (has_binary && argc == 2)
        fail("--binary needs a value; --help shows which");
    const char *binary = has_binary ? argv[2] : NULL;
    const int skipped = has_binary ? 2 : 0;
    const struct options options = parse_options(argc - skipped, argv + skipped);
    if (options.version || options.list || options.variants || options.facts) {
        print_information(&options, step);
        return STATUS_RIGHT;
    }
    if (options.help) {
        print_usage(step);
        return STATUS_RIGHT;
    }
    refuse_options(&options, step, has_binary);
    struct request request = choose_request(step, &options);
    if (!request.operations[0]) {
        fprintf(stderr, "%s: there is no %s of %s; its types are %s\n", program_name, options.op,
                options.type, list_operation_names(options.op));
        return STATUS_UNSUPPORTED;
    }
    if (has_binary && request.variants[1])
        fail("--binary saves one kernel: leave out --variant all");

    struct device device = has_binary ? open_device(options.device) : intel_gpu;
    struct reduction reduction = { 0 };
    enum status status = STATUS_UNSUPPORTED; // unless a variant is supported
    request.device = &device;
    for (int v = 0; request.variants[v]; v++)
        if (compile_variant(&reduction, &request, request.variants[v], binary) == STATUS_RIGHT)
            status = STATUS_RIGHT;
    release_reduction(&reduction);
    if (has_binary)
        close_device(&device);
    flush_output();
    return status;
}
