#!/usr/bin/env python3
"""Counts what each kernel asks of the hardware, and compares the counts with the step's prediction.
Oclgrind, a simulator, executes the kernels and counts their instructions.

    plots/counts.py DATA    writes the counts into the file DATA

N="1000 20011"      the numbers of elements
STEP="02 06"        the steps (default: all)
SUBGROUPS=local:8   Oclgrind has no sub-groups, so kernels with sub-groups use emulated lanes
OPTIONS=            further options of the steps, such as --group 48

Exit status 1: a count differs from its prediction."""

import math
import os
import re
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

from calls import STEPS, Call, Progress, get_setting, list_variants
from data import NEEDED, ROOT, CommandLine, Data, choose_largest, fail, get_output
from data import parse_number, replace_file, start, warn

sys.path.append(str(ROOT / "common/judge"))
COLUMNS = NEEDED["counts.dat"]["columns"].split()
PREDICTED = [column for column in COLUMNS if column.startswith("predicted_")]
COUNTS = COLUMNS[COLUMNS.index("global_loads") : -len(PREDICTED)]
FAST = "--reps 3 --seconds 0 --warm --limit-seconds 1000".split()
# A launch in the table that a step prints: groups, group size, bytes, barriers, atomics.
LAUNCH = r"^kernel +(\d+) x +(\d+) +([\d.]+) (\w+) +(\d+|-) +(\d+) +(\d+)"
# Oclgrind 21.10 loses the count of a function that only a later group calls, or crashes. The last
# group of step 11 calls one, so this step is counted with a single group.
FURTHER_OPTIONS = {"11": ["--groups", "1"]}


def count_variant(case):
    """Returns the rows of one variant at one n, and a line for the header that says why Oclgrind
    cannot run the variant; one of the two is empty."""
    from oclgrind import count_instructions  # not above, because the table does not need it

    program, variant, n = case
    step, backend, options = program.name[4:], "none", ["--variant", variant, "--n", n, *FAST]
    (source,) = ROOT.glob(f"steps/**/{step}_*.c")
    if "SUB_GROUPS" in source.read_text(encoding="utf-8"):
        backend = get_setting("SUBGROUPS", "local:8")
        options += ["--subgroups", backend]
    options += [*FURTHER_OPTIONS.get(step, []), *get_setting("OPTIONS").split()]
    device = {"number": "Oclgrind"}
    call = Call(device, program, *options, allowed_statuses=(0, 2, 77))
    launches = re.findall(LAUNCH, call.output, re.MULTILINE)
    if not launches:
        reason = call.output if call.status else "it launches no kernel"
        reason = re.sub(r"^(.*\n)*step\d+: (\w+ is not supported here: )?", "", reason)
        return [], [f"# {step} {variant} left out: {reason}"]
    rows, counts = [], count_instructions(call.output)[-len(launches) :]
    for number, ((groups, group, size, unit, *others), row) in enumerate(zip(launches, counts), 1):
        row["barriers"] = f"{row['barriers'] / int(groups) / int(group):.6g}"  # of one work-item
        size = f"{float(size) * 1024 ** 'BKMG'.index(unit[0]):g}"
        row |= zip(PREDICTED, [size, *("nan" if word == "-" else word for word in others)])
        row |= zip(COLUMNS, [step, variant, backend, n, number, groups, group])
        rows.append(" ".join(str(row[column]) for column in COLUMNS))
    return rows, []


def find_differences(row):
    """Returns the counts of a launch that differ from the prediction. A prediction is nan if the
    step makes none. A step prints bytes with one digit after the point, in units such as KiB."""
    unit = 1024 ** int(math.log(max(row.predicted_bytes, 1), 1024))
    found = []
    for column in PREDICTED:
        count, predicted = getattr(row, column[10:]), getattr(row, column)
        scale = unit if column == "predicted_bytes" else 1
        if f"{count / scale:.1f}" != f"{predicted / scale:.1f}" and not math.isnan(predicted):
            found.append(f"{column[10:].replace('_', ' ')} {count:g}, predicted {predicted:g}")
    return found


def make_table(path):
    """Yields a table of the counts at the largest n, and the reasons for missing variants."""
    rows, heads = choose_largest(Data(path).rows), " | ".join(COUNTS).replace("_", " ")
    yield f"| step, n = {rows[0]['n']} | groups x size | {heads} | predicted |"
    yield f"| --- | ---: |{' ---: |' * len(COUNTS)} --- |"
    for row in rows:
        launch = f", launch {row['launch']}" * (row["launch"] != "1")
        same = "not the barriers" if math.isnan(row.predicted_barriers) else "the same"
        yield (
            f"| {row['step']} {row['variant']}{launch} | {row['groups']} x {row['group']}"
            f" | {' | '.join(row[what] for what in COUNTS)}"
            f" | {'; '.join(find_differences(row)) or same} |"
        )
    yield ""
    for key, reason in rows[0].file.header.items():
        if key.endswith(" left out"):
            yield f"* {key.replace(' left out', '')} is not counted: {reason}."


def main(arguments):
    """Writes the counts, and prints every count that differs from its prediction."""
    command_line = CommandLine(__doc__)
    command_line.add_argument("DATA")
    path = command_line.parse_args(arguments).DATA
    import oclgrind

    _ = oclgrind.find_folder() or fail("Oclgrind is missing: try make deps")
    _ = "--subgroups" not in get_setting("OPTIONS") or fail("OPTIONS: use SUBGROUPS=local:8")
    words, steps = get_setting("N", "1000 20011").split(), get_setting("STEP").split()
    cases = [
        (program, variant, str(parse_number(word) or fail(f"N={word}: must be like 1000 or 2^12")))
        for word in words
        for program in STEPS
        if not steps or program.name[4:] in steps
        for variant, *_ in list_variants(program)
    ] or fail(f"STEP={get_setting('STEP')}: must be steps such as 02 06")
    # From here on all steps run inside Oclgrind.
    os.environ |= oclgrind.enter(inst_counts=1)
    Progress.begin(len(cases))
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        rows, reasons = map(chain.from_iterable, zip(*pool.map(count_variant, cases)))
    simulator = re.search("^driver=(.*)", get_output(STEPS[-1], "--facts"), re.MULTILINE)[1]
    head = ["# operator: sum", "# type: int", f"# device: {simulator}", *dict.fromkeys(reasons)]
    replace_file(path, [*head, " ".join(COLUMNS), *rows, "# end"])
    wrong = [(row, text) for row in Data(path).rows for text in find_differences(row)]
    for row, text in wrong:
        warn(f"{row['step']} {row['variant']}, n = {row['n']}, launch {row['launch']}: {text}")
    return bool(wrong)


if __name__ == "__main__":
    start(main)
