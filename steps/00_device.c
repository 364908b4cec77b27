/* 00 device
 * Idea     See every host call of one whole reduction, and which devices can run it.
 * Change   (against nothing) One file, no common/. From 01 on a step plans, the harness calls.
 * Expect   Each device "usable, because …" or what is missing; one sum, the same from both sides.
 * Try      ./step00 0, ./step00 1 … Break the kernel: `i < n - 1`, or `i += 1`. Who notices?
 */
#define _GNU_SOURCE // strcasestr
#include <CL/opencl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static cl_int status; // of the last call: an error that nobody asks for shows later, elsewhere
#define FAIL(...) (fflush(stdout), fprintf(stderr, "step00: " __VA_ARGS__), exit(2))
#define DO(statement) /* a call that sets status */                                                \
    statement;                                                                                     \
    if (status != CL_SUCCESS)                                                                      \
    FAIL("%s: error %d (CL/cl.h has its name)\n", #statement, status)
#define ASK(device, what, to) DO(status = clGetDeviceInfo(device, what, sizeof(to), &(to), NULL))

enum { N = 1000003, ITEMS = 4096 }; // N is a prime: some work-items take one element more
static cl_uint elements[N], partial[ITEMS];
static const char *source = // a work-item takes every ITEMS-th element: partial results are left
    "kernel void reduce(global const uint *in, ulong n, global uint *out)\n{\n"
    "    uint sum = 0;\n"
    "    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) sum += in[i];\n"
    "    out[get_global_id(0)] = sum;\n}\n";

static bool reduce(cl_device_id device) // the lesson
{
    cl_uint sum = 0, expected = 0;
    for (cl_uint i = 0; i < N; i++) // no two alike: a sum of ones does not tell which are in it
        expected += elements[i] = (i ^ (i >> 7)) * 2654435761u;
    // 1 Context: whatever is made below lives in it, for this device.
    DO(cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &status));
    // 2 Queue: the device takes work from nowhere else, in order. OpenCL 2 adds …WithProperties.
    DO(cl_command_queue queue = clCreateCommandQueue(context, device, 0, &status));
    // 3 Buffers: memory of the device. A kernel can reach no other.
    DO(cl_mem in = clCreateBuffer(context, CL_MEM_READ_ONLY, sizeof elements, NULL, &status));
    DO(cl_mem out = clCreateBuffer(context, CL_MEM_WRITE_ONLY, sizeof partial, NULL, &status));
    // 4 Write: the elements go there. CL_TRUE waits until they have left our array.
    DO(status = clEnqueueWriteBuffer(queue, in, CL_TRUE, 0, sizeof elements, elements, 0, 0, 0));
    // 5 Program: source text, to be compiled only now that the device is known.
    DO(cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &status));
    // 6 Build: compiles and links. What the compiler has to say stands in a log.
    static char log[1 << 20];
    status = clBuildProgram(program, 1, &device, "-cl-std=CL1.2", NULL, NULL);
    if (status != CL_SUCCESS) {
        clGetProgramBuildInfo(program, device, CL_PROGRAM_BUILD_LOG, sizeof log, log, NULL);
        FAIL("clBuildProgram: error %d: %s\n", status, log);
    }
    // 7 Kernel: one function of the program; it remembers its arguments.
    DO(cl_kernel kernel = clCreateKernel(program, "reduce", &status));
    // 8 Arguments: copied, one by one.
    DO(status = clSetKernelArg(kernel, 0, sizeof in, &in));
    DO(status = clSetKernelArg(kernel, 1, sizeof(cl_ulong), &(cl_ulong) { N }));
    DO(status = clSetKernelArg(kernel, 2, sizeof out, &out));
    // 9 Launch: so many work-items run the kernel. The call returns at once; the device works.
    DO(status = clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &(size_t) { ITEMS }, NULL, 0, 0, 0));
    // 10 Read: CL_TRUE waits for the kernel and the copy. The host adds what they have left.
    DO(status = clEnqueueReadBuffer(queue, out, CL_TRUE, 0, sizeof partial, partial, 0, 0, 0));
    for (int i = 0; i < ITEMS; i++)
        sum += partial[i];
    DO(status = clReleaseKernel(kernel)); // nobody else does
    DO(status = clReleaseProgram(program));
    DO(status = clReleaseMemObject(out));
    DO(status = clReleaseMemObject(in));
    DO(status = clReleaseCommandQueue(queue));
    DO(status = clReleaseContext(context));
    char name[200];
    ASK(device, CL_DEVICE_NAME, name);
    printf("One reduction on %.40s: %d elements\n", name, N);
    printf("  device says %u, host %u: %s\n", sum, expected, sum == expected ? "right" : "WRONG");
    return sum == expected;
}

static bool examine(cl_device_id device) // can the steps use it?
{
    cl_bool there, compiler;
    char c[80] = "";
    ASK(device, CL_DEVICE_AVAILABLE, there);
    ASK(device, CL_DEVICE_COMPILER_AVAILABLE, compiler);
    ASK(device, CL_DEVICE_OPENCL_C_VERSION, c);
    bool usable = there && compiler && strcmp(c, "OpenCL C 1.2") >= 0;
    const char *what = usable ? c : !there ? "hardware" : !compiler ? "compiler" : "OpenCL C 1.2";
    printf("    %s %.12s\n", usable ? "usable, because it compiles" : "not usable, missing:", what);
    return usable;
}

static const char *intel_without_gpu = // for a shell: that runtime shows no platform; ocloc works
    "grep -qs igdrcl \"${OCL_ICD_VENDORS:-/etc/OpenCL/vendors}\"/*.icd || exit 0\n"
    "echo \"Intel's GPU runtime is installed, and finds no GPU that you may use\"\n"
    "known=$(timeout 5 ocloc compile --help 2>/dev/null | head -c 9999 | grep -m1 'can be: ')\n"
    "gpus=$(echo \"$known\" | grep -owE 'bdw|kbl|tgllp|dg1') || exit 0\n"
    "echo \"  its compiler, ocloc, builds for the articles' GPUs:\" $gpus\n";

/* Lists all devices; returns the wanted one, or the first usable one if none is wanted. */
static cl_device_id doctor(const char *wanted)
{
    char title[100], suffix[20] = "", model[200], name[400], *rest;
    cl_platform_id platform[64];
    cl_device_id devices[64], chosen = NULL;
    cl_uint platforms = 0, count = 0, number = 0, intel_gpus = 0;
    unsigned long wanted_number = strtoul(wanted, &rest, 10);
    status = clGetPlatformIDs(64, platform, &platforms);
    for (cl_uint p = 0; p < platforms && p < 64; p++, count = 0, *suffix = '\0') {
        DO(status = clGetPlatformInfo(platform[p], CL_PLATFORM_NAME, sizeof title, title, NULL));
        clGetPlatformInfo(platform[p], CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
        status = clGetDeviceIDs(platform[p], CL_DEVICE_TYPE_ALL, 64, devices, &count);
        printf("platform %u: %.60s\n%s", p, title, // a broken one does not hide the others
               count ? "" : "  no device: normal if its hardware is not here\n");
        for (cl_uint d = 0; d < count && d < 64; d++, number++) {
            ASK(devices[d], CL_DEVICE_NAME, model);
            printf("  device %u: %.66s\n", number, model);
            snprintf(name, sizeof name, "%s [%s] / %s", title, suffix, model);
            bool fits = examine(devices[d]);
            if (*wanted) // by number, or by a part of the name
                fits = *rest ? strcasestr(name, wanted) != NULL : wanted_number == number;
            chosen = fits && !chosen ? devices[d] : chosen;
            intel_gpus += strstr(title, "Graphics") != NULL; // the CPU's: "Intel(R) OpenCL"
        }
    }
    if (intel_gpus == 0 && fflush(stdout) == 0 && system(intel_without_gpu) != 0)
        printf("no shell here to ask about Intel's GPU runtime\n");
    if (number == 0)
        FAIL("no OpenCL device, %s says %d: `make deps` installs one; pocl needs a HOME\n",
             platforms ? "clGetDeviceIDs" : "clGetPlatformIDs", status);
    if (!chosen)
        FAIL("no usable device '%s': a number or a part of a name above will do\n", wanted);
    return chosen;
}

int main(int argc, char **argv)
{
    const char *last = argv[argc - 1], *set = getenv("REDUCE_DEVICE");
    bool list = argc == 2 && !strcmp(last, "--list"), help = argc == 2 && !strcmp(last, "--help");
    bool named = argc == 2 ? *last != '-' : argc == 3 && !strcmp(argv[1], "--device");
    int end = help ? 0 : 2;
    if (list || named || argc == 1) {
        cl_device_id device = doctor(named ? last : set ? set : "");
        end = list || reduce(device) ? 0 : 1;
        printf("Next: make step01 && ./step01. It names the device that it takes; --facts: more\n");
    } else
        fputs("usage: step00 [[--device] N|NAME | --list]\n", help ? stdout : stderr);
    if (fflush(stdout) || ferror(stdout))
        FAIL("cannot write all of standard output\n");
    return end;
}
