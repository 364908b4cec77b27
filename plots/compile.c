/* Shows how the kernels of a step are compiled. plots/asm.py calls these programs.
 *
 *   build/compile06                 prints a kernel and its build options on Intel's GPUs (ocloc)
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

static const char no_effect[] = "this has no effect on how a kernel is compiled: leave it out";
static const char *binary_path, *kernel;
static const struct known_option own_options[] = {
    { "binary", "FILE", "compile the kernel on the device, and save the result", VALUE_TEXT,
      &binary_path },
    { "kernel", "FILE", "compile this kernel instead of the variant's own", VALUE_FILE, &kernel },
    { "n", "", "", VALUE_MOVED, (void *)no_effect },
    { "sweep", "", "", VALUE_MOVED, (void *)no_effect },
    { "group", "", "", VALUE_MOVED, (void *)no_effect },
    { "groups", "", "", VALUE_MOVED, (void *)no_effect },
    { "timeout", "", "", VALUE_MOVED, (void *)no_effect },
    { "seed", "", "", VALUE_MOVED, (void *)no_effect },
    { NULL },
};
static const struct known_option *const lists[] = { own_options, common_options, NULL };
static const char usage[] =
    "[options]\n"
    "Prints a kernel and its build options on Intel's GPUs. This needs no device.\n";

static void save_binary(const char *path, const struct kernel *built)
{
    size_t bytes = 0;
    CL(clGetProgramInfo(built->program, CL_PROGRAM_BINARY_SIZES, sizeof bytes, &bytes, NULL));
    unsigned char *program = allocate(bytes + 1);
    CL(clGetProgramInfo(built->program, CL_PROGRAM_BINARIES, sizeof program, &program, NULL));
    /* NVIDIA's program is PTX, a text. The driver appends bytes 0 to it, which ptxas refuses, so
     * they are left out. A program with a byte 0 before other bytes is not a text. */
    size_t length = bytes;
    while (length > 0 && program[length - 1] == 0)
        length--;
    if (!memchr(program, 0, length))
        bytes = length;
    if (bytes == 0)
        fail("--binary: this runtime does not give the program that it compiled");
    replace_file(path, (const char *)program, bytes);
    free(program);
}

/* Prints the line of one variant. On a device, also compiles its kernel. */
static enum status compile_variant(struct reduction *reduction, const struct request *request,
                                   const struct variant *variant)
{
    struct problem problem = request->first;
    problem.variant = variant;
    problem.n = 1; // the build options do not depend on n, and the device needs no room for more
    if (!plan_reduction(reduction, request->device, &problem))
        return report_plan(reduction);
    if (!variant->kernel) {
        fprintf(stderr,
                "%s: %s is not supported here: it is a loop on the host, without a "
                "kernel\n",
                program_name, variant->name);
        return STATUS_UNSUPPORTED;
    }
    if (binary_path)
        save_binary(binary_path, reduction->kernel);
    // A plan for a device may have built a second kernel, for partial results.
    printf("%s %s %s\n", variant->name, variant->kernel,
           binary_path ? reduction->kernel->options : reduction->build_options);
    return STATUS_RIGHT;
}

int step_main(int argc, char **argv, const struct step *step)
{
    const struct options options = parse_options(argc, argv, lists);
    if (options.is_question) {
        print_information(&options, step, usage, lists);
        return STATUS_RIGHT;
    }
    if (options.device && !binary_path)
        fail("--device has no effect on the build options, which are for Intel's GPUs: leave it "
             "out, or add --binary FILE");
    struct request request = choose_request(step, &options, false);
    if (!request.operations[0])
        return report_missing_operation(&options);
    if (kernel)
        replace_kernels(&request, kernel);
    if (binary_path && request.variants[1])
        fail("--binary saves one kernel: leave out --variant all");

    struct device device = binary_path ? open_device(options.device) : intel_gpu;
    struct reduction reduction = { 0 };
    enum status status = STATUS_UNSUPPORTED; // unless a variant is supported
    request.device = &device;
    for (int v = 0; request.variants[v]; v++) {
        const enum status one = compile_variant(&reduction, &request, request.variants[v]);
        status = status == STATUS_RIGHT ? status : one;
    }
    release_reduction(&reduction);
    if (binary_path)
        close_device(&device);
    flush_output();
    return status;
}
