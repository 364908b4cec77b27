#include "examine.h"

#include "verify.h"
#include "work.h"
#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* ---- the types of the arguments */

/* The bytes of a scalar type of OpenCL C, or 0 if it is none of these, such as a typedef. */
static size_t size_of_type(const char *type)
{
    static const struct {
        const char *name;
        size_t bytes;
    } types[] = { { "char", 1 },  { "short", 2 }, { "half", 2 },  { "int", 4 },
                  { "float", 4 }, { "long", 8 },  { "double", 8 } };
    const char *without_sign = type + (type[0] == 'u');
    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        if (strcmp(without_sign, types[i].name) == 0)
            return types[i].bytes;
    return 0;
}

static bool is_floating(const char *type)
{
    return strcmp(type, "float") == 0 || strcmp(type, "double") == 0 || strcmp(type, "half") == 0;
}

/* Writes the name of the type to which a pointer among the arguments points. The name is empty if
 * the device does not tell it. */
static void name_target(const struct kernel *kernel, cl_uint argument, char name[64])
{
    name[0] = '\0';
    (void)clGetKernelArgInfo(kernel->kernel, argument, CL_KERNEL_ARG_TYPE_NAME, 64, name, NULL);
    name[strcspn(name, " *")] = '\0'; // "float*" is shown as float
}

/* A kernel may name types itself ("float *in") instead of calling them input and value. Then it is
 * right for one type of element only, and out[] and scratch[] must have values of the operation's
 * size. Returns whether it is right for this operation; if not, writes the reason to `why`. int is
 * as good as uint, and a typedef is not looked into. */
static bool takes_type(const struct kernel *kernel, const struct operation *operation,
                       char why[400])
{
    static const char *const names[] = { "in", "n", "out", "scratch" };
    const char *type = operation->type;
    char given[64];
    name_target(kernel, 0, given);
    const size_t read = size_of_type(given);
    if (read &&
        (read != operation->element_bytes || is_floating(given) != operation->is_floating)) {
        snprintf(why, 400, "the kernel reads %s, but the elements are %s: %s%s", given, type,
                 read < 4 ? "write " : "try --type ", read < 4 ? type : given);
        return false;
    }
    for (cl_uint i = 2; i < kernel->argument_count; i++) {
        name_target(kernel, i, given);
        const size_t bytes = size_of_type(given), length = strlen(type);
        if (operation->element_bytes == operation->value_bytes &&
            strncmp(given, type, length) == 0 && isdigit((unsigned char)given[length]) &&
            !strpbrk(given, "_")) { // int4, not int32_t
            snprintf(why, 400,
                     "the kernel takes %s *%s, but %s[] has room for single values, and in[] "
                     "holds single elements: vload4(i, in) loads a vector",
                     given, names[i], names[i]);
            return false;
        }
        if (bytes && bytes != operation->value_bytes) {
            snprintf(why, 400,
                     "the kernel takes %s *%s, but %s[] has room for values of %zu bytes, not of "
                     "%zu: write value *%s",
                     given, names[i], names[i], operation->value_bytes, bytes, names[i]);
            return false;
        }
    }
    return true;
}

bool takes_operation(struct reduction *reduction)
{
    const struct kernel *kernel = reduction->kernel;
    const struct operation *operation = reduction->problem.operation;
    return !kernel || !is_of_learner(kernel->file) || operation->explain_value ||
           takes_type(kernel, operation, reduction->reason);
}

/* ---- why a kernel does not compile, in words that the log of the compiler does not have */

/* Does `reduce` take an argument of type size_t? The compiler's message does not name the right
 * type. */
static bool takes_size_t(const char *file)
{
    static char text[1 << 16];
    FILE *from = fopen(file, "r");
    text[from ? fread(text, 1, sizeof text - 1, from) : 0] = '\0';
    if (from)
        (void)fclose(from);
    const char *name = strstr(text, " reduce("), *end = name ? strchr(name, ')') : NULL,
               *type = end ? strstr(name, "size_t") : NULL;
    return type && type < end;
}

/* Returns why a kernel does not compile, if its text or its log shows more than the log says;
 * otherwise NULL. The compilers quote the names that they do not know. */
static const char *explain_log(const struct kernel *kernel)
{
    static const char cuda[] =
        "this is CUDA: __global__ is kernel, __shared__ is local, threadIdx.x is get_local_id(0), "
        "blockIdx.x is get_group_id(0), blockDim.x is get_local_size(0), gridDim.x is "
        "get_num_groups(0), __syncthreads() is barrier(CLK_LOCAL_MEM_FENCE), atomicAdd() is "
        "atomic_add(); pointers to the arguments are global";
    static const char no_sub_groups[] =
        "no sub-groups on this device, or not in this version of OpenCL C: write lanes() for "
        "get_sub_group_size(), and lane() for get_sub_group_local_id(), both from subgroup.clh";
    static const char no_work_group_functions[] =
        "this device has no work-group functions, or its OpenCL C does not offer this one: build a "
        "tree in local memory instead";
    static const char no_vectors[] = "include vectors.clh, which defines `values`";
    static const struct unknown_name {
        const char *quoted, *why;
    } unknown_names[] = {
        { "'__global__'", cuda },
        { "__global__ void", cuda }, // a line that the log shows
        { "'__device__'", cuda },
        { "'__shared__'", cuda },
        { "'__syncthreads'", cuda },
        { "'threadIdx'", cuda },
        { "'blockIdx'", cuda },
        { "'blockDim'", cuda },
        { "'gridDim'", cuda },
        { "'atomicAdd'", cuda },
        { "'cuda_runtime.h'", cuda },
        { "'get_sub_group_size'", no_sub_groups },
        { "'get_sub_group_local_id'", no_sub_groups },
        { "'work_group_", no_work_group_functions },
        { "nested too deeply", "a file includes itself" }, // the log has further errors then
        { "unknown type name 'values'", no_vectors },
        { "undeclared identifier 'values'", no_vectors },
        { "unknown type name 'value'", "include operator.clh, which defines `value`" },
        { "unknown type name 'input'", "include operator.clh, which defines `input`" },
    };
    for (size_t i = 0; i < sizeof unknown_names / sizeof *unknown_names; i++)
        if (strstr(kernel->log, unknown_names[i].quoted))
            return unknown_names[i].why;
    if (takes_size_t(kernel->file))
        return "size_t is not allowed for a kernel's argument in OpenCL C: write ulong";
    return NULL;
}

void print_refusal(const struct reduction *reduction)
{
    const struct kernel *kernel = reduction->kernel;
    const char *more = kernel->log ? explain_log(kernel) : NULL;
    fprintf(stderr, "%s: %s: %s\n", program_name, shown_name(kernel->file),
            kernel->kernel ? reduction->reason
            : more         ? more
                           : kernel->why);
    print_build_log(kernel);
}

const char *explain_wrong_value(const struct reduction *wrong)
{
    const struct operation *operation = wrong->problem.operation;
    const char *sentence =
        operation->explain_value && wrong->verdict.mistake == MISTAKE_VALUE
            ? operation->explain_value(&wrong->input.data, &wrong->verdict.result)
            : NULL;
    return sentence ? sentence : "";
}

/* ---- a problem */

/* The inputs with which a step verifies, and more: integer sums and minima get special values, such
 * as 0, -1 and the ends of the range; a sum gets zeros one after another, nothing but zeros, and
 * equal elements: all of them where n is small, else one of them. Below 64 the inputs of a step are
 * enough, because the judge tries many n there. */
static int list_all_inputs(const struct problem *problem, uint32_t seed,
                           struct data inputs[INPUTS_MAX])
{
    enum { SPECIALS = 8, KINDS_OF_SUMS = 3 };
    const struct operation *operation = problem->operation;
    const uint64_t n = problem->n, nowhere = (uint64_t)DATA_UNPLANTED;
    const bool extreme = operation->has_extreme, is_small = n >= 64 && n < 1 << 13;
    int count = list_inputs(problem, seed, inputs);
    if (operation->explain_value || n < 64)
        return count;
    for (uint64_t k = 0; !extreme && n < 1 << 18 && k < KINDS_OF_SUMS; k++)
        if (is_small || n % 3 == k)
            inputs[count++] = (struct data) { n, nowhere, DATA_ZEROS + k, seed };
    // A library that promises nothing about NaN may begin with the largest finite number, too.
    const int of_floats = problem->variant->nan_is_undefined ? SPECIALS - 2 : SPECIALS,
              specials = !is_small                 ? 0
                         : !operation->is_floating ? 2
                         : extreme                 ? of_floats
                                                   : 0;
    for (int k = 0; k < specials; k++) // with n in the seed, the first 0 has either sign
        inputs[count++] =
            (struct data) { n, nowhere, DATA_SPECIAL + (uint64_t)k, seed + (uint32_t)n };
    return count;
}

/* Adds to the reason which of the inputs that only the judge tries is wrong. */
static void note_input(struct reduction *reduction)
{
    static const char *const kinds[] = {
        [DATA_ZEROS] = "the middle half of the elements is 0",
        [DATA_ALL_ZERO] = "all elements are 0",
        [DATA_ALL_EQUAL] = "all elements are equal",
        [DATA_SPECIAL] = "all elements are special, such as 0, -1, the ends of the range",
    };
    const uint64_t kind = reduction->input.data.kind;
    const char *text = kinds[kind < DATA_SPECIAL ? kind : DATA_SPECIAL];
    if (text)
        note_mistake(reduction, reduction->verdict.mistake, " (%s)", text);
}

enum status verify_problem(struct reduction *reduction, struct device *device,
                           const struct problem *problem, uint32_t seed)
{
    static bool has_made_data = false;
    struct data inputs[INPUTS_MAX];
    begin_work(problem, device, PLANNING);
    enum status status = plan_reduction(reduction, device, problem) ? STATUS_RIGHT
                         : reduction->state == PLAN_IGNORES_OPTION  ? STATUS_SETUP
                                                                    : STATUS_UNSUPPORTED;
    const struct kernel *kernel = reduction->kernel;
    if ((kernel && !kernel->kernel) || (status == STATUS_RIGHT && !takes_operation(reduction)))
        status = STATUS_DOES_NOT_COMPILE;
    end_work();
    // A runtime that lacks its tools crashes when it launches its first kernel. So the first kernel
    // is one of the harness, and no kernel of a learner is blamed for the crash.
    if (status == STATUS_RIGHT && !has_made_data) {
        make_data(
            reduction,
            (struct data) { .n = problem->n, .seed = seed, .planted = (uint64_t)DATA_UNPLANTED });
        has_made_data = true;
    }
    if (status == STATUS_RIGHT) {
        begin_work(problem, device, RUNNING);
        const int count = list_all_inputs(problem, seed, inputs);
        // A simulator is slow, and looks at accesses, which seldom depend on the values.
        status = verify_inputs(reduction, inputs, device->is_simulated && count > 2 ? 2 : count);
        if (status == STATUS_WRONG)
            note_input(reduction);
    }
    end_work();
    return status;
}
