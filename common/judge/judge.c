#include "judge.h"

#include "combinations.h"
#include "oclgrind.h"
#include "report.h"
#include "supervise.h"
#include "work.h"
#include <stdio.h>

/* Opens the device, calls task(request), and closes it. Returns the exit status. */
static int with_device(struct request *request, int (*task)(struct request *request))
{
    static struct device device; // the request points to it
    const struct options *options = request->options;
    device = open_device(options->device);
    request->device = &device;
    if (!device.is_simulated) // Oclgrind itself writes to standard output
        redirect_output_of_kernels();
    for (int i = 0; i < options->group.count; i++)
        require_group_size(&device, options->group.value[i]);
    for (int i = 0; i < options->n.count; i++)
        require_room(&device, options->n.value[i], request->operations[0]->element_bytes);
    set_time_limit(options->timeout, NULL);
    const int status = task(request);
    close_device(&device);
    flush_output();
    return status;
}

static int check_on_device(struct request *request)
{
    return with_device(request, check_combinations);
}

static int verify_on_device(struct request *request)
{
    return with_device(request, verify_inside_oclgrind);
}

int step_main(int argc, char **argv, const struct step *step)
{
    static const char usage[] =
        "[options] [FILE.cl]\n"
        "Judges the kernel in FILE.cl, or the step's own kernels: one line if they are right,\n"
        "otherwise the first mistake, explained.\n";
    bool only_races = false;
    const char *file = NULL;
    const struct known_option judge_options[] = {
        { "tap", "", "print each test as a line of TAP", VALUE_NONE, &prints_tap },
        { "races", "", "only ask Oclgrind; print all that it finds", VALUE_NONE, &only_races },
        { "", "FILE", "", VALUE_WORD, &file },
        { "kernel", "", "", VALUE_MOVED, "write the name of the file without --kernel" },
        { "check", "", "", VALUE_MOVED, "leave it out: the judge always checks" },
        { NULL },
    };
    const struct known_option *const lists[] = { judge_options, common_options, NULL };
    prints_tap = false; // a test calls this function repeatedly
    struct options options = parse_options(argc, argv, lists);
    if (options.is_question) {
        print_information(&options, step, usage, lists);
        return STATUS_RIGHT;
    }
    if (prints_tap && only_races)
        fail("--tap and --races are two tasks: choose one");
    if (file && !options.variant)
        options.variant = step->variants->name;
    struct request request = choose_request(step, &options, !only_races);
    if (!request.operations[0] && prints_tap)
        printf("1..0 # SKIP: there is no %s of %s\n", options.op, options.type);
    if (!request.operations[0])
        return prints_tap ? STATUS_RIGHT : report_missing_operation(&options);
    if (file)
        replace_kernels(&request, file);
    return only_races ? find_races(&request, verify_on_device)
                      : supervise(&request, check_on_device);
}
