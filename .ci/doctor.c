/* The doctor of the set-up. Step 00 calls find_device(), the last function of this file. Of common/
 * the doctor uses one small file only, because it must build and run even if the rest does not.
 *
 * A runtime is the driver of some devices and appears as a platform. A program reaches all runtimes
 * through one library, the loader (libOpenCL.so). The loader searches a folder for files whose
 * names end in .icd (installable client driver). Each of them contains the name of a runtime's
 * library. If the loader cannot load a library, it skips the platform and prints nothing. Therefore
 * the doctor loads each library again and prints what is wrong.
 */
#define _GNU_SOURCE // strcasestr
#include "doctor.h"

#include "control_characters.h"
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_DEVICES = 64 };

struct found {
    cl_device_id device;
    char name[600];   // as the steps print it: platform [suffix] / device
    const char *type; // CPU, GPU or other
    bool is_usable;   // by the steps
};
static struct found found[MOST_DEVICES];
static unsigned found_count;

/* Returns a copy of the text with question marks instead of control characters. */
static const char *printable(const char *text)
{
    static char copy[4096];
    snprintf(copy, sizeof copy, "%s", text);
    replace_control_characters(copy);
    return copy;
}

/* Ends the program with one line on standard error. */
static _Noreturn void fail(const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    replace_control_characters(text);
    fflush(stdout);
    fprintf(stderr, "step00: %s\n", text);
    exit(2);
}

static void check(cl_int status, const char *call)
{
    if (status != CL_SUCCESS)
        fail("%s failed with error %d. CL/cl.h names this error.", call, status);
}

/* ---- the folder of pocl, which compiles into files */

/* Returns the folder that pocl chooses. */
static const char *find_pocl_folder(void)
{
    static char folder[4096];
    const char *own = getenv("POCL_CACHE_DIR"), *cache = getenv("XDG_CACHE_HOME"),
               *home = getenv("HOME");
    if (own != NULL && *own != '\0')
        snprintf(folder, sizeof folder, "%s", own);
    else if (cache != NULL && *cache != '\0')
        snprintf(folder, sizeof folder, "%s/pocl/kcache", cache);
    else if (home != NULL)
        snprintf(folder, sizeof folder, "%s/.cache/pocl/kcache", home);
    else
        snprintf(folder, sizeof folder, "/tmp/pocl/kcache");
    return folder;
}

/* Creates a folder and the folders above it, as pocl does, then writes a file into it, which is as
 * long as what pocl writes for the kernels of a step, and removes the file. Returns 0, or the error
 * of the first call that failed. */
static int try_to_write(const char *folder)
{
    static const char zeros[1 << 21];
    char path[4200];
    snprintf(path, sizeof path, "%s/", folder);
    for (char *slash = path; (slash = strchr(slash + 1, '/')) != NULL; *slash = '/') {
        *slash = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST)
            return errno;
    }
    snprintf(path, sizeof path, "%s/step00.XXXXXX", folder);
    const int file = mkstemp(path);
    if (file < 0)
        return errno;
    const ssize_t written = write(file, zeros, sizeof zeros);
    const int error = written < 0 ? errno : written < (ssize_t)sizeof zeros ? ENOSPC : 0;
    close(file);
    unlink(path);
    return error;
}

/* Prints why pocl has no device, or why its devices cannot compile. These are the last devices that
 * were found. */
static void examine_pocl(cl_uint device_count)
{
    const char *folder = find_pocl_folder(), *devices = getenv("POCL_DEVICES");
    const int error = try_to_write(folder);
    for (cl_uint d = 1; error != 0 && d <= device_count && d <= found_count; d++)
        found[found_count - d].is_usable = false;
    if (error != 0)
        printf("  %s, because pocl cannot write to its folder:\n    %s: %s\n"
               "    Free some space there, or set POCL_CACHE_DIR to a folder of yours.\n",
               device_count == 0 ? "no device" : "pocl cannot compile", printable(folder),
               strerror(error));
    else if (device_count == 0 && devices != NULL)
        printf("  no device, because POCL_DEVICES is set to '%s': unset it\n", printable(devices));
    else if (device_count == 0)
        printf("  no device, although pocl can write to its folder %s\n", printable(folder));
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
    cl_device_type type;
    if (found_count == MOST_DEVICES)
        return;
    ask(device, CL_DEVICE_NAME, sizeof name, name);
    ask(device, CL_DEVICE_TYPE, sizeof type, &type);
    printf("  device %u: %.66s\n", found_count, name);
    struct found *new = &found[found_count++];
    snprintf(new->name, sizeof new->name, "%s / %s", platform_name, name);
    new->device = device;
    new->type = type &CL_DEVICE_TYPE_CPU ? "CPU" : type &CL_DEVICE_TYPE_GPU ? "GPU" : "other";
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
    if (strcmp(title, "Portable Computing Language") == 0) // its usual name is pocl
        examine_pocl(count);
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
    typedef cl_int (*platforms_function)(cl_uint, cl_platform_id *, cl_uint *);
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

/* Prints why a library leads to no platform. `source` is the .icd file or the variable that names
 * the library. `loaded` is NULL if the library does not load. */
static void print_reason(const char *source, char *library, void *loaded)
{
    const char *error = loaded == NULL ? dlerror() : "";
    char *carriage_return = strchr(library, '\r');
    const size_t length = strlen(library);
    if (carriage_return != NULL)
        *carriage_return = '\0';
    printf("no platform from %s\n", printable(source));
    printf("  library '%s'\n    not usable, because ", printable(library));

    if (loaded == NULL && carriage_return != NULL) {
        printf("a carriage return follows its name. Remove it:\n");
        printf("    sed -i 's/\\r$//' '%s'\n", printable(source));
    } else if (loaded == NULL) {
        // The C library's message often begins with the name that the line above shows.
        const bool repeats_name = strncmp(error, library, length) == 0 && error[length] == ':';
        printf("it cannot be loaded:\n    %s\n",
               printable(error + (repeats_name ? length + 2 : 0)));
    } else if (dlsym(loaded, "clGetExtensionFunctionAddress") == NULL) {
        printf("it is not an OpenCL runtime\n");
    } else if (strstr(library, "igdrcl") == NULL) {
        printf("it finds no hardware that you may use\n");
    } else {
        printf("Intel's GPU runtime finds no GPU that you may use\n");
        print_ocloc_targets();
    }
}

/* Prints why a library leads to no platform, if it does not. */
static void examine_library(const char *source, char *library)
{
    // The library stays loaded, because a runtime may have started threads.
    void *loaded = dlopen(library, RTLD_LAZY);
    if (loaded == NULL || count_platforms(loaded) == 0)
        print_reason(source, library, loaded);
}

static void examine_icd_file(const char *path)
{
    char library[4096];
    FILE *file = fopen(path, "r");
    const int error = errno;
    if (file == NULL) {
        printf("no platform from %s\n  the file cannot be read: %s\n", printable(path),
               strerror(error));
        return;
    }
    if (fgets(library, sizeof library, file) == NULL)
        library[0] = '\0';
    fclose(file);
    library[strcspn(library, "\n")] = '\0'; // The loader, too, reads one line and removes only \n.
    if (*library == '\0')
        printf("no platform from %s\n  the file is empty, but must name a runtime's library\n",
               printable(path));
    else
        examine_library(path, library);
}

static bool ends_in_icd(const char *name)
{
    const char *end = strrchr(name, '.');
    return end != NULL && strcmp(end, ".icd") == 0;
}

static int is_icd_file(const struct dirent *entry) { return ends_in_icd(entry->d_name); }

static const char usual_folder[] = "/etc/OpenCL/vendors";

/* Returns the variable that replaces the usual folder, or NULL. Prints its value. */
static const char *find_icd_variable(void)
{
    static const char *const variables[] = { "OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH" };
    for (int i = 0; i < 2; i++) {
        const char *value = getenv(variables[i]);
        if (value != NULL && *value != '\0') {
            printf("%s is set, so the loader uses only this folder or file:\n  %s\n", variables[i],
                   printable(value));
            return variables[i];
        }
    }
    return NULL;
}

/* Prints why the value of a variable, which is no folder, leads to no platform. Most loaders accept
 * a folder only. The loader of Debian (ocl-icd) also accepts an .icd file, and looks for it in the
 * usual folder first if the value has no slash. It takes any other value for a library. */
static void examine_value(const char *variable, const char *value)
{
    char path[8192], library[4096];
    snprintf(path, sizeof path, "%s/%s", usual_folder, value);
    snprintf(library, sizeof library, "%s", value);
    if (ends_in_icd(value))
        examine_icd_file(strchr(value, '/') == NULL && access(path, R_OK) == 0 ? path : value);
    else if (strchr(value, '/') != NULL && access(value, R_OK) != 0)
        printf("  not usable: %s\n", strerror(errno));
    else
        examine_library(variable, library);
    if (found_count == 0)
        printf("%s must name a folder that contains .icd files, such as\n  %s\n", variable,
               usual_folder);
}

/* OCL_ICD_FILENAMES names libraries, with a colon after each but the last. */
static void examine_libraries_of_variable(void)
{
    const char *value = getenv("OCL_ICD_FILENAMES");
    if (value == NULL || *value == '\0')
        return;
    printf("OCL_ICD_FILENAMES is set to libraries that some loaders use besides the .icd files.\n"
           "The loader of Debian, ocl-icd, ignores it:\n  %s\n",
           printable(value));
    char *names = strdup(value); // strtok() writes into it
    if (names == NULL)
        fail("The host has no memory left.");
    for (char *name = strtok(names, ":"); name != NULL; name = strtok(NULL, ":"))
        examine_library("OCL_ICD_FILENAMES", name);
    free(names);
}

/* Returns the variable that hides the usual folder, but names no folder with .icd files. Returns
 * NULL if there is none. */
static const char *examine_icd_files(void)
{
    struct dirent **files;
    char path[8192];
    const char *variable = find_icd_variable(),
               *folder = variable != NULL ? getenv(variable) : usual_folder;
    const int count = scandir(folder, &files, is_icd_file, alphasort);
    if (count < 0 && variable != NULL)
        examine_value(variable, folder);
    else if (count <= 0 && found_count == 0)
        printf("no runtime is registered, because no .icd file was found in the folder\n  %s\n",
               printable(folder));
    for (int i = 0; i < count; i++) {
        snprintf(path, sizeof path, "%s/%s", folder, files[i]->d_name);
        examine_icd_file(path);
        free(files[i]);
    }
    if (count >= 0)
        free(files);
    return count > 0 ? NULL : variable;
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
    return strcasecmp(found[number].type, wanted) == 0 ||
           strcasestr(found[number].name, wanted) != NULL;
}

static void list_devices(void)
{
    const char *folder = getenv("POCL_CACHE_DIR");
    if (folder != NULL && *folder == '\0') {
        puts("POCL_CACHE_DIR is empty, and pocl 3.1 ends every program because of that: unset it");
        fflush(stdout);
    }
    const cl_int error = list_platforms();
    const char *variable = examine_icd_files();
    examine_libraries_of_variable();
    if (found_count > 0)
        return;
    check(error, "clGetDeviceIDs");
    if (variable != NULL)
        fail("no OpenCL device was found, because of %s: unset or correct this variable. If that "
             "does not help, `make deps` installs two CPU runtimes.",
             variable);
    fail("no OpenCL device was found. The lines above say why, if any runtime is installed; "
         "`make deps` installs two CPU runtimes.");
}

/* Returns the first usable device that `wanted` describes: by its number, by its type or a part of
 * its name, or any device if `wanted` is empty. */
static cl_device_id choose_device(const char *wanted)
{
    for (unsigned number = 0; number < found_count; number++)
        if (found[number].is_usable && is_wanted(number, wanted)) {
            printf("Step 00 runs on device %u.\n", number);
            return found[number].device;
        }
    if (*wanted == '\0')
        fail("no device is usable. `make deps` installs two CPU runtimes.");
    fail("no usable device matches '%s' (--device or REDUCE_DEVICE): it must be a number or a part "
         "of a name of this list, or cpu, or gpu.",
         wanted);
}

cl_device_id find_device(int argc, char **argv)
{
    static const char usage[] = "usage: step00 [[--device] DEVICE | --list | --help]";
    const char *last = argv[argc - 1], *preset = getenv("REDUCE_DEVICE");
    if (argc == 2 && strcmp(last, "--help") == 0) {
        puts(usage);
        puts("DEVICE is a number from the list or a part of a name, or cpu, or gpu. If it is\n"
             "left out, step 00 uses the variable REDUCE_DEVICE, otherwise the first usable\n"
             "device.");
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
