"""A table of the goals of the ladder's last steps, and of the ratios that they reached on each
published device, from committed data. A goal is a ratio of medians that must be reached at every n
of a range. The table shows the n with the lowest ratio.

A line of goals.txt: devices, operations, name of the goal, ratio to be reached, first and last
power of two of the range, the function of this file that computes the ratio, and its arguments. A
line of reasons.txt: device, goal, why the device misses it."""

import re

from data import Data, fail, lines_of, power, shares


def of_limit(device, what, files, column, names):
    """n, share of the read limit and name for all variants whose names match."""
    rows = [row for path in device.glob(files.format(what)) for row in Data(path).rows]
    for (n, name), share in shares(rows, column).items():
        if re.fullmatch(names, name):
            yield n, share / 100, name


def over_ours(device, what, other, column, *where):
    """n, ratio and name of our best variant: the ratio is the time of a peer, or the floor, over
    our best time. If two files have the same n, the first one counts."""
    done = set()
    for path in [device / folder / f"peers/{what}.dat" for folder in where]:
        rows = (
            sorted(Data(path).rows, key=lambda row: -getattr(row, column)) if path.is_file() else []
        )  # the fastest is last, so it stays in the dictionary
        theirs = {row.n: getattr(row, column) for row in rows if row["program"] == other}
        ours = {row.n: row for row in rows if row["kind"] == "ours"}
        for n in ours.keys() - done:
            time = ours[n].floor if other == "floor" else theirs.get(n, 0)
            yield (
                n,
                time / getattr(ours[n], column),
                f"{ours[n]['program'][:2]} {ours[n]['variant']}",
            )
        done |= theirs.keys()


def table(results):
    fields, reasons = (lines_of(results / name) for name in ("goals.txt", "reasons.txt"))
    fields = [line.split("\t") for line in fields] or fail(f"{results}/goals.txt: no line in it")
    _ = [
        fail(f"{results}/goals.txt, line {number}: was it cut short?")
        for number, line in enumerate(fields, 1)
        if len(line) < 10
    ]
    reasons = dict(line.rpartition("\t")[::2] for line in reasons)
    yield from ("| what | device | goal | measured | reached |", "| --- | --- | ---: | --- | --- |")
    goals = [
        (device, what, *further)
        for devices, of, *further in fields
        for device in devices.split()
        for what in of.split()
    ]
    for device, what, name, goal, least, most, how, *options in sorted(
        goals, key=lambda goal: goal[:1]
    ):
        find, best, wanted = (
            of_limit if how == "of_limit" else over_ours,
            {},
            {2**i for i in range(int(least), int(most) + 1)},
        )
        for n, ratio, ours in find(results / device, what, *options):
            if n in wanted and ratio > 0:  # 0: no peer; nan: missing
                best[n] = max(best.get(n, (0, "")), (ratio, ours))
        for n in sorted(wanted - best.keys()):
            fail(f"goals.txt: {device} has no data of {what} at n = {power(n)} for {name!r}")
        lowest, n, ours = min((ratio, n, ours) for n, (ratio, ours) in best.items())
        held = sum(
            ratio >= float(goal) - 0.0005 for ratio, _ in best.values()
        )  # at the precision that is printed
        key = f"{device}\t{name} {goal}"
        reached = (
            "yes"
            if held == len(best)
            else "no: " + (reasons.get(key) or fail(f"reasons.txt: no line {key!r}"))
        )
        yield (
            f"| {name}, {what.replace('.', ' of ')}, 2^{least} to 2^{most} | {device} | {goal} |"
            f" {lowest:.3f} (at {power(n)}, {ours}; {held} of {len(best)} sizes hold) | {reached} |"
        )
