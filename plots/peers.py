"""Measures our fastest variants and other people's reductions in turn, for the sum of int and the
minimum of float over a range of n. Writes into RESULTS/peers/ the wall time of each program, and
the ratio of this time to that of our fastest variant at the same n: the median of the ratios of the
rounds, because a shared machine may be slower in one round than in the next."""

import re
from pathlib import Path

from calls import Call, Progress, get_number, get_setting, list_our_variants, print_once
from data import ROOT, fail, format_value, make_header, parse_number, replace_file
from data import summarise

ON_HOST = {"openmp", "serial", "std_reduce", "tbb"}  # these read the elements in the host's memory
FASTEST = "08:vectorised 10:block 11:counter 11:word"
# The number of sizes in one call: a program needs a second to start, but a tenth of a second to
# measure a small n.
AT_ONCE = 4


def choose_sizes(facts, default):
    """Returns those sizes of N that fit into the largest buffer of the device. N is a number, or a
    range in which each size is 2^STRIDE times the previous size."""
    wanted, stride = get_setting("N", default), get_number("STRIDE", 2)
    words = re.fullmatch(r"(?s)(.+?)(?:\.\.(.+))?", wanted)
    first, last = parse_number(words[1]), parse_number(words[2] or words[1])
    most = min(last or 0, int(facts["buffer_bytes"]) // 4 - 4096)
    sizes = [first << shift for shift in range(0, 60, stride) if first and first << shift <= most]
    return sizes or fail(
        f"N={wanted}: must be a size such as 2^10 or a range such as 2^10..2^20, and must fit into"
        " the largest buffer of this device"
    )


def measure_sizes(facts, kind, program, variant, what, sizes, turn, rows):
    """Adds the rows of one program for some sizes to `rows`. rows: kind, program, variant and n ->
    round -> row. If the result for a size is wrong, the size gets no rounds. kind: "ours" or
    "peer"."""
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
        get_setting("ROW_SECONDS", 0.1),
        "--limit-seconds",
        get_setting("LIMIT_SECONDS", 10),
        allowed_statuses=(0, 77) if kind == "ours" else range(-64, 256),
    )
    if call.status == 1 and len(sizes) > 1:  # some result is wrong: measure each size
        for n in sizes:
            measure_sizes(facts, kind, program, variant, what, [n], turn, rows)
        return
    if call.status == 1:
        rows[kind, name, "-", sizes[0]] = {}
    if call.status not in (0, 77):
        print_once(f"{name}: {call.output or f'ended with status {call.status}'}")
    for row in call.rows:
        names = (row["step"].replace(" ", "_"), row["variant"]) if kind == "ours" else (name, "-")
        rows.setdefault((kind, *names, int(row.n)), {})[turn] = row


def format_table(op, element_type, rounds, rows):
    """Yields the lines of a data file: medians over the rounds, and ratios to our fastest variant.
    The rows are sorted by program, because gnuplot draws a line through neighbouring rows."""
    walls = {key: summarise(row.wall_med for row in found.values()) for key, found in rows.items()}
    fastest = {}  # n -> the rounds of our variant with the shortest median
    ours = (key for key, found in rows.items() if key[0] == "ours" and found)
    for key in sorted(ours, key=lambda key: walls[key][0]):
        fastest.setdefault(key[-1], rows[key])
    yield make_header(
        next(row.file for found in rows.values() for row in found.values()),
        operator=op,
        type=element_type,
        rounds=rounds,
    )
    if element_type == "int" and any(name == "clblast" for _, name, *_ in rows):
        yield "# note: clblast: the sum of floats, because it has no sum of ints"
    yield (
        "# seconds of wall time: median, lowest and highest value over the rounds; ratio: to our"
        " fastest variant at the same n, the median over the rounds"
    )
    yield "kind program variant n wall wall_low wall_high ratio verdict"
    for key, found in sorted(rows.items()):
        base = fastest.get(key[-1], {})
        ratio, *_ = summarise(
            row.wall_med / base[turn].wall_med for turn, row in found.items() if turn in base
        )
        verdict = "right" if found else "wrong"
        yield " ".join([*map(str, key), *map(format_value, [*walls[key], ratio]), verdict])


def measure_peers(facts):
    """Measures all peers on one device. Writes the file again after every few sizes, so an
    interrupted measurement keeps its rows. Only the last time the file ends with `# end`."""
    others = [
        Path(name) if "/" in name else ROOT / f"build/peer_{name}"
        for name in get_setting("PEERS").split()
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
    ]  # peers that could not be compiled are skipped
    programs = [("ours", *one) for one in list_our_variants(FASTEST)] + [
        ("peer", one, "all") for one in others
    ]
    default = "2^10..2^24" if int(facts["compute_units"]) < 8 else "2^10..2^28"
    sizes, rounds = choose_sizes(facts, default), get_number("ROUNDS", 3)
    Progress.begin(2 * rounds * -(-len(sizes) // AT_ONCE) * len(programs))
    for op, element_type in (("sum", "int"), ("min", "float")):
        what, rows = ["--op", op, "--type", element_type], {}
        for turn in range(1, rounds + 1):
            for at in range(0, len(sizes), AT_ONCE):
                for program in programs:
                    measure_sizes(facts, *program, what, sizes[at : at + AT_ONCE], turn, rows)
                if not any(kind == "ours" for kind, *_ in rows):
                    fail(
                        f"no row of the {op} of {element_type}: no chosen variant supports it;"
                        " choose other values of OURS"
                    )
                is_complete = turn == rounds and at + AT_ONCE >= len(sizes)
                replace_file(
                    facts["folder"] / f"peers/{op}.{element_type}.dat",
                    [*format_table(op, element_type, turn, rows), *["# end"] * is_complete],
                )
