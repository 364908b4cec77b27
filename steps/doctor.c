/* The doctor of the set-up. Step 00 calls find_device(), the last function of this file. The doctor
 * uses nothing of common/, because it must build and run even if common/ does not.
 *
 * A runtime is the driver of some devices and appears as a platform. A program reaches all runtimes
 * through one library, the loader (libOpenCL.so). The loader searches a folder for files whose
 * names end in .icd (installable client driver). Each of them contains the name of a runtime's
 * library. If the loader cannot load a library, it skips the platform and prints nothing. Therefore
 * the doctor loads each library again and prints what is wrong.
 */
#define _GNU_SOURCE // strcasestr
#include "doctor.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DEVICES = 64 };

struct found {
    cl_device_id device;
    char name[600]; // as the steps print it: platform [suffix] / device
    bool is_usable; // by the steps
};
static struct found found[MOST_DEVICES];
static unsigned found_count;

/* Ends the program with one line on standard error. */
static _Noreturn void fail(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("step00: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    exit(2);
}

static void check(cl_int status, const char *call)
{
    if (status != CL_SUCCESS)
        fail("%s failed with error %d. CL/cl.h names this error.", call, status);
}

/* ---- the devices that the loader shows */

static void ask(cl_device_id device, cl_device_info what, size_t size, void *answer)
{
    check(clGetDeviceInfo(device, what, size, answer, NULL), "clGetDeviceInfo");
}

/* Prints whether the steps can use a device, and why. Returns whether they can. */
static bool examine_device(cl_device_id device)
{
    cl_bool is_available, has_compiler;
    char version[256];
    int major = 0, minor = 0;
    ask(device, CL_DEVICE_AVAILABLE, sizeof is_available, &is_available);
    ask(device, CL_DEVICE_COMPILER_AVAILABLE, sizeof has_compiler, &has_compiler);
    ask(device, CL_DEVICE_OPENCL_C_VERSION, sizeof version, version);
    sscanf(version, "OpenCL C %d.%d", &major, &minor);

    const bool has_version = major > 1 || (major == 1 && minor >= 2);
    if (!is_available)
        printf("    not usable, because its hardware is not available\n");
    else if (!has_compiler)
        printf("    not usable, because it has no compiler for kernels\n");
    else if (!has_version)
        printf("    not usable, because it compiles OpenCL C %d.%d but the steps need 1.2\n", major,
               minor);
    else
        printf("    usable, because it compiles OpenCL C %d.%d\n", major, minor);
    return is_available && has_compiler && has_version;
}

static void add_device(cl_device_id device, const char *platform_name)
{
    char name[256];
    if (found_count == MOST_DEVICES)
        return;
    ask(device, CL_DEVICE_NAME, sizeof name, name);
    printf("  device %u: %.66s\n", found_count, name);
    struct found *new = &found[found_count++];
    snprintf(new->name, sizeof new->name, "%s / %s", platform_name, name);
    new->device = device;
    new->is_usable = examine_device(device);
}

/* Prints a platform and its devices. If its devices cannot be listed, other platforms may still
 * work. Therefore this function returns the error instead of ending the program. */
static cl_int list_platform(cl_platform_id platform, unsigned number)
{
    char title[256], suffix[32] = "", name[300];
    cl_device_id devices[MOST_DEVICES];
    cl_uint count = 0;
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof title, title, NULL),
          "clGetPlatformInfo");
    // A platform without the extension cl_khr_icd has no suffix, so an error is harmless here.
    (void)clGetPlatformInfo(platform, CL_PLATFORM_ICD_SUFFIX_KHR, sizeof suffix, suffix, NULL);
    snprintf(name, sizeof name, "%s [%s]", title, suffix);
    printf("platform %u: %.60s\n", number, title);

    cl_int status = clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, MOST_DEVICES, devices, &count);
    for (cl_uint d = 0; status == CL_SUCCESS && d < count && d < MOST_DEVICES; d++)
        add_device(devices[d], name);
    if (status != CL_SUCCESS && status != CL_DEVICE_NOT_FOUND) {
        printf("  no device, because clGetDeviceIDs failed with error %d\n", status);
        return status;
    }
    if (count == 0 && strcmp(title, "Portable Computing Language") == 0) // its usual name is pocl
        printf("  no device: can pocl write to the folder HOME or POCL_CACHE_DIR?\n");
    else if (count == 0)
        printf("  no device: this is normal if the hardware for it is not here\n");
    return CL_SUCCESS;
}

/* Returns the error of a platform whose devices could not be listed, or CL_SUCCESS. */
static cl_int list_platforms(void)
{
    cl_platform_id platforms[64];
    cl_uint count = 0;
    cl_int error = CL_SUCCESS;
    const cl_int status = clGetPlatformIDs(64, platforms, &count);
    if (status != CL_PLATFORM_NOT_FOUND_KHR)
        check(status, "clGetPlatformIDs");
    for (cl_uint p = 0; p < count && p < 64; p++) {
        const cl_int platform_error = list_platform(platforms[p], p);
        if (platform_error != CL_SUCCESS)
            error = platform_error;
    }
    return error;
}

/* ---- the .icd files that lead to no platform */

/* Asks the runtime itself for the number of its platforms, as the loader does. Returns 0 if the
 * library is not a runtime. */
static cl_uint count_platforms(void *library)
{
    typedef void *(*address_function)(const char *name);
    typedef cl_int (*platforms_function)(cl_uint most, cl_platform_id * platforms, cl_uint * count);
    address_function get_address;
    platforms_function get_platforms;
    cl_uint count = 0;
    // ISO C has no cast from void * to a pointer to a function. POSIX recommends this assignment.
    *(void **)&get_address = dlsym(library, "clGetExtensionFunctionAddress");
    if (get_address == NULL)
        return 0;
    *(void **)&get_platforms = get_address("clIcdGetPlatformIDsKHR");
    if (get_platforms == NULL || get_platforms(0, NULL, &count) != CL_SUCCESS)
        return 0;
    return count;
}

/* ocloc is Intel's compiler for kernels. It is a program and needs no GPU. Its help has a line such
 * as "<device_type> can be: bdw, skl, kbl". The articles measured on four GPUs of this list. */
static void print_ocloc_targets(void)
{
    static const char *const article_gpus[] = { "bdw", "kbl", "tgllp", "dg1" };
    char line[4096], word[16], *list = NULL;
    FILE *help = popen("timeout 5 ocloc compile --help 2>/dev/null", "r");
    if (help == NULL)
        return;
    for (int i = 0; i < 100 && list == NULL && fgets(line, sizeof line, help); i++)
        list = strstr(line, "can be: ");
    pclose(help);
    if (list == NULL)
        return;
    list[strcspn(list, "\n")] = ','; // so that a comma follows the last name, too
    const char *separator = "    Its compiler, ocloc, builds for the articles' GPUs: ";
    for (int i = 0; i < 4; i++) {
        snprintf(word, sizeof word, " %s,", article_gpus[i]);
        if (strstr(list, word) != NULL) {
            printf("%s%s", separator, article_gpus[i]);
            separator = " ";
        }
    }
    if (strcmp(separator, " ") == 0)
        putchar('\n');
}

/* Prints why an .icd file leads to no platform. `loaded` is NULL if its library does not load. */
static void print_reason(const char *path, char *library, void *loaded)
{
    const char *error = loaded == NULL ? dlerror() : "";
    char *carriage_return = strchr(library, '\r');
    const size_t length = strlen(library);
    if (carriage_return != NULL)
        *carriage_return = '\0';
    printf("no platform from %s\n  library '%s'\n    not usable, because ", path, library);

    if (loaded == NULL && carriage_return != NULL) {
        printf("a carriage return follows its name. Remove it:\n");
        printf("    sed -i 's/\\r$//' '%s'\n", path);
    } else if (loaded == NULL) {
        // The C library's message often begins with the name that the line above shows.
        const bool repeats_name = strncmp(error, library, length) == 0 && error[length] == ':';
        printf("it cannot be loaded:\n    %s\n", error + (repeats_name ? length + 2 : 0));
    } else if (dlsym(loaded, "clGetExtensionFunctionAddress") == NULL) {
        printf("it is not an OpenCL runtime\n");
    } else if (strstr(library, "igdrcl") == NULL) {
        printf("it finds no hardware that you may use\n");
    } else {
        printf("Intel's GPU runtime finds no GPU that you may use\n");
        print_ocloc_targets();
    }
}

static void examine_icd_file(const char *path)
{
    char library[4096] = "";
    FILE *file = fopen(path, "r");
    const bool has_line = file != NULL && fgets(library, sizeof library, file) != NULL;
    if (file != NULL)
        fclose(file);
    library[strcspn(library, "\n")] = '\0'; // The loader, too, reads one line and removes only \n.
    if (!has_line || *library == '\0') {
        printf("no platform from %s\n  the file is empty or cannot be read\n", path);
        return;
    }
    // The library stays loaded, because a runtime may have started threads.
    void *loaded = dlopen(library, RTLD_LAZY);
    if (loaded == NULL || count_platforms(loaded) == 0)
        print_reason(path, library, loaded);
}

static int is_icd_file(const struct dirent *entry)
{
    const char *end = strrchr(entry->d_name, '.');
    return end != NULL && strcmp(end, ".icd") == 0;
}

static const char *find_icd_folder(void)
{
    static const char *const variables[] = { "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH" };
    for (int i = 0; i < 2; i++) {
        const char *folder = getenv(variables[i]);
        if (folder != NULL && *folder != '\0') {
            printf("%s is set, so the loader uses only this folder or file:\n  %s\n", variables[i],
                   folder);
            return folder;
        }
    }
    return "/etc/OpenCL/vendors";
}

static void examine_icd_files(void)
{
    struct dirent **files;
    char path[8192];
    const char *folder = find_icd_folder();
    const int count = scandir(folder, &files, is_icd_file, alphasort);
    if (count < 0 && errno == ENOTDIR)
        examine_icd_file(folder); // OCL_ICD_VENDORS may name one file, too.
    else if (count <= 0 && found_count == 0)
        printf("no runtime is registered, because no .icd file was found in the folder\n  %s\n",
               folder);
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        examine_icd_file(path);
        free(files[i]);
    }
    if (count >= 0)
        free(files);
}

/* ---- the device that the reader wants */

static bool is_wanted(unsigned number, const char *wanted)
{
    char *rest;
    const unsigned long wanted_number = strtoul(wanted, &rest, 10);
    if (*wanted == '\0')
        return true;
    if (*rest == '\0')
        return wanted_number == number;
    return strcasestr(found[number].name, wanted) != NULL;
}

static void list_devices(void)
{
    const cl_int error = list_platforms();
    examine_icd_files();
    if (found_count > 0)
        return;
    check(error, "clGetDeviceIDs");
    fail("no OpenCL device was found. `make deps` installs two CPU runtimes.");
}

/* Returns the first usable device that `wanted` describes: by its number, by a part of its name, or
 * any device if `wanted` is empty. */
static cl_device_id choose_device(const char *wanted)
{
    for (unsigned number = 0; number < found_count; number++)
        if (found[number].is_usable && is_wanted(number, wanted)) {
            printf("Step 00 runs on device %u.\n", number);
            return found[number].device;
        }
    if (*wanted == '\0')
        fail("no device is usable. `make deps` installs two CPU runtimes.");
    fail("no usable device matches '%s' (--device or REDUCE_DEVICE).", wanted);
}

cl_device_id find_device(int argc, char **argv)
{
    static const char usage[] = "usage: step00 [[--device] DEVICE | --list | --help]";
    const char *last = argv[argc - 1], *preset = getenv("REDUCE_DEVICE");
    if (argc == 2 && strcmp(last, "--help") == 0) {
        puts(usage);
        puts("DEVICE is a number from the list or a part of a name. If it is left out, step 00\n"
             "uses the variable REDUCE_DEVICE, otherwise the first usable device.");
        return NULL;
    }
    if (argc == 2 && strcmp(last, "--list") == 0) {
        list_devices();
        return NULL;
    }
    const bool names_device = argc == 2 ? *last != '-' : argc == 3 && !strcmp(argv[1], "--device");
    if (argc != 1 && !names_device) {
        fprintf(stderr, "%s\n", usage);
        exit(2);
    }
    list_devices();
    return choose_device(names_device ? last : preset ? preset : "");
}
