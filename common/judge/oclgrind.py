#!/usr/bin/env python3
"""Finds Oclgrind, runs a program inside it, and reads its log. Oclgrind is a simulator that sees
every access to memory.

    common/judge/oclgrind.py PROGRAM    runs the program inside Oclgrind; 77: Oclgrind is missing

Oclgrind is an OpenCL runtime, such as pocl. But only the programs that this file starts may find
it, so its .icd file, which names the library, is in a folder of its own:

  /etc/OpenCL/vendors/pocl.icd                 or the folder that OCL_ICD_VENDORS names
  /etc/OpenCL/vendors/oclgrind/oclgrind.icd    the loader reads no subfolder

exercises/accesses.py and plots/counts.py import this file. Without arguments it is part of the
judge:

  JUDGE --races inside Oclgrind  ->  thousands of reports  ->  one line for each cause and place

oclgrind.c runs it so and reads its output. Each line of the environment variable REDUCE_ARGUMENTS
is an argument: SEARCH, SECONDS, PATIENCE, and the command JUDGE with its options.

SEARCH is 'sum', 'extreme' for a minimum or maximum, or 'certain', which reports only mistakes that
count even if the result is right. SECONDS limit the processor time (0: they do not), and PATIENCE
is a limit in seconds by the clock.

The first line of the output has an answer and a sentence. Each further line has the name and the
sentence of a finding; the most important finding comes first.

  finding found
  race Read-write data race in local memory, line 14 of mine/06.cl (488 times): is a barrier ...
"""

import functools
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

RIGHT, SETUP, UNSUPPORTED = 0, 2, 77

KERNELS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../kernels")

# Chosen by read_findings(), not by its pattern, which matches no title.
WRITTEN_BY_SEVERAL = (
    "race",
    "$^",
    "several work-items of a group write its value to global memory there: is an if (id == 0)"
    " missing?",
)
# Name, pattern of a report's title, hint. A mistake has others as its effect: a work-item that does
# not reach a barrier leaves memory unwritten, for example. So the causes of other mistakes come
# first.
CAUSES = (
    (
        "divergence",
        "divergence.*async",
        "all work-items of a group must call async_work_group_copy() with the same arguments",
    ),
    (
        "divergence",
        "divergence",
        "some work-items wait there, and others elsewhere or not at all: is a barrier in a branch,"
        " after a return, or in a loop that some work-items execute more often?",
    ),
    (
        "invalid_access",
        "^Invalid.*local memory",
        "is the index inside the array in groups of every size?",
    ),
    (
        "invalid_access",
        "^Invalid read.*global",
        "is the bound i < n missing or too large, or is the index wrong?",
    ),
    (
        "invalid_access",
        "^Invalid (write|atomic).*global",
        "is the index too large, or the plan's array out too small?",
    ),
    ("invalid_access", "^Invalid", ""),
    (
        "race",
        "race in local memory",
        "is a barrier or an atomic missing, does the barrier fence global memory only, or do two"
        " work-items use one place in the same round?",
    ),
    WRITTEN_BY_SEVERAL,
    (
        "race",
        "Write-write",
        "is an atomic operation missing, an if (id == 0), or the group's number in the index?",
    ),
    (
        "race",
        "without waiting for events",
        "call wait_group_events() before a work-item reads the copy",
    ),
    ("race", "race", "is an atomic operation missing?"),
    (
        "uninitialized",
        "^Uninitialized",
        "is an accumulator, scratch or out read before it was set, for example to identity()?",
    ),
    ("other", "", ""),
    (
        "formal_race",
        "$^",  # chosen by is_formal(), not by its pattern
        "formally a race: OpenCL C 1.2 orders such accesses by atomics only. Many devices obey a"
        " fence, too, or an old value does no harm",
    ),
)
FORMAL_RACE = CAUSES[-1]
CERTAIN = ("divergence", "invalid_access", "race")  # mistakes, even if the result is right
TIMEOUT_HINT = (
    "does each loop end, and does every work-item reach each barrier? A longer"
    " --timeout allows more"
)

# pocl 3.1 compiles a loop with barriers wrongly if the condition of the loop calls a function.
BLOCK = r"[^{}]"
for _ in range(4):  # levels of braces in the loop
    BLOCK = r"(?:[^{}]|\{%s*\})" % BLOCK
POCL_LOOP = r"(for\s*\([^;]*;|while\s*\()[^;{]*get_local_size[^{]*\{%s*barrier\(" % BLOCK
POCL_ADVICE = (
    "inside the simulator the kernel is right. If the device is pocl 3.1, keep"
    " get_local_size(0) in a variable: pocl compiles a loop with barriers wrongly if its"
    " condition calls this function"
)

# What a launch executed, from Oclgrind's table of instructions: a count, then the name of an
# instruction or of a function. A pointer's address space is part of the function's name.
INSTRUCTIONS = {
    "barriers": r"^ +(\d+) - call \w*barrier",  # counted once for each work-item
    "sub_group_combines": r"^ +(\d+) - call sub_group_combine\b",  # the same
    "work_group_combines": r"^ +(\d+) - call work_group_combine\b",
    "block_reads": r"^ +(\d+) - call block_read\b",
    "global_loads": r"^ +(\d+) - load global",
    "local_loads": r"^ +(\d+) - load local",
    "local_stores": r"^ +(\d+) - store local",
    "local_atomics": r"^ +(\d+) - call _Z\d+atom\w+PU3AS3",
    "global_atomics": r"^ +(\d+) - call _Z\d+atom\w+PU3AS1",
    "bytes": r" - load global \((\d+) bytes\)",
}

FOLDER_OF_KERNELS = r"(?:/proc/self/fd/\d+/)?"  # kernel.c names these folders by numbers

# For a judge inside Oclgrind: see find_races() in oclgrind.c, and build_kernel() in plan.c.
READS_REPORTS = {"REDUCE_INSIDE_OCLGRIND": "1", "REDUCE_NO_OPTIMISATION": "1"}


def find_folder():
    """The folder with Oclgrind's .icd file, or None if there is none that names a library."""
    vendors = os.environ.get("OCL_ICD_VENDORS", "")
    vendors = vendors if os.path.isdir(vendors) else "/etc/OpenCL/vendors"
    entries = Path(vendors, "oclgrind").glob("*.icd")
    return next(
        (entry.parent for entry in entries if Path(entry.read_text().strip()).is_file()), None
    )


def enter(**options):
    """The environment variables for a program that is to run inside Oclgrind. The options are those
    of Oclgrind, for example data_races=1. With one thread it executes the groups in order, so all
    counts and reports repeat."""
    variables = {f"OCLGRIND_{name.upper()}": str(value) for name, value in options.items()}
    # Some loaders add the runtimes of OCL_ICD_FILENAMES.
    return {
        "OCL_ICD_VENDORS": str(find_folder()),
        "OCL_ICD_FILENAMES": "",
        "OCLGRIND_NUM_THREADS": "1",
        **variables,
    }


def split_reports(log):
    """The reports about kernels named reduce (other kernels make the data), each as its title and
    its other lines.

    Read-write data race at local memory address 0x1000     a report begins at the left margin
            Kernel: reduce
            Entity: Global(0,0,0) Local(0,0,0) Group(0,0,0)
              %0 = load i32, ...                            the instruction
            At line 19 (column 5) of tree.cl:               the place, if possible a kernel's own
    """
    for report in re.split(r"\n(?=[^\t\n])", log):
        title, _, rest = report.partition("\n")
        if re.search(r"^\s*Kernel: +reduce$", rest, re.M):
            yield title, rest


def count_instructions(log):
    """The instructions of each launch of `reduce`, in order, as a dictionary."""
    tables = re.findall(
        r"^Instructions executed for kernel 'reduce':\n((?: +\d+ - .*\n)+)", log, re.M
    )
    return [
        {
            name: sum(map(int, re.findall(pattern, table, re.M)))
            for name, pattern in INSTRUCTIONS.items()
        }
        for table in tables
    ]


@functools.cache  # thousands of reports may name the same file
def read_text(path):
    with open(path, encoding="utf-8", errors="replace") as text:
        return text.read()


@functools.cache
def read_code(path):
    """The text without its comments, and without the lines between #if 0 and #else or #endif. Each
    line keeps its number."""
    code = read_text(path)
    inactive = r"^[ \t]*#[ \t]*if[ \t]+0[ \t]*$.*?^[ \t]*#[ \t]*(?=el|endif)"
    for pattern in r"/\*.*?\*/|//[^\n]*", inactive:
        flags = re.M | re.S
        code = re.sub(pattern, lambda found: "\n" * found[0].count("\n"), code, flags=flags)
    return code


def find_call(line, file, kernel):
    """A place in a header becomes the place in the kernel's own file that calls this function of
    the header, if there is one such place."""
    if kernel and kernel.endswith("/" + file):  # Oclgrind removes folders that it shares with ours
        file = kernel
    header = os.path.join(os.environ.get("REDUCE_KERNELS", KERNELS), file)
    if not (file.endswith(".clh") and kernel and os.path.exists(header)):
        return line, file
    before = read_text(header).split("\n")[: int(line)]
    heads = re.findall(r"^\w.*\(.*", "\n".join(before), re.M)  # of functions, or of macros for them
    words = "|".join(re.findall(r"\w+", heads[-1])) if heads else "(?!)"
    lines = read_code(kernel).split("\n")
    calls = [k for k, own in enumerate(lines, 1) if re.search(rf"\b({words})\(", own)]
    return (calls[0], kernel) if len(calls) == 1 else (line, file)


def find_accesses(rest, kernel):
    """The two accesses of a race, each as its work-item, its instruction and its place. A race with
    what async_work_group_copy() does has one access only."""
    pattern = (
        r"entity: +Global\(.*\) (Local\(.*\) Group\(.*\))\n\t  (.*)\n(?:\tAt line (\d+)"
        rf" \(column \d+\) of {FOLDER_OF_KERNELS}([^:\n]+))?"
    )
    return [
        (item, instruction, find_call(line, file, kernel) if line else None)
        for item, instruction, line, file in re.findall(pattern, rest)
    ]


def is_harmless_read(title, rest, kernel):
    """Is one access an ordinary read, and the other an atomic that comes later in the kernel? Then
    the read may give an old value, as in front of a compare-exchange, which fails in this case. In
    local memory, a read that comes later in the kernel needs a barrier. In global memory it may
    have been ordered by a counter."""
    if not title.startswith("Read-write"):
        return False
    accesses = find_accesses(rest, kernel)
    reads = [place for _, instruction, place in accesses if " = load " in instruction]
    atomics = [place for _, instruction, place in accesses if re.search("call .*atom", instruction)]
    if not reads or not atomics:
        return False
    if "local memory" not in title:
        return True
    (read, *_), (atomic, *_) = reads, atomics
    return bool(read and atomic and read[1] == atomic[1] and int(read[0]) <= int(atomic[0]))


def find_places_of_result(log, kernel):
    """The lines of the kernel that write to its third argument, if several work-items of a group
    read local memory there while another one still writes to it."""
    arguments = kernel and re.search(r"\breduce\s*\(([^()]*)\)", read_code(kernel))
    names = re.findall(r"(\w+)\s*(?:,|$)", arguments[1]) if arguments else []
    if len(names) < 3:
        return set()
    lines = read_code(kernel).split("\n")
    writes = rf"(^|[^\w.]){names[2]}\s*(\[.*\])?\s*=[^=]"
    readers = {}  # (trial, place, group) -> work-items; another trial may have larger groups
    reports = [
        (trial, rest)
        for trial, text in enumerate(re.split("^# ", log, flags=re.M))
        for title, rest in split_reports("\n" + text)
        if title.startswith("Read-write data race at local")
    ]
    for trial, rest in reports:
        for item, instruction, place in find_accesses(rest, kernel):
            is_own = place and place[1] == kernel and re.search(writes, lines[int(place[0]) - 1])
            if is_own and " = load " in instruction:
                readers.setdefault((trial, place, item.split()[1]), set()).add(item)
    return {place for (_, place, _), items in readers.items() if len(items) > 1}


def is_write_of_one_value(title, rest, log):
    """Do two work-items of one group write to one place of global memory, although the result is
    right? Then both write the same value."""
    is_of_one_group = len(set(re.findall(r" Group\((\d+),", rest))) == 1
    is_write = title.startswith("Write-write data race in global")
    return is_write and is_of_one_group and "# wrong: " not in log


def has_fence(kernel):
    """Does the kernel contain a fence for global memory, perhaps in a macro that it uses? Oclgrind
    could count the fences that it executes, but with counts of instructions it crashes on kernels
    of step 11."""
    code = read_code(kernel) if kernel else ""
    define = r"^[ \t]*#[ \t]*define[ \t]+(\w+)(?:\\\n|[^\n])*"
    unused = {name for name in re.findall(define, code, re.M) if code.count(name) == 1}
    without = re.sub(define, lambda line: "" if line[1] in unused else line[0], code, flags=re.M)
    return re.search(r"mem_fence\(.*GLOBAL", without)


def is_formal(title, rest, kernel, is_ordered):
    """Is this race probably harmless, if the result is right? Two kinds are: an ordinary read of
    what others change by atomics, and a value that one group writes and another group reads in
    global memory, in a kernel with a fence (is_ordered)."""
    if is_harmless_read(title, rest, kernel):
        return True
    return is_ordered and title.startswith("Read-write") and "race in global" in title


def has_pocl_loop(kernel):
    return re.search(POCL_LOOP, read_code(kernel))


def read_findings(log, kernel, is_certain):
    """Returns the findings in Oclgrind's log: for each the name of its cause, and a sentence.
    Reports with the same title and place become one finding with their number. If is_certain, only
    findings whose cause is in CERTAIN are returned."""
    found = {}  # (entry of CAUSES, title, place) -> the reports' titles
    is_fenced = has_fence(kernel)
    places_of_result = find_places_of_result(log, kernel)
    # Two work-items write here, and neither is an atomic: no fence saves the value of the first.
    lost = set(re.findall(r"^Write-write data race at (global memory address \w+)", log, re.M))
    # Such a place is also read: a work-item combines its value with an earlier one there.
    combined = set(re.findall(r"^Read-write data race at (global memory address \w+)", log, re.M))
    least = "at least " if "suppressing further errors" in log else ""
    for title, rest in split_reports(log):
        # The first read of a compare-exchange loop does not race: if another work-item writes in
        # between, the exchange fails, and the loop tries again.
        is_exchange = re.search("cmpxchg|compare_exchange", rest)
        if is_exchange and is_harmless_read(title, rest, kernel):
            continue
        place = rf"At line ([1-9]\d*) \(column \d+\) of {FOLDER_OF_KERNELS}([^:\n]+)"
        places = re.findall(place, rest)
        places.sort(key=lambda place: place[1].endswith(".clh"))  # stable: headers come last
        place = find_call(*places[0], kernel) if places else None
        is_ordered = is_fenced and title.partition(" at ")[2] not in lost
        is_combined = title.partition(" at ")[2] in combined
        title, address, _ = title.partition(" address 0x")
        title = title.replace(" at ", " in ") if address else title
        if re.search(r" call .*atom", rest):
            title = title.replace("Invalid read", "Invalid atomic operation")
        # "Only 40 out of 64 work-items": the numbers may differ from group to group.
        entry = next(entry for entry in CAUSES if re.search(entry[1], title))
        if (
            entry[0] == "race"
            and "# wrong: " not in log
            and is_formal(title, rest, kernel, is_ordered)
        ):
            entry = FORMAL_RACE
        elif "race in local memory" in title and place in places_of_result:
            entry = WRITTEN_BY_SEVERAL
        elif not is_combined and is_write_of_one_value(title, rest, log):
            entry = WRITTEN_BY_SEVERAL
        found.setdefault((entry, re.split(r"\d", title)[0], place), []).append(title)
    findings = []
    for (entry, _, place), titles in found.items():
        where = ", line {} of {}".format(*place) if place else ""
        sentence = f"{titles[0]}{where} ({least}{len(titles)} times)"
        findings.append((entry, f"{sentence}: {entry[2]}" if entry[2] else sentence))
    findings.sort(key=lambda finding: CAUSES.index(finding[0]))
    return [
        (entry[0], sentence)
        for entry, sentence in findings
        if entry[0] in CERTAIN or not is_certain
    ]


def run_oclgrind(search, seconds, patience, program, allows_same_value=False):
    """The exit status (None: there is none in time), the log, and whether Oclgrind looked for
    uninitialized values.

    Two work-items race even if both write the same value. In local memory many kernels do that
    without harm, for example if every work-item sets an array to zeros. So they are allowed to,
    which Oclgrind can only do for all kinds of memory.

    Oclgrind 21.10 calls a value uninitialized if a comparison has chosen it, and with that option
    it crashes on some vectors. Nor does it see that an atomic exchange sets a value. So only sums
    are run with it, and again without if it crashes or reports an exchange.
    """
    limit = ["prlimit", f"--cpu={seconds}:"] if seconds else []
    # A thousand races must not hide a barrier that some work-items miss.
    options = {"data_races": 1, **({"max_errors": 4000} if search == "certain" else {})}
    if not allows_same_value:
        options["uniform_writes"] = 1
    for uninitialized in ({"uninitialized": 1}, {}) if search == "sum" else [{}]:
        try:
            step = subprocess.run(
                ["setpriv", "--pdeathsig", "KILL", *limit, *program],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                env={**os.environ, **READS_REPORTS, **enter(**options, **uninitialized)},
                timeout=patience,
                check=False,
            )
            status, log = step.returncode, step.stdout
        except subprocess.TimeoutExpired as late:
            status, log = None, late.stdout or b""
        misjudges_exchange = re.search(rb"^Uninitialized(.*\n[\t ])*.*atomic_xchg", log, re.M)
        has_ended = status is None or status >= 0 or -status in (signal.SIGALRM, signal.SIGXCPU)
        if has_ended and not misjudges_exchange:
            break
    if not allows_same_value and re.search(rb"^Write-write data race at local", log, re.M):
        return run_oclgrind(search, seconds, patience, program, True)
    return status, log.decode(errors="replace"), bool(uninitialized)


def describe_run(status, log, seconds, patience):
    """An answer and a sentence about it, whatever was found."""
    wrong = re.search("^# wrong: ", log, re.M)  # see verify_inside_oclgrind()
    unsupported = re.search("^# unsupported: (.*)", log, re.M)
    ignored = re.search("^# ignored: (.*)", log, re.M)
    fatal = re.search(r"^OCLGRIND FATAL ERROR.*\n+(.*)", log, re.M)
    if status is None:
        return "none", (
            f"no answer of Oclgrind after {patience} seconds: is the machine very busy,"
            " or n too large for a simulator?"
        )
    if status == -signal.SIGXCPU:
        return "timeout", f"no result within {seconds} seconds of processor time"
    if status == -signal.SIGALRM:  # see set_time_limit() in run.h
        return "timeout", "no result within --timeout"
    if fatal:
        return "none", f"not under Oclgrind, which gives up: {fatal[1]}"
    if re.search("^[^ ]*: no OpenCL device", log, re.M):
        return "none", "Oclgrind itself fails"  # or is for another architecture
    if status == SETUP and ignored:
        return "ignored", ignored[1]
    if status == SETUP:
        return "setup", (
            "not under Oclgrind, where the kernel does not compile or needs more"
            " memory than there is"
        )
    if wrong:
        return "wrong_result", "nothing found, but the result is wrong"
    if status == UNSUPPORTED and unsupported:
        return "unsupported", f"not under Oclgrind: {unsupported[1]}"
    if status == RIGHT and re.search("^# right", log, re.M):
        return "right", "nothing found"
    return "none", "Oclgrind itself fails"


def main(search, seconds, patience, *program):
    seconds, patience = int(seconds), int(patience)
    status, log, looked_for_uninitialized = run_oclgrind(search, seconds, patience, program)
    answer, sentence = describe_run(status, log, seconds, patience)
    words = (word for word in program[1:] if not word.startswith("--"))
    kernel = next(filter(os.path.isfile, words), None)
    kernel = kernel and kernel.removeprefix("./")  # as the reader has typed it
    findings = read_findings(log, kernel, search == "certain")
    if findings:
        sentence = sentence if answer == "timeout" else "found"
        answer = "finding"
    elif answer == "timeout":
        findings = [(answer, TIMEOUT_HINT)]
    elif answer == "wrong_result":
        findings = [(answer, reason) for reason in re.findall("^# wrong: (.*)", log, re.M)]
    elif answer == "right" and kernel and has_pocl_loop(kernel):
        answer, sentence = "pocl_loop", POCL_ADVICE
    elif answer == "right" and not looked_for_uninitialized:
        sentence += "; uninitialized values not looked for, where Oclgrind errs"
    elif answer == "setup":
        sys.stderr.write(log)
    print(answer, sentence)
    for finding in findings:
        print(*finding)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_DFL)  # end without a traceback
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # otherwise a status may be lost
    sys.stdout.reconfigure(errors="backslashreplace")  # a path need not be UTF-8
    if sys.argv[1:] == ["--help"]:
        print(__doc__.strip())
        sys.exit(RIGHT)
    if not find_folder():
        sys.exit(UNSUPPORTED)
    if len(sys.argv) > 1:
        os.environ.update(enter())
        try:
            os.execvp(sys.argv[1], sys.argv[1:])
        except OSError as error:
            print(f"oclgrind.py: {sys.argv[1]}: {error.strerror}", file=sys.stderr)
            sys.exit(SETUP)
    main(*os.environ["REDUCE_ARGUMENTS"].split("\n"))
