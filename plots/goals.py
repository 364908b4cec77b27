"""Makes the table of goals from the committed data. A goal is a ratio of medians that a step should
reach at every n of a range on a published device. The table shows the n with the lowest ratio.

A line of goals.txt has the devices, the operations, the name of the goal, the ratio to reach, the
first and the last power of two of the range, of_limit or over_ours, and further arguments of
compare_with_limit() or compare_with_ours(). A line of reasons.txt has the device, the goal, and
the reason why the device misses the goal."""

import re

from data import Data, compute_shares, fail, format_size, read_lines


def compare_with_limit(device, what, files, column, names):
    """Yields n, the share of the read limit and the name for all variants whose names match."""
    rows = [row for path in device.glob(files.format(what)) for row in Data(path).rows]
    for (n, name), share in compute_shares(rows, column).items():
        if re.fullmatch(names, name):
            yield n, share / 100, name


def compare_with_ours(device, what, other, column, *where):
    """Yields n, a ratio and the name of our best variant. The ratio is the time of a peer, or the
    floor, divided by our best time. If two files have the same n, the first file counts."""
    done = set()
    for path in [device / folder / f"peers/{what}.dat" for folder in where]:
        rows = (
            sorted(Data(path).rows, key=lambda row: -getattr(row, column)) if path.is_file() else []
        )  # the fastest row is last, so the dictionary keeps it
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


def make_table(results):
    """Yields the lines of the table. Fails if a goal is missed and reasons.txt gives no reason."""
    fields, reasons = (read_lines(results / name) for name in ("goals.txt", "reasons.txt"))
    fields = [line.split("\t") for line in fields] or fail(
        f"{results}/goals.txt: no line in the file"
    )
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
            compare_with_limit if how == "of_limit" else compare_with_ours,
            {},
            {2**i for i in range(int(least), int(most) + 1)},
        )
        for n, ratio, ours in find(results / device, what, *options):
            if n in wanted and ratio > 0:  # 0: the peer has no row; nan: a missing value
                best[n] = max(best.get(n, (0, "")), (ratio, ours))
        for n in sorted(wanted - best.keys()):
            fail(f"goals.txt: {device} has no data of {what} at n = {format_size(n)} for {name!r}")
        lowest, n, ours = min((ratio, n, ours) for n, (ratio, ours) in best.items())
        held_count = sum(
            ratio >= float(goal) - 0.0005 for ratio, _ in best.values()
        )  # rounded to the three digits that the table shows
        key = f"{device}\t{name} {goal}"
        reached = (
            "yes"
            if held_count == len(best)
            else "no: " + (reasons.get(key) or fail(f"reasons.txt: no line {key!r}"))
        )
        yield (
            f"| {name}, {what.replace('.', ' of ')}, 2^{least} to 2^{most} | {device} | {goal} |"
            f" {lowest:.3f} (at {format_size(n)}, {ours}; {held_count} of {len(best)} sizes hold)"
            f" | {reached} |"
        )
