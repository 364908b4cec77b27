#include "judge.h"

#include "check.h"
#include "explain.h"
#include "oclgrind.h"
#include "probe.h"
#include "supervise.h"

int judge(enum judge_task task, struct request *request, struct reduction *reduction,
          int (*work)(struct request *request))
{
    switch (task) {
    case JUDGE_SUPERVISES:
        return request->options->races ? find_races(request, work) : supervise(request, work);
    case JUDGE_CHECKS:
        return request->options->races ? verify_inside_oclgrind(request) : check_matrix(request);
    case JUDGE_VERIFIES_AS_SUM:
        return reduction ? verify_as_sum(reduction, (uint32_t)request->options->seed.value[0])
                         : STATUS_RIGHT;
    case JUDGE_EXPLAINS:
        if (reduction)
            explain_mistake(request, reduction, "  ");
        return STATUS_WRONG;
    }
    return STATUS_SETUP;
}
