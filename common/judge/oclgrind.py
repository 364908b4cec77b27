#!/usr/bin/env python3
"""Starts Oclgrind, a simulator that sees every access to memory, and reads its log.

  oclgrind ... STEP --races  ->  a log of thousands of reports  ->  one line for each kind and place

usage: oclgrind.py report PLACE OPERATION SECONDS STEP...
                           a trial of --races: its place and all findings
       oclgrind.py explain SEARCH STEP...
                           the one finding that explains a wrong result: its kind in a line, and
                           what Oclgrind says

OPERATION is 'sum', or 'extreme' for a minimum or maximum that was asked for, or 'another extreme'
for one that was not. SEARCH is 'sum', 'extreme', or 'certain' for divergence and invalid accesses
only. races.c and oclgrind.c run this program.
"""

import os
import re
import resource
import signal
import subprocess
import sys

RIGHT, WRONG, SETUP, UNSUPPORTED = 0, 1, 2, 77

# An explanation ends after so many seconds of processor time. (A busy machine does not change what
# is found.) What has been found by then counts.
SECONDS = 5

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kernels")

# The kinds of finding. Where a report matches the second pattern too, the hint is added to it.
DIVERGENCE, INVALID_ACCESS, RACE, UNINITIALIZED, TIMEOUT, WRONG_RESULT = (
    "divergence",
    "invalid_access",
    "race",
    "uninitialized",
    "timeout",
    "wrong_result",
)
KINDS = (
    (
        DIVERGENCE,
        "divergence",
        "divergence",
        (
            "some work-items wait there, and others elsewhere or not at all: is a barrier in a"
            " branch, after a return, or in a loop that some work-items execute more often?"
        ),
    ),
    (
        INVALID_ACCESS,
        "^Invalid.*local memory",
        "",
        "is the index inside the array in groups of every size?",
    ),
    (
        INVALID_ACCESS,
        "^Invalid read.*global",
        "",
        "is the bound i < n missing or too large, or is the index wrong?",
    ),
    (INVALID_ACCESS, "^Invalid", "(?!)", ""),
    (
        RACE,
        "race in local memory",
        "",
        (
            "is a barrier or an atomic missing, does the barrier fence global memory only, or do"
            " two work-items use one place in the same round?"
        ),
    ),
    (
        RACE,
        "race",
        "Write-write",
        "is an atomic operation missing, an if (id == 0), or the group's number in the index?",
    ),
    (RACE, "race", "", "is an atomic operation missing?"),
    (
        UNINITIALIZED,
        "^Uninitialized",
        "",
        "is an accumulator, scratch or out read before it was set, for example to identity()?",
    ),
    ("other", "", "(?!)", ""),
)


def find_call(line, file, kernel):
    """A place in a header becomes the place in the kernel's own file that calls this function of
    the header, if there is one such place."""
    if kernel and kernel.endswith("/" + file):  # Oclgrind removes folders that it shares with ours
        file = kernel
    header = os.path.join(os.environ.get("REDUCE_KERNELS", KERNELS), file)
    if not (file.endswith(".clh") and kernel and os.path.exists(header)):
        return line, file
    with open(header, encoding="utf-8") as text:
        before = text.readlines()[: int(line)]
    heads = re.findall(r"^\w.*\(.*", "".join(before), re.M)  # of functions, or of macros for them
    words = "|".join(re.findall(r"\w+", heads[-1])) if heads else "(?!)"
    with open(kernel, encoding="utf-8", errors="replace") as text:
        calls = [k for k, own in enumerate(text, 1) if re.search(rf"\b({words})\(", own)]
    return (calls[0], kernel) if len(calls) == 1 else (line, file)


def find_kernel(program):
    """The learner's kernel in the words of a command, or None."""
    words = [part for word in program for part in word.split("--kernel=", 1)]
    return next((after for word, after in zip(words, words[1:]) if word in ("--kernel", "")), None)


def read_findings(log, kernel=None):
    """What Oclgrind found in kernels named reduce, as pairs of a kind and a line. (Other kernels
    make the data.) Reports of the same kind and place are counted.

    Read-write data race at local memory address 0x1000     a report begins at the left margin
            Kernel: reduce
              %0 = load i32, ...                            the instruction
            At line 19 (column 5) of tree.cl:               the place, if possible a kernel's own
    """
    found = {}
    for report in re.split(r"\n(?=[^\t\n])", log):
        title, _, rest = report.partition("\n")
        if not re.search(r"^\s*Kernel: +reduce$", rest, re.M):
            continue
        # The first read of a compare-exchange loop does not race: if another work-item writes in
        # between, the exchange fails, and the loop tries again.
        is_exchange = re.search("cmpxchg|compare_exchange", rest)
        if title.startswith("Read-write") and " = load " in rest and is_exchange:
            continue
        places = re.findall(r"At line ([1-9]\d*) \(column \d+\) of ([^:\n]+)", rest)
        places.sort(key=lambda place: place[1].endswith(".clh"))  # stable: headers come last
        place = find_call(*places[0], kernel) if places else None
        where = ", line {} of {}".format(*place) if place else ""
        title, address, _ = title.partition(" address 0x")
        title = title.replace(" at ", " in ") if address else title
        # "Only 40 out of 64 work-items": the numbers may differ from group to group.
        same = re.split(r"\d", title)[0], where
        text, times = found.get(same, (title + where, 0))
        found[same] = text, times + 1
    return [describe_finding(text, times) for text, times in found.values()]


def describe_finding(text, times):
    kind, _, pattern, hint = next(row for row in KINDS if re.search(row[1], text))
    return kind, f"{text} ({times} times)" + (f": {hint}" if re.search(pattern, text) else "")


def run_oclgrind(operation, program, seconds=None):
    """The exit status, the log, and whether Oclgrind looked for uninitialized values.

    Oclgrind 21.10 calls a value uninitialized if a comparison has chosen it, and with that option
    it crashes on some vectors. So only sums are run with it, and a crash is run again without.
    """
    races = [] if operation == "certain" else ["--data-races"]
    for uninitialized in (["--uninitialized"], []) if operation == "sum" else [[]]:
        command = ["oclgrind", "--num-threads", "1", *races, *uninitialized, *program]
        with subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            errors="replace",
            # With a parent the step does not optimise the kernel: see build_kernel() in plan.c.
            env={**os.environ, "REDUCE_PARENT": str(os.getpid())},
        ) as step:
            if seconds:
                resource.prlimit(step.pid, resource.RLIMIT_CPU, (seconds, seconds + 1))
            # races.c sends this signal at --timeout.
            signal.signal(signal.SIGALRM, lambda *_, step=step: step.terminate())
            log = step.communicate()[0]
        if step.returncode >= 0 or step.returncode in (-signal.SIGTERM, -signal.SIGXCPU):
            break
    has_run = re.search("^# verified$", log, re.M)  # otherwise Oclgrind could not start the step
    status = step.returncode if has_run or step.returncode not in (RIGHT, WRONG) else UNSUPPORTED
    return status, log, bool(uninitialized)


def judge_trial(operation, status, log, looked_for_uninitialized, kernel):
    """The exit status of a trial, a sentence about it, and its findings."""
    findings = read_findings(log, kernel)
    unsupported = re.search(r"^# unsupported: (.*)", log, re.M)
    fatal = re.search(r"^OCLGRIND FATAL ERROR.*\n+(.*)", log, re.M)
    if unsupported:
        return UNSUPPORTED, f"not under Oclgrind: {unsupported[1]}", findings
    if fatal:
        return UNSUPPORTED, f"not under Oclgrind, which gives up: {fatal[1]}", findings
    if status == SETUP:
        return (
            UNSUPPORTED,
            (
                "not under Oclgrind, where the kernel does not compile or needs more memory than"
                " there is"
            ),
            [],
        )
    if status == -signal.SIGTERM:
        return (
            WRONG,
            "no result within --timeout: does every work-item reach each barrier?",
            findings or [(TIMEOUT, "")],
        )
    if status == -signal.SIGXCPU:
        return (
            WRONG,
            "no result within 20 s of processor time: does each loop end? --timeout 100 allows"
            " more",
            findings or [(TIMEOUT, "")],
        )
    if findings:
        return WRONG, "found", findings
    if status == WRONG and operation == "another extreme":
        return UNSUPPORTED, "not judged, because the kernel does not use combine()", []
    if status == WRONG:
        reasons = re.findall("^# wrong: (.*)", log, re.M)
        return (
            WRONG,
            "nothing found, but the result is wrong",
            [("", reason) for reason in reasons] + [(WRONG_RESULT, "")],
        )
    if status:
        return UNSUPPORTED, "Oclgrind itself fails", []
    if looked_for_uninitialized:
        return RIGHT, "nothing found", []
    return RIGHT, "nothing found; uninitialized values not looked for, where Oclgrind errs", []


def report(place, operation, seconds, *program):
    """Runs one trial and prints all findings. A limit of 0 seconds is none."""
    status, log, looked_for_uninitialized = run_oclgrind(operation, program, int(seconds))
    if status == SETUP and not re.search("^OCLGRIND FATAL ERROR", log, re.M):
        sys.stderr.write(log)
        return SETUP
    result, sentence, findings = judge_trial(
        operation, status, log, looked_for_uninitialized, find_kernel(program)
    )
    print(f"{place}: {sentence}")
    for kind, line in findings:
        if line:
            print(f"  {line}")
        if kind and os.environ.get("REDUCE_CAUSE"):
            print(f"  # cause: {kind}")
    return result


def explain(search, *program):
    """Prints one finding. A mistake has others as its effect: if a work-item does not reach a
    barrier, for example, it leaves memory unwritten. So the first kind with a finding tells the
    cause, and of this kind the first finding. If Oclgrind has no answer, prints why."""
    status, log, looked_for_uninitialized = run_oclgrind(search, program, SECONDS)
    findings = read_findings(log, find_kernel(program))
    for kind in DIVERGENCE, INVALID_ACCESS, RACE, UNINITIALIZED:
        lines = [line for its_kind, line in findings if its_kind == kind]
        if lines and (kind in (DIVERGENCE, INVALID_ACCESS) or search != "certain"):
            print(kind, lines[0], sep="\n")
            return WRONG
    if status in (RIGHT, WRONG):
        return status
    why = judge_trial(search, status, log, looked_for_uninitialized, find_kernel(program))[1]
    if status == -signal.SIGXCPU:
        why = f"not under Oclgrind, which needs more than {SECONDS} seconds"
    print("none", why, sep="\n")
    return UNSUPPORTED


if __name__ == "__main__":
    for interrupt in signal.SIGINT, signal.SIGPIPE:  # end this process as they would end the step
        signal.signal(interrupt, signal.SIG_DFL)
    try:
        task, *arguments = sys.argv[1:]
        sys.exit({"report": report, "explain": explain}[task](*arguments))
    except OSError as error:
        print(f"{sys.argv[2].split()[0]}: --races: {error.strerror}", file=sys.stderr)
        sys.exit(SETUP)
