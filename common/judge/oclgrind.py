#!/usr/bin/env python3
"""Oclgrind, a simulator that sees each access to memory: started, and what it has logged read.

  oclgrind ... STEP --races  ->  its log, of thousands of reports  ->  each place once

races.c calls it for each trial; the exercises take what `oclgrind --inst-counts` has counted.
"""
import re
import signal
import subprocess
import sys

RIGHT, WRONG, SETUP, UNSUPPORTED = 0, 1, 2, 77

# What a launch did, in Oclgrind's table of instructions: how many, then a name, in which a pointer's kind is part of a function's.
COUNTS = {
    "barriers": r"^ +(\d+) - call \w*barrier",  # once for each work-item
    "loads": r"^ +(\d+) - (?:load global|call _Z\d+vload\w+PU3AS1)",
    "local_atomics": r"^ +(\d+) - call _Z\d+atom\w+PU3AS3",
    "global_atomics": r"^ +(\d+) - call _Z\d+atom\w+PU3AS1",
    "bytes": r" - load global \((\d+) bytes\)",
}


def counts(log):
    """Of each launch of `reduce`, in order."""
    tables = re.findall(r"^Instructions executed for kernel 'reduce':\n((?: +\d+ - .*\n)+)", log, re.M)
    return [{name: sum(map(int, re.findall(what, table, re.M))) for name, what in COUNTS.items()} for table in tables]


def findings(log):
    """What was found in kernels named reduce, the rest makes the data: a line for each kind and place, with how often.

    Read-write data race at local memory address 0x1000     at the left margin a report begins
            Kernel: reduce                                  whose it is
              %0 = load i32, ...                            what an access does
            At line 19 (column 5) of tree.cl:               where: rather not in atomics.clh
    """
    found = {}
    for report in re.split(r"\n(?=[^\t\n])", log):
        kind, _, rest = report.partition("\n")
        if not re.search(r"^\s*Kernel: +reduce$", rest, re.M):
            continue
        # A race with the first read of a compare-exchange loop is none: if another work-item writes in between, the
        # exchange fails, and the loop tries again.
        if kind.startswith("Read-write") and " = load " in rest and re.search("cmpxchg|compare_exchange", rest):
            continue
        places = re.findall(r"At line ([1-9]\d*) \(column \d+\) of ([^:\n]+)", rest)
        places.sort(key=lambda place: "atomics.clh" in place[1])  # as they come, those last
        where = ", line {} of {}".format(*places[0]) if places else ""
        kind, address, _ = kind.partition(" address 0x")
        kind = kind.replace(" at ", " in ") if address else kind
        same = re.split(r"\d", kind)[0], where  # "Only 40 out of 64 work-items" is said for each group
        text, times = found.get(same, (kind + where, 0))
        found[same] = text, times + 1
    return [f"{text} ({times} times)" + likely(text) for text, times in found.values()]


def likely(finding):
    """What most often has that effect, where the finding does not say so itself."""
    causes = {
        "divergence": "is that barrier in a branch, or behind a return?",
        "Invalid .* local memory": "beyond the scratch of the group?",
        "race in local memory": "is a barrier missing, does it fence global memory only, or do two of a round use one place?",
    }
    return next((f": {cause}" for effect, cause in causes.items() if re.search(effect, finding)), "")


def main(place, operation, *program):
    """One trial: says what it has shown. The operation: 'sum', 'extreme', 'another extreme' than that which is asked for."""
    # 21.10 takes for uninitialized what a comparison has chosen, and with that option trips over vectors.
    for uninitialized in (["--uninitialized"], []) if operation == "sum" else [[]]:
        command = ["oclgrind", "--num-threads", "1", "--data-races", *uninitialized, *program]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", errors="replace") as run:
            signal.signal(signal.SIGALRM, lambda *_: run.terminate())  # races.c sends it, at --timeout
            log, status = run.communicate()[0], run.returncode
        if status >= 0 or status == -signal.SIGTERM:
            break
    found = findings(log)
    said = re.search(r"^not under Oclgrind.*", log, re.M)
    fatal = re.search(r"^OCLGRIND FATAL ERROR.*\n+(.*)", log, re.M)
    if status == SETUP and not said and not fatal:
        sys.stderr.write(log)
        return SETUP
    verdicts = (
        (said, UNSUPPORTED, said and said[0]),
        (fatal, UNSUPPORTED, fatal and f"not under Oclgrind, which gives up: {fatal[1]}"),
        (status == -signal.SIGTERM, WRONG, "no result within --timeout: do all reach each barrier?"),
        (found, WRONG, "found"),
        (status == WRONG and operation == "another extreme", UNSUPPORTED, "not judged, as it does not combine()"),
        (status == WRONG, WRONG, "\n  ".join(["nothing, but the result is wrong", *re.findall("^WRONG: (.*)", log, re.M)])),
        (status, UNSUPPORTED, "Oclgrind itself fails"),
        (uninitialized, RIGHT, "nothing found"),
        (True, RIGHT, "nothing found; uninitialized values not looked for, where Oclgrind errs"),
    )
    result, text = next(verdict[1:] for verdict in verdicts if verdict[0])
    print(f"{place}: {text}", *found, sep="\n  ", flush=True)
    return result


if __name__ == "__main__":
    for interrupt in signal.SIGINT, signal.SIGPIPE:  # they end this process as they would end the step
        signal.signal(interrupt, signal.SIG_DFL)
    try:
        sys.exit(main(*sys.argv[1:]))
    except OSError as error:
        print(f"{sys.argv[1].split()[0]}: --races: {error.strerror}", file=sys.stderr)
        sys.exit(SETUP)
