#!/usr/bin/env python3
"""Oclgrind, a simulator that sees each access to memory: started, and what it has logged read.

  step06 --races  ->  oclgrind ... step06 --races --n=5000  ->  its log, of thousands of reports  ->  each place once

Called by races.c, with what it knows of its command line; or as `oclgrind.py counts`, with the log of
`oclgrind --inst-counts` on standard input.
"""
import itertools
import os
import re
import signal
import subprocess
import sys
import tempfile

RIGHT, WRONG, SETUP, UNSUPPORTED = 0, 1, 2, 77
LARGEST = "1024"  # group that Oclgrind has

# What a launch did, by the names in Oclgrind's table of instructions: a pointer's kind is part of a function's.
INSTRUCTIONS = {
    "barriers": r"call \w*barrier",  # once for each work-item
    "loads": r"load global|call _Z\d+vload\w+PU3AS1",
    "local_atomics": r"call _Z\d+atom\w+PU3AS3",
    "global_atomics": r"call _Z\d+atom\w+PU3AS1",
}


def counts(log):
    """Of each launch of `reduce`, in order."""
    launches = []
    for table in re.findall(r"^Instructions executed for kernel 'reduce':\n((?: +\d+ - .*\n)+)", log, re.M):
        launch = {name: sum(map(int, re.findall(rf"^ +(\d+) - (?:{what})", table, re.M))) for name, what in INSTRUCTIONS.items()}
        launch["bytes"] = sum(map(int, re.findall(r" - load global \((\d+) bytes\)", table)))
        launches.append(launch)
    return launches


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
    for effect, cause in (
        ("divergence", "is that barrier in a branch, or behind a return?"),
        ("Invalid .* local memory", "beyond the scratch of the group?"),
        ("race in local memory", "is a barrier missing, does it fence global memory only, or do two of a round use one place?"),
    ):
        if re.search(effect, finding):
            return f": {cause}"
    return ""


def no_verdict(log):
    """Why there is none, or ''."""
    said = re.search(r"^not under Oclgrind.*", log, re.M)
    fatal = re.search(r"^OCLGRIND FATAL ERROR.*\n+(.*)", log, re.M)
    return said[0] if said else f"not under Oclgrind, which gives up: {fatal[1]}" if fatal else ""


class Races:
    """One call of --races: a process for each case, as its exit status says nothing. Each has one thread, and plans once,
    for one n: 21.10 takes memory for uninitialized where a smaller buffer was released before."""

    def __init__(self, name, program, words, timeout):
        self.name, self.program, self.words, self.timeout = name, program, words, float(timeout)

    def simulate(self, place, options, uninitialized):
        """How the process ended, None: not within --timeout; and all that was said."""
        also = "--uninitialized" if uninitialized else "--data-races"
        command = ["oclgrind", "--num-threads", "1", "--data-races", also, self.program, *self.words]
        os.environ.pop("REDUCE_DEVICE", None)
        with tempfile.TemporaryFile() as log:
            # There is one device, Oclgrind's. The process ends with this one: see races.c.
            process = subprocess.Popen([*command, "--device=", *options], stdout=log, stderr=subprocess.STDOUT)
            status, seconds = None, 0  # looks of one second are counted: while both are stopped, no time goes by
            while status is None and seconds <= self.timeout:
                try:
                    status = process.wait(1)
                except subprocess.TimeoutExpired:
                    seconds += 1
                if seconds == 6 and status is None:
                    print(f"{self.name}: still waiting for the kernel{place}; does each loop end?", file=sys.stderr)
            process.kill()
            process.wait()
            log.seek(0)
            return status, log.read().decode(errors="replace")

    def judge(self, variant, n, group, width, operation, extreme, wished=False):
        """One case: says what it has shown. A group that is wished for is not needed."""
        place = f" at n = {n}" + (f", groups of {group}" if group else "")
        options = [f"--variant={variant}", f"--n={n}", *operation]
        options += [f"--{name}={value}" for name, value in (("group", group), ("width", width)) if value]
        uninitialized = not extreme  # 21.10 takes for uninitialized what a comparison has chosen
        status, log = self.simulate(place, options, uninitialized)
        if status is not None and status < 0 and uninitialized:  # 21.10 trips over vectors
            uninitialized = False
            status, log = self.simulate(place, options, uninitialized)
        if wished and status in (SETUP, UNSUPPORTED):
            return self.judge(variant, n, "", width, operation, extreme)
        found, skipped = findings(log), no_verdict(log)
        if status == SETUP and not skipped:
            sys.stderr.write(log)
            return SETUP
        verdicts = (
            (skipped, UNSUPPORTED, skipped),
            (status is None, WRONG, "no result within --timeout: do all reach each barrier?"),
            (found, WRONG, "found"),
            (status == WRONG and operation, UNSUPPORTED, "not judged, as it does not combine()"),
            (status == WRONG, WRONG, "\n  ".join(["nothing, but the result is wrong", *re.findall("^WRONG: (.*)", log, re.M)])),
            (status, UNSUPPORTED, "Oclgrind itself fails"),
            (uninitialized, RIGHT, "nothing found"),
            (True, RIGHT, "nothing found; uninitialized values not looked for, where Oclgrind errs"),
        )
        result, text = next(verdict[1:] for verdict in verdicts if verdict[0])
        print(f"{self.name} {variant}{place}: {text}", *found, sep="\n  ", flush=True)
        return result


def main(facts, program, *words):
    name, timeout, extreme, any_operation, *lists = facts.split(" ")
    variants, sizes, groups, widths = (text.split(",")[:-1] for text in lists)
    # A few groups in each variant, the last one in part; several rounds of the largest; another operation.
    usual = [("5000", "", ()), ("20000", LARGEST, ()), ("1000", "", ("--op=min", "--type=float"))][: 2 + int(any_operation)]
    given = [(n, "", ()) for n in sizes]
    races, statuses = Races(name, program, words, timeout), []
    for variant in variants:
        for (n, largest, operation), group, width in itertools.product(given or usual, groups or [""], widths or [""]):
            which = variant, n, group or largest, width, operation, operation or extreme == "1"
            statuses.append(races.judge(*which, wished=largest and not group))
            if statuses[-1] == SETUP:
                return SETUP
            if statuses[-1] == WRONG and not given:  # of the usual ones none behind one that shows something
                break
    return WRONG if WRONG in statuses else RIGHT if RIGHT in statuses else UNSUPPORTED


if __name__ == "__main__":
    for interrupt in signal.SIGINT, signal.SIGPIPE:  # they end this process as they would end the step
        signal.signal(interrupt, signal.SIG_DFL)
    if sys.argv[1:] == ["counts"]:
        for launch in counts(sys.stdin.read()):
            print(*(f"{name}={count}" for name, count in launch.items()))
        sys.exit()
    try:
        sys.exit(main(*sys.argv[1:]))
    except OSError as error:
        print(f"{sys.argv[1].split()[0]}: --races: {error.strerror}", file=sys.stderr)
        sys.exit(SETUP)
