/* Functions that the CUDA peers share. They copy the elements from OpenCL's array into CUDA's own
 * memory of the same GPU, and read CUDA's clock. */
#ifndef CUDA_PEER_H
#define CUDA_PEER_H

#include "outside.h"

#include <cstdio>
#include <cuda_runtime.h>

static void check(cudaError_t status, const char *call)
{
    if (status != cudaSuccess)
        fail("%s: %s", call, cudaGetErrorString(status));
}
#define CUDA(call) check((call), #call)

static void *copy; // of the elements

/* Chooses the GPU that OpenCL uses, by its address on the bus. If OpenCL does not report the
 * address, chooses the first GPU of CUDA. */
static void choose_gpu(cl_command_queue queue)
{
    const cl_device_info bus_nv = 0x4008, slot_nv = 0x4009,
                         domain_nv = 0x400a; // of cl_nv_device_attribute_query
    cl_device_id id;
    cl_uint bus = 0, slot = 0, domain = 0;
    char address[32];
    int device = 0;
    clGetCommandQueueInfo(queue, CL_QUEUE_DEVICE, sizeof id, &id, nullptr);
    clGetDeviceInfo(id, domain_nv, sizeof domain, &domain, nullptr);
    if (clGetDeviceInfo(id, bus_nv, sizeof bus, &bus, nullptr) == CL_SUCCESS &&
        clGetDeviceInfo(id, slot_nv, sizeof slot, &slot, nullptr) == CL_SUCCESS) {
        snprintf(address, sizeof address, "%04x:%02x:%02x.0", domain, bus, slot >> 3);
        // A virtual machine may hide the bus from OpenCL or from CUDA. If there is only one GPU, it
        // must be the right one.
        int gpus = 0;
        CUDA(cudaGetDeviceCount(&gpus));
        if (cudaDeviceGetByPCIBusId(&device, address) != cudaSuccess && gpus != 1)
            fail("CUDA has no GPU at bus address %s, at which OpenCL has this GPU", address);
    }
    (void)cudaGetLastError(); // clears the error of the call above
    CUDA(cudaSetDevice(device));
}

static __global__ void do_nothing() {}

/* Copies each new input. Always launches an empty kernel, because the harness has just used the GPU
 * through OpenCL, and the switch from OpenCL to CUDA is not a part of the reduction. The empty
 * kernel does not access memory, so the cache stays cold.
 */
static void prepare(cl_command_queue queue, cl_mem elements, uint64_t n, bool is_new_input)
{
    const size_t bytes = n * 4; // int or float
    clFinish(queue);            // OpenCL must be idle before CUDA starts
    if (is_new_input) {
        cl_int status;
        choose_gpu(queue);
        void *mapped = clEnqueueMapBuffer(queue, elements, CL_TRUE, CL_MAP_READ, 0, bytes, 0,
                                          nullptr, nullptr, &status);
        if (status != CL_SUCCESS)
            fail("clEnqueueMapBuffer: %d", status);
        CUDA(cudaFree(copy));
        CUDA(cudaMalloc(&copy, bytes));
        CUDA(cudaMemcpy(copy, mapped, bytes, cudaMemcpyHostToDevice));
        clEnqueueUnmapMemObject(queue, elements, mapped, 0, nullptr, nullptr);
        clFinish(queue);
    }
    do_nothing<<<1, 1>>>();
    CUDA(cudaGetLastError());
    CUDA(cudaDeviceSynchronize());
}

/* CUDA's events before and after the launches give the span, in runs whose wall time does not
 * count. In these runs a first kernel keeps the GPU busy until the host has enqueued all launches,
 * so the span includes no time of the host. */
static cudaEvent_t started, ended;

static __global__ void wait_for(long long cycles)
{
    for (long long start = clock64(); clock64() - start < cycles;)
        ;
}

static inline void start_clock()
{
    if (!started) {
        CUDA(cudaEventCreate(&started));
        CUDA(cudaEventCreate(&ended));
    }
    wait_for<<<1, 1>>>(100000); // about 50 us
    CUDA(cudaEventRecord(started));
}

static inline void stop_clock() { CUDA(cudaEventRecord(ended)); }

static inline double read_clock() // call it after the host has waited for both events
{
    float ms;
    CUDA(cudaEventElapsedTime(&ms, started, ended));
    return 1e-3 * ms;
}

#endif
