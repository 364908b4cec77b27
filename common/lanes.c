/* How large is a sub-group? Only a kernel can be asked, so one is built for it. */
#include "lanes.h"

#include <stdio.h>

/* As large as the group that it is in? */
static bool fills_group(cl_device_id id, unsigned c_version)
{
    const char *text =
        "kernel void ask(global uint *out) { out[get_global_id(0)] = get_sub_group_size(); }";
    const size_t wanted = 256;
    size_t limit = 0, group, lanes = 0;
    char options[16];
    cl_int status;

    CL(clGetDeviceInfo(id, CL_DEVICE_MAX_WORK_GROUP_SIZE, sizeof limit, &limit, NULL));
    group = limit < wanted ? limit : wanted;
    snprintf(options, sizeof options, "-cl-std=CL%s", c_version < 300 ? "2.0" : "3.0");
    cl_context context = clCreateContext(NULL, 1, &id, NULL, NULL, &status);
    check_cl(status, "clCreateContext");
    cl_program program = clCreateProgramWithSource(context, 1, &text, NULL, &status);
    check_cl(status, "clCreateProgramWithSource");
    status = clBuildProgram(program, 1, &id, options, NULL, NULL);
    if (status != CL_BUILD_PROGRAM_FAILURE) { // what does not build has no lanes either
        check_cl(status, "clBuildProgram");
        cl_kernel kernel = clCreateKernel(program, "ask", &status);
        check_cl(status, "clCreateKernel");
        CL(clGetKernelSubGroupInfo(kernel, id, CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                   sizeof group, &group, sizeof lanes, &lanes, NULL));
        CL(clReleaseKernel(kernel));
    } else {
        lanes = group;
    }
    CL(clReleaseProgram(program));
    CL(clReleaseContext(context));
    return lanes >= group;
}

bool has_lanes(const struct device *device)
{
    bool chosen = device->intel_platform &&
                  device->intel_sub_groups; // the size can be asked for: lanes of hardware
    return device->sub_groups &&
           (!device->cpu || chosen || !fills_group(device->id, device->c_version));
}
