/* 00 device
 * Idea     Meet the devices, then see every host call of one whole reduction, from context to
 * release. Change   (against nothing) One file, no common/. From 01 on a step plans, and the
 * harness makes these calls. Expect   Each device "usable, because …" or what is missing; then one
 * sum, the same from device and host. Try      ./step00 0, ./step00 1 … Break the kernel below: `i
 * < n - 1`, or no barrier. Which devices notice?
 */
#define _GNU_SOURCE // strcasestr
#include <CL/opencl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAIL(...)                                                                                  \
    (fflush(stdout), fprintf(stderr, "step00: " __VA_ARGS__), exit(2)) // usage or set-up
#define END(status)                                                                                \
    (fflush(stdout) || ferror(stdout) ? FAIL("cannot write all of standard output\n"), 2 : (status))
#define ASK(what, answer)                                                                          \
    CL(clGetDeviceInfo(id, what, sizeof(answer), &(answer), NULL)) // all devices know that
#define CL(call) check(call, #call)
#define NEW(object, call) /* the call returns an object and puts its status elsewhere */           \
    object = call;                                                                                 \
    check(status, #call)

static void check(cl_int status,
                  const char *call) // an error that nobody asks for shows later, elsewhere
{
    if (status != CL_SUCCESS)
        FAIL("%.*s: error %d (CL/cl.h has its name)\n", (int)strcspn(call, "("), call, status);
}

static bool examine(cl_device_id id) // the doctor: can the steps use it?
{
    char c[80] = ""; // OpenCL C's version
    cl_uint there, compiler, units;
    cl_ulong type, buffer;
    size_t group;
    ASK(CL_DEVICE_AVAILABLE, there), ASK(CL_DEVICE_COMPILER_AVAILABLE, compiler),
        ASK(CL_DEVICE_TYPE, type);
    ASK(CL_DEVICE_OPENCL_C_VERSION, c), ASK(CL_DEVICE_MAX_COMPUTE_UNITS, units);
    ASK(CL_DEVICE_MAX_WORK_GROUP_SIZE, group), ASK(CL_DEVICE_MAX_MEM_ALLOC_SIZE, buffer);
    bool gpu = type & CL_DEVICE_TYPE_GPU, cpu = type & CL_DEVICE_TYPE_CPU,
         old = strcmp(c, "OpenCL C 1.2") < 0;
    const char *kind = cpu ? "CPU" : gpu ? "GPU" : "other";
    const char *lack = !there      ? "its hardware, for"
                       : !compiler ? "a compiler for"
                       : old       ? "1.2, this is"
                                   : NULL;
    printf("    %s %s %.12s\n", lack ? "not usable, missing:" : "usable, because it",
           lack ? lack : "compiles", c);
    printf("    %s, %u compute units, groups up to %zu, buffers up to %.2f GiB\n", kind, units,
           group, buffer / 0x1p30);
    return !lack;
}

// For a shell. Where Intel's GPU runtime finds no GPU, it shows no platform; its compiler, ocloc,
// works all the same.
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

static bool reduce(cl_device_id id, cl_uint number)
{
    enum { N = 1000003 }; // a prime: no group size divides it
    static cl_uint elements[N], partial[N], expected, sum;
    static char log[1 << 20], version[200];
    size_t limit;
    ASK(CL_DEVICE_MAX_WORK_GROUP_SIZE, limit), ASK(CL_DEVICE_VERSION, version);
    cl_int status, old = strncmp(version, "OpenCL 1", 8) == 0;
    size_t group = limit < 256 ? limit : 256, groups = (N + group - 1) / group,
           items = groups * group;
    for (cl_uint i = 0; i < N;
         i++) // no two alike: a sum of ones does not tell which of them are in it
        expected += elements[i] = (i ^ (i >> 7)) * 2654435761u;
    // 1 Context: whatever is made below lives in it, for this device.
    NEW(cl_context context, clCreateContext(NULL, 1, &id, NULL, NULL, &status));
    // 2 Queue: the device takes work from nowhere else, and in order. OpenCL 1 has only the older
    // call.
    cl_command_queue queue = old ? clCreateCommandQueue(context, id, 0, &status)
                                 : clCreateCommandQueueWithProperties(context, id, NULL, &status);
    check(status, old ? "clCreateCommandQueue" : "clCreateCommandQueueWithProperties");
    // 3 Buffers: memory of the device. A kernel can reach no other.
    NEW(cl_mem in, clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof elements, NULL, &status));
    NEW(cl_mem out,
        clCreateBuffer(context, CL_MEM_WRITE_ONLY, groups * sizeof *partial, NULL, &status));
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
    CL(clSetKernelArg(kernel, 0, sizeof in, &in)),
        CL(clSetKernelArg(kernel, 1, sizeof(cl_ulong), &(cl_ulong) { N }));
    CL(clSetKernelArg(kernel, 2, sizeof out, &out)),
        CL(clSetKernelArg(kernel, 3, group * sizeof *partial, NULL));
    // 9 Launch: whole groups only, so the last reaches beyond n. The call returns at once; the
    // device works.
    CL(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group, 0, NULL, NULL));
    // 10 Read: CL_TRUE waits for the kernel and the copy. The host adds what the groups have left.
    CL(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, groups * sizeof *partial, partial, 0, NULL,
                           NULL));
    for (size_t g = 0; g < groups; g++)
        sum += partial[g];
    CL(clReleaseKernel(kernel)), CL(clReleaseProgram(program)),
        CL(clReleaseMemObject(out)); // nobody else does
    CL(clReleaseMemObject(in)), CL(clReleaseCommandQueue(queue)), CL(clReleaseContext(context));
    printf("One reduction, on device %u: %d elements, %zu groups of %zu\n", number, N, groups,
           group);
    printf("  device says %u, host %u: %s\n", sum, expected, sum == expected ? "right" : "WRONG");
    return sum == expected;
}

int main(int argc, char **argv)
{
    bool list = argc == 2 && !strcmp(argv[1], "--list"),
         help = argc == 2 && !strcmp(argv[1], "--help");
    bool asked = (argc == 2 && *argv[1] >= '0' && *argv[1] <= '9') ||
                 (argc == 3 && !strcmp(argv[1], "--device"));
    const char *wanted = asked                     ? argv[argc - 1]
                         : getenv("REDUCE_DEVICE") ? getenv("REDUCE_DEVICE")
                                                   : "";
    if (argc > 1 && !list && !asked)
        return fputs("usage: step00 [N | --device N|NAME | --list]\n", help ? stdout : stderr),
               END(help ? 0 : 2);
    cl_platform_id platform[64];
    cl_device_id device[64], chosen = NULL;
    cl_uint platforms = 0, devices = 0, number = 0;
    bool intel_gpu = false, digits = strspn(wanted, "0123456789") == strlen(wanted);
    cl_int bad = clGetPlatformIDs(64, platform,
                                  &platforms); // the worst error so far: said if nothing is found
    for (cl_uint p = 0, count = 0; p < platforms && p < 64; p++, count = 0) {
        char title[100] = "", suffix[20] = "", name[400];
        CL(clGetPlatformInfo(platform[p], CL_PLATFORM_NAME, sizeof title, title, NULL));
        (void)clGetPlatformInfo(platform[p], CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix,
                                NULL);
        cl_int status = clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 64, device, &count);
        bad = status < bad ? status : bad; // a broken platform does not hide the others
        int length = snprintf(name, sizeof name, "%s [%s] / ", title, suffix);
        printf("platform %u: %.60s\n%s", p, title,
               count ? "" : "  no device: normal if its hardware is not here\n");
        intel_gpu =
            intel_gpu || (count > 0 && strstr(title, "Graphics")); // else "Intel(R) OpenCL": a CPU
        for (cl_uint d = 0; d < count && d < 64; d++, devices++) {
            CL(clGetDeviceInfo(device[d], CL_DEVICE_NAME, sizeof name - length, name + length,
                               NULL));
            printf("  device %u: %.66s\n", devices, name + length);
            bool fits = examine(device[d]);
            if (*wanted) // by number, or by a part of the name; else the first that is usable
                fits = digits ? strtoul(wanted, NULL, 10) == devices
                              : strcasestr(name, wanted) != NULL;
            if (fits && !chosen)
                chosen = device[d], number = devices;
        }
    }
    if (!intel_gpu && fflush(stdout) == 0 && system(intel_without_gpu) != 0)
        printf("no shell here to ask about Intel's GPU runtime\n");
    if (devices == 0)
        FAIL("no OpenCL device here, %s says %d: `make deps` installs one; pocl needs a HOME that "
             "it can write to\n",
             platforms ? "clGetDeviceIDs" : "clGetPlatformIDs", bad);
    if (!chosen)
        FAIL("no usable device '%s': a number from 0 to %u, or a part of a name above\n", wanted,
             devices - 1);
    bool right = list || reduce(chosen, number);
    printf("Next: make step01 && ./step01. It names the device that it takes; --facts: more\n");
    return END(right ? 0 : 1);
}
