"""Our fastest variants and other people's reductions, in turn: sum of int and minimum of float over a range of n, for each the
wall time, and how many times as long as our fastest a peer takes: RESULTS/peers/, with pictures."""
import math
import re
from pathlib import Path

from calls import Call, number, ours, say, setting
from data import ROOT, fail, header, median, spread, text, write_whole

ON_HOST = {"openmp", "serial", "std_reduce", "tbb"}  # that read the elements on the host
FASTEST = "08:vectorised 11:streams 11:tiles"
AT_ONCE = 4  # sizes in a call, before the next program's turn: one starts in a second, and measures a small n in a tenth


def sizes_for(facts):
    """As far as the device's largest buffer goes."""
    wanted = setting("N", "2^10..2^24" if int(facts["compute_units"]) < 8 else "2^10..2^28")
    found = re.fullmatch(r"2\^([0-9]+)(?:\.\.2\^([0-9]+))?", wanted)
    powers = range(int(found[1]), int(found[2] or found[1]) + 1, number("STRIDE", 2)) if found else []
    sizes = [2**power for power in powers if 4 * (2**power + 4096) <= int(facts["buffer_bytes"])]
    return sizes or fail(f"N={wanted}: must be a range such as 2^10..2^20, or one such as 2^10, that this device has room for")


def measure(facts, who, program, variant, what, sizes, rows):
    """Adds the rows of one program over some sizes. A wrong result is one without a number."""
    name = program.name.removeprefix("peer_")
    if name == "clblast" and what[-1] == "int":
        what = [*what[:-1], "float"]
    call = Call(facts, program, "--variant", variant, *what, "--n", ",".join(map(str, sizes)), "--seconds",
                setting("ROW_SECONDS", 0.1), "--limit-seconds", setting("LIMIT_SECONDS", 10),
                expected=(0, 77) if who == "ours" else range(-64, 256))
    if call.status == 1 and len(sizes) > 1:  # which of them is it?
        for n in sizes:
            measure(facts, who, program, variant, what, [n], rows)
        return
    if call.status == 1:
        rows[who, name, "-", sizes[0]] = []
    if call.status not in (0, 77):
        say(f"{name}: {call.said or f'ended with status {call.status}'}")
    for row in call.rows:
        names = (row["step"].replace(" ", "_"), row["variant"]) if who == "ours" else (name, "-")
        rows.setdefault((who, *names, int(row.n)), []).append(row)


def table(op, kind, rounds, rows):
    """Medians over the rounds, programs one below the other as gnuplot draws them, ratios to the fastest of ours."""
    walls, best = {key: spread(row.wall_med for row in found) for key, found in rows.items()}, {}
    for (who, *_, n), (wall, *_) in walls.items():
        best[n] = min(best.get(n, math.inf), wall if who == "ours" else math.inf)
    yield header(next(row.file for found in rows.values() for row in found), operator=op, type=kind, rounds=rounds, rows=len(rows))
    if kind == "int" and any(name == "clblast" for _, name, *_ in rows):
        yield "# note: clblast: the sum of floats, as it knows no sum of ints"
    yield ("# seconds of wall time: median of the rounds, lowest, highest; ratio: to the fastest of ours at that n; "
           "span: of the kernels, likewise; floor: an empty launch and the bytes at the read limit, measured beside it")
    yield "kind program variant n wall wall_low wall_high ratio verdict span span_low span_high floor"
    for key, found in sorted(rows.items()):
        times = [*walls[key], walls[key][0] / best[key[-1]] if best[key[-1]] < math.inf else math.nan]
        others = [*spread(row.span_med for row in found), median(row.floor_seconds for row in found)]
        yield " ".join([*map(str, key), *map(text, times), "right" if found else "wrong", *map(text, others)])


def peers(facts):
    """On one device; a run that ends early leaves the rounds and sizes that it has measured."""
    others = [Path(name) if "/" in name else ROOT / f"build/peer_{name}" for name in setting("PEERS").split()]
    _ = [fail(f"PEERS={one}: no such program") for one in others if one.parent.name != "build" and not one.exists()]
    others = [one for one in others if one.exists() and (facts["kind"] == "CPU" or one.name[5:] not in ON_HOST)]  # it compiled
    programs = [("ours", *one) for one in ours(FASTEST)] + [("peer", one, "all") for one in others]
    sizes, rounds = sizes_for(facts), number("ROUNDS", 3)
    for op, kind in (("sum", "int"), ("min", "float")):
        what, rows = ["--op", op, "--type", kind], {}
        for done in range(1, rounds + 1):
            for at in range(0, len(sizes), AT_ONCE):
                for program in programs:
                    measure(facts, *program, what, sizes[at:at + AT_ONCE], rows)
                if not any(who == "ours" for who, *_ in rows):
                    fail(f"no row of the {op} of {kind}: none of these does it")
                write_whole(facts["folder"] / f"peers/{op}.{kind}.dat", table(op, kind, done, rows))
