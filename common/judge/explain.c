/* Explains a wrong result. If the plan or Oclgrind shows the mistake, the judge prints only that.
 * Otherwise it prints the evidence of probe.c, and the likely cause of causes.c. README.md shows an
 * example. */
#include "explain.h"

#include "causes.h"
#include "examine.h"
#include "oclgrind.h"
#include "probe.h"
#include "verify.h"
#include "work.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Prints the role of the elements from … to - 1, such as ": the last partial group". If the role
 * depends on the order in which the kernel reads, the text says so. */
static void print_role(const struct evidence *found, uint64_t from, uint64_t to)
{
    const uint64_t n = found->n, group_size = found->group_size, width = found->width,
                   row = found->row, block = found->block, length = to - from,
                   of_group = group_size * width, group = from / of_group % found->groups,
                   part = ceil_div(n, found->groups);
    const bool is_end = to == n, begins_with_group = group_size > 1 && from % of_group == 0,
               is_in_first_round = to <= found->groups * of_group,
               ends_with_group = is_end || to % of_group == 0;
    const char *order = found->has_group_each ? "" : ", if the groups read in turn";
    if (length == n)
        return;
    if (is_end && row > width && from == n / row * row)
        printf(": the tail after the last whole row of %" PRIu64 " lanes x %" PRIu64, found->lanes,
               width);
    else if (is_end && width > 1 && from == n / width * width)
        printf(": the tail after the last whole vector of %" PRIu64, width);
    else if (is_end && length == 1)
        printf(": the last one");
    else if (is_end && begins_with_group && from == n / group_size * group_size &&
             found->has_group_each)
        printf(": the last partial group");
    else if (begins_with_group && length == of_group)
        printf(": those of group %" PRIu64 "%s", group, order);
    else if (begins_with_group && ends_with_group && is_in_first_round)
        printf(": those of groups %" PRIu64 " to %" PRIu64 "%s", group, (to - 1) / of_group, order);
    else if (found->groups > 1 && from % part == 0 && length == part)
        printf(": those of group %" PRIu64 ", if each reads one block", from / part);
    else if (block > 1 && from % block == 0 && (length == block || (is_end && length < block)))
        printf(": those of work-item %" PRIu64 ", if each reads one block", from / block);
}

/* Which elements below `end`, how often they count, and what they are to the kernel. */
static void print_range(const struct evidence *found, const struct range *range, uint64_t end)
{
    const uint64_t from = range->from, to = range->to < end ? range->to : end;
    if (to - from == found->n && found->operation->has_extreme) {
        puts("the result is never the extreme, whichever element that is");
        return;
    }
    if (to - from == found->n)
        printf("all elements are ");
    else if (to - from == 1)
        printf("element %" PRIu64 " is ", from);
    else
        printf("elements %" PRIu64 "..%" PRIu64 " are ", from, to - 1);
    switch (range->effect) {
    case RANGE_MIXED: printf("not all counted once"); break;
    case RANGE_CHANGED: printf("counted as another value"); break;
    case RANGE_COUNTED:
        if (range->count == 0)
            printf("lost");
        else if (range->count == 2)
            printf("counted twice");
        else
            printf("counted %d times", range->count);
    }
    print_role(found, from, to);
    puts("");
}

/* Says that values which are no elements enter the result, and how often. */
static void print_foreign(const struct evidence *found, const char *which, uint32_t times,
                          const char *mark)
{
    if (!times)
        return;
    printf("%s%s enter the result", mark, which);
    // The number counts nothing if the kernel reads memory that the harness does not fill; and if
    // elements are lost at the same time, it may be below 0, so very large here.
    if (times == 1)
        printf(", once");
    else if (times <= found->n + found->groups * found->group_size)
        printf(", %u times", times);
    puts("");
}

static void print_evidence(const struct evidence *found, const char *mark)
{
    const struct operation *operation = found->operation;
    enum { SHOWN = 3 }; // ranges, or ranges of the first period
    const uint64_t end = found->period ? found->period : found->n;
    int wrong = 0;
    printf("%sn = %" PRIu64 ", %" PRIu64 " groups of %" PRIu64 ":\n", mark, found->n, found->groups,
           found->group_size);
    if (found->varies) { // the counts would differ from run to run, too
        printf("%stwo runs on the same input differ\n", mark);
        return;
    }
    if (found->changes_identity)
        printf("%selements that are all %s, the identity of %s, give %s\n", mark,
               operation->show(operation->identity).text, operation->op,
               operation->show(&found->of_identities).text);
    print_foreign(found, "values that were in out before the run", found->times_from_out, mark);
    print_foreign(found, "values that were in local memory before the run", found->times_from_local,
                  mark);
    print_foreign(found, "elements beyond the last one", found->times_beyond_n, mark);
    for (; wrong < found->range_count && found->ranges[wrong].from < end; wrong++) {
        if (wrong < SHOWN) {
            fputs(mark, stdout);
            print_range(found, &found->ranges[wrong], end);
        }
    }
    if (wrong > SHOWN)
        printf("%sand %d more such ranges\n", mark, wrong - SHOWN);
    if (wrong && end < found->n && found->repeats_to == found->n)
        printf("%sand so on, every %" PRIu64 " elements\n", mark, end);
    else if (wrong && end < found->n)
        printf("%sand so on, every %" PRIu64 " elements, at least to element %" PRIu64 "\n", mark,
               end, found->repeats_to - 1);
    const bool is_power = found->right_n_in_power > 0;
    const uint64_t right_n = is_power ? found->right_n_in_power : found->right_n_in_256;
    if (right_n)
        printf("%sgroups of %" PRIu64 " are right at n = %" PRIu64 "\n", mark,
               is_power ? found->power : 256, right_n);
}

/* Finds the evidence for a wrong result, and what only the result itself shows. False: the kernel
 * cannot be tried. */
static bool find_symptoms(const struct request *request, struct reduction *wrong,
                          struct evidence *found)
{
    const struct problem problem = wrong->problem;
    const struct operation *operation = problem.operation;
    const bool has_nan = operation->is_floating && (wrong->input.data.kind == DATA_SOME_NAN ||
                                                    wrong->input.data.kind == DATA_NEUTRAL);
    enum { FEW_GROUPS = 16, MANY_GROUPS = 64 };
    const bool chooses_groups = !request->options->groups && wrong->chose_groups;
    struct evidence of_few;
    struct problem plain = problem; // in as many groups as the plan chooses, if that is wrong too
    plain.geometry.groups = request->options->groups;
    if (!find_evidence(request->device, &plain, found) ||
        (!found->is_wrong && plain.geometry.groups != problem.geometry.groups &&
         !find_evidence(request->device, &problem, found)))
        return false;
    // In the many groups of a GPU, a pattern repeats after more elements than are looked at.
    plain.geometry.groups = FEW_GROUPS;
    if (found->is_wrong && found->groups > MANY_GROUPS && chooses_groups &&
        find_evidence(request->device, &plain, &of_few) && of_few.is_wrong)
        *found = of_few;
    // A launch that reads partial results has the same mistake. With one group it reads one value,
    // so it does not hide the pattern of the first launch.
    plain.geometry.groups = 1;
    if (found->is_wrong && found->groups > 1 && chooses_groups && !has_cause(found, operation) &&
        find_evidence(request->device, &plain, &of_few) && of_few.is_wrong &&
        has_cause(&of_few, operation))
        *found = of_few;
    found->is_wrong_with_nan = has_nan && !found->is_wrong;
    found->is_unwritten =
        wrong->verdict.mistake == MISTAKE_VALUE &&
        memcmp(&wrong->verdict.result, &wrong->verdict.poison, operation->value_bytes) == 0;
    found->is_no_sum &= !found->varies && found->operation != operation &&
                        (operation->has_extreme || operation->is_floating);
    // Is the same problem right when it is run again?
    if (!found->is_wrong && !found->is_no_sum)
        found->varies =
            verify_problem(wrong, request->device, &problem, request->seed) != STATUS_WRONG;
    return true;
}

static void print_symptoms(const struct evidence *found, const struct operation *operation,
                           const char *mark)
{
    if (found->is_no_sum)
        printf("%sthe sum over the whole array differs from the sum of its parts\n", mark);
    else if (found->is_wrong)
        print_evidence(found, mark);
    else if (found->operation == operation)
        printf("%sof random elements none is lost\n", mark);
    else
        printf("%seach element counts once: the kernel is right for sums of %s\n", mark,
               found->operation->type);
}

/* Does a stage before this one write the array that it reads? */
static bool has_writer(const struct reduction *reduction, int reader)
{
    for (int i = 0; i < reader; i++)
        if (reduction->stages[i].out.buffer == reduction->stages[reader].in.buffer)
            return true;
    return false;
}

/* The first stage after this one that reads what it writes, or NULL. */
static const struct stage *find_reader(const struct reduction *reduction, int writer)
{
    for (int i = writer + 1; i < reduction->stage_count; i++)
        if (reduction->stages[i].in.buffer == reduction->stages[writer].out.buffer)
            return &reduction->stages[i];
    return NULL;
}

/* Some mistakes in a plan need no experiment: a launch whose two numbers are exchanged, or whose
 * groups have another size, that writes the array that it reads, that reads an array without
 * values, or whose values no later stage reads. */
static bool explain_by_plan(const struct reduction *wrong, const char *mark)
{
    for (int i = 0; i < wrong->stage_count; i++) {
        const struct stage *stage = &wrong->stages[i], *reader = find_reader(wrong, i);
        const size_t chosen = wrong->chosen_group_size;
        const bool is_in_place = stage->in.buffer == stage->out.buffer;
        const char *cause = NULL;
        if (stage->action != STAGE_LAUNCH)
            continue;
        if (chosen && stage->groups == chosen && stage->group_size != chosen) {
            cause = "groups_exchanged";
            printf("%slaunch %d has %" PRIu64 " groups of %zu, but the plan chose groups of %zu: "
                   "add_stage() takes first the number of groups, and then their size\n",
                   mark, i + 1, stage->groups, stage->group_size, chosen);
        } else if (chosen && stage->group_size != chosen) {
            cause = "other_group_size";
            printf("%slaunch %d has groups of %zu, but the plan chose groups of %zu: does a "
                   "work-item read each value?\n",
                   mark, i + 1, stage->group_size, chosen);
        } else if (stage->in.buffer != wrong->elements.buffer && !has_writer(wrong, i)) {
            cause = "never_written";
            printf("%slaunch %d reads an array that no earlier stage writes: are `in` and `out` "
                   "exchanged, or is the array the wrong one?\n",
                   mark, i + 1);
        } else if (is_in_place && stage->groups > 1) {
            cause = "in_place";
            printf("%slaunch %d writes the array that it reads: a group may overwrite values "
                   "before another group has read them\n",
                   mark, i + 1);
        } else if (is_in_place && reader && reader->in.count > stage->groups) {
            cause = "in_place";
            printf("%slaunch %d writes %" PRIu64 " of the %" PRIu64 " values of the array that it "
                   "reads, and a later stage reads all of them again\n",
                   mark, i + 1, stage->groups, reader->in.count);
        } else if (!reader && stage->out.buffer != wrong->result.buffer) {
            cause = "never_read";
            printf("%slaunch %d writes an array that no later stage reads: does the next launch "
                   "read an older one?\n",
                   mark, i + 1);
        }
        if (cause) {
            print_cause_name(cause, mark);
            return true;
        }
    }
    return false;
}

/* What Oclgrind sees has happened, so no guess follows. Oclgrind has no sub-groups, so neighbouring
 * work-items form them, as many as the device has lanes. */
static bool explain_by_oclgrind(const struct request *request, const struct reduction *wrong,
                                const char *mark, enum answer *answer)
{
    struct problem same_lanes = wrong->problem;
    struct finding finding;
    char sub_groups[32];
    snprintf(sub_groups, sizeof sub_groups, "local:%zu", wrong->lanes);
    if (!same_lanes.sub_groups && wrong->lanes > 1)
        same_lanes.sub_groups = sub_groups;
    *answer = ask_oclgrind(request, &same_lanes, &finding);
    const bool is_fault_of_pocl = *answer == ANSWER_POCL_LOOP &&
                                  wrong->verdict.mistake == MISTAKE_VALUE &&
                                  strstr(request->device->name, "[POCL]");
    if (*answer != ANSWER_FINDING && !is_fault_of_pocl)
        return false;
    print_finding(&finding, mark, mark);
    return true;
}

/* Prints the evidence and the likely cause. */
static void explain_by_experiments(const struct request *request, struct reduction *wrong,
                                   const char *mark, enum answer answer)
{
    struct evidence found;
    const struct operation *operation = wrong->problem.operation;
    const bool is_value =
        wrong->verdict.mistake == MISTAKE_VALUE || wrong->verdict.mistake == MISTAKE_KEEPS_MEMORY;
    if (!find_symptoms(request, wrong, &found)) {
        printf("%sno diagnosis, because the kernel cannot be tried as a sum of integers: "
               "write it with value and combine() (steps/exercises/CARD.md) to learn more\n",
               mark);
        print_cause_name("none", mark);
        return;
    }
    if (!found.is_wrong && !found.is_no_sum && !is_value)
        return; // the reason says all
    print_symptoms(&found, operation, mark);
    // make picture draws the steps of the ladder, but no plan of an exercise.
    const bool is_of_ladder = strncmp(program_name, "judge_", 6) != 0;
    const char *file = file_of_learner(request);
    if (print_cause(&found, operation, mark) && file && is_of_ladder) {
        printf("%smake picture STEP=%02d", mark, request->step->number);
        write_quoted(stdout, " KERNEL=", shown_name(file));
        if (request->options->variant)
            write_quoted(stdout, " VARIANT=", wrong->problem.variant->name);
        puts(" draws which work-item reads which element");
    }
    if (answer == ANSWER_NONE)
        printf("%sOclgrind would name a missing barrier, bound or initial value, but it could not "
               "be asked: --races says why\n",
               mark);
}

void explain_mistake(const struct request *request, struct reduction *wrong, const char *mark)
{
    static const char *const seen_by_verifying[] = {
        [MISTAKE_KEEPS_MEMORY] = "kept_from_earlier_run",
        [MISTAKE_WRITES_INPUT] = "input_written",
        [MISTAKE_WRITES_BEYOND_OUTPUT] = "written_beyond_out",
        [MISTAKE_COUNTER_NOT_RESET] = "counter_not_reset",
    };
    const enum mistake mistake = wrong->verdict.mistake;
    enum answer answer;
    // A simulator starts with memory full of zeros, and is slow: --races asks it for findings that
    // it is good at.
    if (request->device->is_simulated)
        return;
    if (mistake != MISTAKE_VALUE) // the reason has been printed
        print_cause_name(seen_by_verifying[mistake], mark);
    if (explain_by_plan(wrong, mark) || explain_by_oclgrind(request, wrong, mark, &answer))
        return;
    if (mistake == MISTAKE_WRITES_INPUT || mistake == MISTAKE_WRITES_BEYOND_OUTPUT)
        return;
    if (!wrong->problem.operation->explain_value) {
        explain_by_experiments(request, wrong, mark, answer);
        return;
    }
    const char *sentence = explain_wrong_value(wrong);
    if (*sentence)
        printf("%s%s\n", mark, sentence);
}
