/* The judge runs for --check, --races and --kernel, and it explains a wrong result. The rest of the
 * harness includes only this header of the folder, and calls supervise(), check_matrix(),
 * verify_inside_oclgrind(), verify_as_sum() and explain_mistake(). */
#pragma once

#include "check.h"
#include "explain.h"
#include "oclgrind.h"
#include "probe.h"
#include "supervise.h"
