/* Every plan of a call is made here, so that it is known what any of them asked for, and who
 * watches knows what is run.
 */
#include "session.h"

#include "task.h"
#include <stdio.h>

struct geometry session_geometry(const struct session *session, int g, int w)
{
    const struct options *options = session->options;
    return (struct geometry) { .group = options->group.count ? options->group.value[g] : 0,
                               .groups = options->groups.value[0],
                               .force = options->force,
                               .width = options->width.count ? (int)options->width.value[w] : 0 };
}

bool session_plan(struct session *session, struct run *run, const struct trial *trial,
                  const struct input *input)
{
    const struct variant *variant = trial->variant;
    char device[12];
    struct task task = { .length = 0 };
    snprintf(device, sizeof device, "%d", session->device.number);
    task_option(&task, "--device", device);
    task_option(&task, "--variant", variant->name);
    task_option(&task, "--op", trial->operation->op);
    task_option(&task, "--type", trial->operation->type);
    task_option(&task, "--subgroups", session->options->sub_groups);
    task_number(&task, "--n", input->elements.count);
    task_number(&task, "--group", trial->geometry.group);
    task_number(&task, "--groups", trial->geometry.groups);
    task_number(&task, "--width", (uint64_t)trial->geometry.width);
    at_work->task = task;

    *run = (struct run) { .device = &session->device,
                          .operation = trial->operation,
                          .variant = variant,
                          .elements = input->elements };
    task_begin(); // to plan is to compile: even that may crash
    bool planned =
        plan_make(run, &session->kernels, session->kernel[0] ? session->kernel : variant->kernel,
                  session->back_end, trial->geometry);
    task_end();
    session->planned |= planned;
    session->asked |= run->plan->asked;
    return planned;
}

struct prospect session_try(struct session *session, const struct trial *trial)
{
    struct run run;
    struct input input =
        input_make(&session->device, &session->kernels, trial->operation, (struct data) { .n = 1 });
    struct prospect prospect = { .possible = session_plan(session, &run, trial, &input) };
    prospect.broken = run.plan->broken;
    prospect.asked = run.plan->asked;
    prospect.width = run.width;
    plan_release(&run);
    input_release(&input);
    return prospect;
}
