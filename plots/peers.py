"""Measures our fastest variants and other people's reductions in turn, for the sum of int and the
minimum of float over a range of n. RESULTS/peers/ holds the wall time of each, and its ratio to the
wall time of our fastest variant at that n."""

import math
import re
from pathlib import Path

from calls import Call, Progress, number, ours, print_once, setting
from data import ROOT, fail, header, median, spread, text, write_whole

ON_HOST = {"openmp", "serial", "std_reduce", "tbb"}  # these read the elements in the host's memory
FASTEST = "08:vectorised 11:streams 11:tiles"
AT_ONCE = (
    4  # sizes in one call: a program needs a second to start, but a tenth of a second for a small n
)


def sizes_for(facts):
    """The sizes of N, up to the device's largest buffer."""
    wanted = setting("N", "2^10..2^24" if int(facts["compute_units"]) < 8 else "2^10..2^28")
    found = re.fullmatch(r"2\^([0-9]+)(?:\.\.2\^([0-9]+))?", wanted)
    powers = (
        range(int(found[1]), int(found[2] or found[1]) + 1, number("STRIDE", 2)) if found else []
    )
    sizes = [2**power for power in powers if 4 * (2**power + 4096) <= int(facts["buffer_bytes"])]
    return sizes or fail(
        f"N={wanted}: must be a size such as 2^10, or a range such as 2^10..2^20, for which this"
        " device has room"
    )


def measure(facts, who, program, variant, what, sizes, rows):
    """Adds the rows of one program over some sizes. A size with a wrong result gets an empty list
    of rows."""
    name = program.name.removeprefix("peer_")
    if name == "clblast" and what[-1] == "int":
        what = [*what[:-1], "float"]
    call = Call(
        facts,
        program,
        "--variant",
        variant,
        *what,
        "--n",
        ",".join(map(str, sizes)),
        "--seconds",
        setting("ROW_SECONDS", 0.1),
        "--limit-seconds",
        setting("LIMIT_SECONDS", 10),
        expected=(0, 77) if who == "ours" else range(-64, 256),
    )
    if call.status == 1 and len(sizes) > 1:  # at least one size is wrong: measure each alone
        for n in sizes:
            measure(facts, who, program, variant, what, [n], rows)
        return
    if call.status == 1:
        rows[who, name, "-", sizes[0]] = []
    if call.status not in (0, 77):
        print_once(f"{name}: {call.said or f'ended with status {call.status}'}")
    for row in call.rows:
        names = (row["step"].replace(" ", "_"), row["variant"]) if who == "ours" else (name, "-")
        rows.setdefault((who, *names, int(row.n)), []).append(row)


def table(op, kind, rounds, rows):
    """The lines of a data file: medians over the rounds, sorted by program because gnuplot draws a
    line through neighbouring rows, and ratios to the fastest of ours."""
    walls, best = {key: spread(row.wall_med for row in found) for key, found in rows.items()}, {}
    for (who, *_, n), (wall, *_) in walls.items():
        best[n] = min(best.get(n, math.inf), wall if who == "ours" else math.inf)
    yield header(
        next(row.file for found in rows.values() for row in found),
        operator=op,
        type=kind,
        rounds=rounds,
        rows=len(rows),
    )
    if kind == "int" and any(name == "clblast" for _, name, *_ in rows):
        yield "# note: clblast: the sum of floats, as it knows no sum of ints"
    yield (
        "# seconds of wall time: median of the rounds, lowest, highest; ratio: to the fastest of"
        " ours at that n; span: of the kernels, likewise; floor: an empty launch and the bytes at"
        " the read limit, measured beside it"
    )
    yield (
        "kind program variant n wall wall_low wall_high ratio verdict span span_low span_high floor"
    )
    for key, found in sorted(rows.items()):
        times = [
            *walls[key],
            walls[key][0] / best[key[-1]] if best[key[-1]] < math.inf else math.nan,
        ]
        others = [
            *spread(row.span_med for row in found),
            median(row.floor_seconds for row in found),
        ]
        yield " ".join(
            [*map(str, key), *map(text, times), "right" if found else "wrong", *map(text, others)]
        )


def peers(facts):
    """Measures on one device. A run that ends early leaves the rounds and sizes that it has
    measured."""
    others = [
        Path(name) if "/" in name else ROOT / f"build/peer_{name}"
        for name in setting("PEERS").split()
    ]
    _ = [
        fail(f"PEERS={one}: no such program")
        for one in others
        if one.parent.name != "build" and not one.exists()
    ]
    others = [
        one
        for one in others
        if one.exists() and (facts["kind"] == "CPU" or one.name[5:] not in ON_HOST)
    ]  # the ones that compiled
    programs = [("ours", *one) for one in ours(FASTEST)] + [("peer", one, "all") for one in others]
    sizes, rounds = sizes_for(facts), number("ROUNDS", 3)
    Progress.begin(2 * rounds * -(-len(sizes) // AT_ONCE) * len(programs))
    for op, kind in (("sum", "int"), ("min", "float")):
        what, rows = ["--op", op, "--type", kind], {}
        for done in range(1, rounds + 1):
            for at in range(0, len(sizes), AT_ONCE):
                for program in programs:
                    measure(facts, *program, what, sizes[at : at + AT_ONCE], rows)
                if not any(who == "ours" for who, *_ in rows):
                    fail(f"no row of the {op} of {kind}: none of these does it")
                write_whole(facts["folder"] / f"peers/{op}.{kind}.dat", table(op, kind, done, rows))
