/* 00 device
 * Idea     Meet the devices, then see every host call of one whole reduction, from context to release.
 * Change   (against nothing) One file, no common/. From 01 on a step plans, and the harness makes these calls.
 * Expect   Each device "usable, because …" or what is missing; then one sum, the same from device and host.
 * Try      ./step00 0, ./step00 1 … Break the kernel below: `i < n - 1`, or no barrier. Which devices notice?
 */
#define _GNU_SOURCE // strcasestr
#include <CL/opencl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...) (fflush(stdout), fprintf(stderr, "step00: " __VA_ARGS__), exit(2)) // usage or set-up
#define END(status) (fflush(stdout) || ferror(stdout) ? FAIL("cannot write all of standard output\n"), 2 : (status))
#define TRY(what, answer) (void)clGetDeviceInfo(id, what, sizeof(answer), &(answer), NULL) // an old one leaves 0 or ""
#define ASK(what, answer) CL(clGetDeviceInfo(id, what, sizeof(answer), &(answer), NULL))   // all devices know that
#define CL(call) check(call, #call)
#define NEW(object, call) /* the call returns an object and puts its status elsewhere */                               \
    object = call;                                                                                                     \
    check(status, #call)

static void check(cl_int status, const char *call) // an error that nobody asks for shows later, elsewhere
{
    if (status != CL_SUCCESS)
        FAIL("%.*s: error %d (CL/cl.h has its name)\n", (int)strcspn(call, "("), call, status);
}

// How many lanes a sub-group has in such a group; 0: no kernel with sub-groups can be built. Nothing is launched.
static size_t sub_group_size(cl_device_id id, const char *options, size_t group)
{
    const char *text = "kernel void ask(global uint *out) { *out = get_sub_group_size(); }";
    size_t size = 0;
    cl_int status;
    NEW(cl_context context, clCreateContext(NULL, 1, &id, NULL, NULL, &status));
    NEW(cl_program program, clCreateProgramWithSource(context, 1, &text, NULL, &status));
    if (clBuildProgram(program, 1, &id, options, NULL, NULL) == CL_SUCCESS) {
        NEW(cl_kernel kernel, clCreateKernel(program, "ask", &status));
        CL(clGetKernelSubGroupInfo(kernel, id, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE, sizeof group, &group,
                                   sizeof size, &size, NULL));
        CL(clReleaseKernel(kernel));
    }
    CL(clReleaseProgram(program)), CL(clReleaseContext(context));
    return size;
}

static int examine(cl_device_id id) // the doctor: what the steps depend on; returns the device's rank as a default
{
    char c[80] = "", vendor[80] = "", all[1 << 15] = ""; // c: OpenCL C's version; all: extensions
    cl_uint there, compiler, units, reduces = CL_FALSE, sub_groups = 0;
    cl_ulong type, local, buffer;
    size_t group, lanes[16] = { 0 }; // of a sub-group: what a kernel may ask for; 0 ends them
    ASK(CL_DEVICE_AVAILABLE, there), ASK(CL_DEVICE_COMPILER_AVAILABLE, compiler), ASK(CL_DEVICE_TYPE, type);
    ASK(CL_DEVICE_OPENCL_C_VERSION, c), ASK(CL_DEVICE_EXTENSIONS, all), ASK(CL_DEVICE_MAX_COMPUTE_UNITS, units);
    ASK(CL_DEVICE_MAX_WORK_GROUP_SIZE, group), ASK(CL_DEVICE_LOCAL_MEM_SIZE, local), ASK(CL_DEVICE_VENDOR, vendor);
    ASK(CL_DEVICE_MAX_MEM_ALLOC_SIZE, buffer), TRY(CL_DEVICE_MAX_NUM_SUB_GROUPS, sub_groups);
    TRY(CL_DEVICE_SUB_GROUP_SIZES_INTEL, lanes), TRY(CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT, reduces);
    bool gpu = type & CL_DEVICE_TYPE_GPU, cpu = type & CL_DEVICE_TYPE_CPU, old = strcmp(c, "OpenCL C 1.2") < 0;
    const char *kind = cpu ? "CPU" : gpu ? "GPU" : "other";
    const char *lack = !there ? "its hardware, for" : !compiler ? "a compiler for" : old ? "1.2, this is" : NULL;
    // Only lanes of hardware count: where a CPU's sub-group is as large as its group, the group's barriers emulate it.
    const char *newest = strstr(c, "C 2.") ? "-cl-std=CL2.0" : "-cl-std=CL3.0"; // 3.0 may say 1.2, for old programs
    size_t asked = group < 256 ? group : 256, size = cpu && sub_groups && !lack ? sub_group_size(id, newest, asked) : 0;
    bool emulated = size == asked, khr = cpu ? size && !emulated : sub_groups || strstr(all, "cl_khr_subgroups");
    bool blocks = lanes[0] && strstr(vendor, "Intel(") && strstr(all, "cl_intel_subgroups"), intel = khr && blocks;
    bool nvidia = strstr(all, "cl_nv_device_attribute_query");
    printf("    %s %s %.12s\n", lack ? "not usable, missing:" : "usable, because it", lack ? lack : "compiles", c);
    printf("    %s, %u compute units, groups up to %zu, buffers up to %.2f GiB\n", kind, units, group, buffer / 0x1p30);
    printf("    local memory %u KiB, work_group_reduce: %s, 64-bit atomics: %s\n", (unsigned)(local / 1024),
           reduces || strstr(c, "C 2.0") ? "yes" : "no", strstr(all, "cl_khr_int64_extended_atomics") ? "yes" : "no");
    printf("    sub-groups: %s", intel      ? "native (intel), lanes"
                                 : nvidia   ? "native (nvidia)\n"
                                 : khr      ? "native (khr)\n"
                                 : emulated ? "emulated (khr), stand-in: local:1\n"
                                 : gpu      ? "none, stand-in: local:32\n"
                                            : "none, stand-in: local:1\n");
    for (int i = 0; intel && i < 15 && lanes[i]; i++)
        printf(" %zu%s", lanes[i], lanes[i + 1] ? "" : "\n");
    return gpu ? 3 : cpu && khr ? 2 : 1;
}

// For a shell. Where Intel's GPU runtime finds no GPU, it shows no platform; its compiler, ocloc, works all the same.
static const char *intel_without_gpu =
    "grep -qs igdrcl \"${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}\"/*.icd || exit 0\n"
    "echo \"Intel's GPU runtime is installed, and finds no GPU that you may use\"\n"
    "known=$(timeout 5 ocloc compile --help 2>/dev/null | head -c 9999 | grep -m1 'can be: ')\n"
    "gpus=$(echo \"$known\" | grep -owE 'bdw|kbl|tgllp|dg1') || exit 0\n"
    "echo \"  its compiler, ocloc, builds for the articles' GPUs:\" $gpus\n";

static const char *source = // the tree of step 04: each group leaves one partial result
    "kernel void reduce(global const uint *in, ulong n, global uint *out, local uint *scratch)\n{\n"
    "    ulong i = get_global_id(0), id = get_local_id(0);\n"
    "    scratch[id] = i < n ? in[i] : 0;\n"
    "    for (ulong width = get_local_size(0); width > 1; width = (width + 1) / 2) {\n"
    "        barrier(CLK_LOCAL_MEM_FENCE);\n"
    "        if (id < width / 2) scratch[id] += scratch[id + (width + 1) / 2];\n    }\n"
    "    if (id == 0) out[get_group_id(0)] = scratch[0];\n}\n";

static bool reduce(cl_device_id id)
{
    enum { N = 1000003 }; // a prime: no group size divides it
    static cl_uint elements[N], partial[N], expected, sum;
    static char log[1 << 20], version[200];
    size_t limit;
    ASK(CL_DEVICE_MAX_WORK_GROUP_SIZE, limit), ASK(CL_DEVICE_VERSION, version);
    cl_int status, old = strncmp(version, "OpenCL 1", 8) == 0;
    size_t group = limit < 256 ? limit : 256, groups = (N + group - 1) / group, items = groups * group;
    for (cl_uint i = 0; i < N; i++) // no two alike: a sum of ones does not tell which of them are in it
        expected += elements[i] = (i ^ (i >> 7)) * 2654435761u;
    // 1 Context: whatever is made below lives in it, for this device.
    NEW(cl_context context, clCreateContext(NULL, 1, &id, NULL, NULL, &status));
    // 2 Queue: the device takes work from nowhere else, and in order. OpenCL 1 has only the older call.
    cl_command_queue queue = old ? clCreateCommandQueue(context, id, 0, &status)
                                 : clCreateCommandQueueWithProperties(context, id, NULL, &status);
    check(status, old ? "clCreateCommandQueue" : "clCreateCommandQueueWithProperties");
    // 3 Buffers: memory of the device. A kernel can reach no other.
    NEW(cl_mem in, clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof elements, NULL, &status));
    NEW(cl_mem out, clCreateBuffer(context, CL_MEM_WRITE_ONLY, groups * sizeof *partial, NULL, &status));
    // 4 Write: the elements go there. CL_TRUE waits until they have left our array.
    CL(clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, sizeof elements, elements, 0, NULL, NULL));
    // 5 Program: source text, to be compiled only now that the device is known.
    NEW(cl_program program, clCreateProgramWithSource(context, 1, &source, NULL, &status));
    // 6 Build: compiles and links. What the compiler has to say stands in a log.
    status = clBuildProgram(program, 1, &id, "-cl-std=CL1.2", NULL, NULL);
    if (status && !clGetProgramBuildInfo(program, id, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL))
        fputs(log, stderr);
    check(status, "clBuildProgram");
    // 7 Kernel: one function of the program; it remembers its arguments.
    NEW(cl_kernel kernel, clCreateKernel(program, "reduce", &status));
    // 8 Arguments: copied, one by one. NULL with a size: that much local memory for each group.
    CL(clSetKernelArg(kernel, 0, sizeof in, &in)), CL(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &(cl_ulong) { N }));
    CL(clSetKernelArg(kernel, 2, sizeof out, &out)), CL(clSetKernelArg(kernel, 3, group * sizeof *partial, NULL));
    // 9 Launch: whole groups only, so the last reaches beyond n. The call returns at once; the device works.
    CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    // 10 Read: CL_TRUE waits for the kernel and the copy. The host adds what the groups have left.
    CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, groups * sizeof *partial, partial, 0, NULL, NULL));
    for (size_t g = 0; g < groups; g++)
        sum += partial[g];
    CL(clReleaseKernel(kernel)), CL(clReleaseProgram(program)), CL(clReleaseMemObject(out)); // nobody else does
    CL(clReleaseMemObject(in)), CL(clReleaseCommandQueue(queue)), CL(clReleaseContext(context));
    printf("One reduction: %d elements, %zu groups of %zu\n  device %u, host %u: %s\n", N, groups, group, sum, expected,
           sum == expected ? "right" : "WRONG");
    return sum == expected;
}

int main(int argc, char **argv)
{
    bool list = argc == 2 && !strcmp(argv[1], "--list"), help = argc == 2 && !strcmp(argv[1], "--help");
    bool asked = (argc == 2 && *argv[1] >= '0' && *argv[1] <= '9') || (argc == 3 && !strcmp(argv[1], "--device"));
    const char *wanted = asked ? argv[argc - 1] : getenv("REDUCE_DEVICE") ? getenv("REDUCE_DEVICE") : "";
    if (argc > 1 && !list && !asked)
        return fputs("usage: step00 [N | --device N|NAME | --list]\n", help ? stdout : stderr), END(help ? 0 : 2);
    cl_platform_id platform[64];
    cl_device_id device[64], chosen = NULL;
    cl_uint platforms = 0, devices = 0, number = 0;
    bool intel_gpu = false;
    int best = 0, digits = strspn(wanted, "0123456789") == strlen(wanted);
    cl_int bad = clGetPlatformIDs(64, platform, &platforms); // the worst error so far: said if nothing is found
    for (cl_uint p = 0, count = 0; p < platforms && p < 64; p++, count = 0) {
        char title[100] = "", suffix[20] = "", name[400];
        CL(clGetPlatformInfo(platform[p], CL_PLATFORM_NAME, sizeof title, title, NULL));
        (void)clGetPlatformInfo(platform[p], CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
        cl_int status = clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 64, device, &count);
        bad = status < bad ? status : bad; // a broken platform does not hide the others
        int length = snprintf(name, sizeof name, "%s [%s] / ", title, suffix);
        printf("platform %u: %.60s\n%s", p, title, count ? "" : "  no device: normal if its hardware is not here\n");
        intel_gpu = intel_gpu || (count > 0 && strstr(title, "Graphics")); // else "Intel(R) OpenCL": a CPU
        for (cl_uint d = 0; d < count && d < 64; d++, devices++) {
            CL(clGetDeviceInfo(device[d], CL_DEVICE_NAME, sizeof name - length, name + length, NULL));
            printf("  device %u: %.66s\n", devices, name + length);
            int rank = examine(device[d]);
            if (*wanted) // the steps' rule: by number or by a part of the name, else by rank
                rank = digits ? strtoul(wanted, NULL, 10) == devices : strcasestr(name, wanted) != NULL;
            if (rank > best)
                best = rank, chosen = device[d], number = devices;
        }
    }
    if (!intel_gpu && fflush(stdout) == 0 && system(intel_without_gpu) != 0)
        printf("no shell here to ask about Intel's GPU runtime\n");
    if (devices == 0)
        FAIL("no OpenCL device here, %s says %d: `make deps` installs some; pocl wants to write to HOME or POCL_CACHE_DIR\n",
             platforms ? "clGetDeviceIDs" : "clGetPlatformIDs", bad);
    if (!chosen)
        FAIL("no device '%s': a number from 0 to %u, or a part of a name above\n", wanted, devices - 1);
    printf("%s device %u. Next: make step01 && ./step01\n", *wanted ? "You ask for" : "The steps take", number);
    printf("Another device: ./step01 --device N, or export REDUCE_DEVICE=N for all steps\n");
    return list || reduce(chosen) ? END(0) : END(1);
}
