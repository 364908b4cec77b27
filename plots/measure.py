#!/usr/bin/env python3
"""Measures, writes the data into a folder of results, and draws the pictures that this data allows.

    plots/measure.py steps|bench|accuracy|peri|jin|catz|eigen|tune|peers
                   for the make targets plots, bench, article-peri …

Settings come from the environment:

    DEVICE         number or part of a name; without it every CPU in turn
    RESULTS        the folder; without it results/<platform>-<device>-<host>
    N              steps 2^10..2^26, bench 2^27, tune 2^26, an article its own n,
                   peers 2^10..2^28; less on a small machine
    ROW_SECONDS    how long a row is repeated: 0.3, for tune and peers 0.1
    ROUNDS         3, for bench 5 if n is at least 2^20
    OP, TYPE       for steps and bench: without them the sum of int, which the pictures show
    STEP           for tune
    OURS           for bench and peers: variants, such as "10:streams 11:tiles"
    PEERS          for peers: names; paths of programs too if make does not run this program
    STRIDE         for peers: 2, every second power of two
    LIMIT_SECONDS  for peers: 10, rows that would take longer are left out"""

import re
import shutil
import sys

import peers
from calls import STEPS, Call, Progress, devices, number, ours, print_once, setting, variants
from data import (
    NEEDED,
    PLOTS,
    ROOT,
    fail,
    header,
    median,
    output_of,
    spread,
    start,
    text,
    write_whole,
)

BENCH, TUNE = (NEEDED[name]["columns"] for name in ("bench.dat", "tune/*.dat"))
LISTED = dict(
    re.findall(
        r"^(\w+): (.*\n(?:\d.*\n)+)",
        (PLOTS / "experiments.txt").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
)


def steps(facts):
    """Measures every step's main variant over a range of sizes."""
    Progress.begin(len(STEPS))
    for program in STEPS:
        Call(
            facts,
            program,
            "--sweep",
            setting("N", "2^10..2^26"),
            "--op",
            setting("OP", "sum"),
            "--type",
            setting("TYPE", "int"),
            "--seconds",
            setting("ROW_SECONDS", 0.3),
            into=facts["folder"],
        )


def bench(facts):
    """Measures all steps and variants at one n, and OpenMP on a CPU, in turn, round after round.
    The file is written after each program, so a run that ends early leaves its rows."""
    n, lines, columns = number("N", "2^27"), [], BENCH.split()[4:]
    small = n < 2**20  # a row takes microseconds
    rounds = number("ROUNDS", 3 if small else 5)
    options = [
        "--n",
        n,
        "--op",
        setting("OP", "sum"),
        "--type",
        setting("TYPE", "int"),
        "--limit-seconds",
        600,
        "--seconds",
        setting("ROW_SECONDS", 0.03 if small else 0.3),
    ]
    programs = ours() or [(program, "all") for program in STEPS]
    programs += (
        [(ROOT / "build/peer_openmp", "all")] if facts["kind"] == "CPU" else []
    )  # it reads the elements in the host's memory
    Progress.begin(rounds * len(programs))
    for done in range(1, rounds + 1):
        for program, variant in programs:
            rows = Call(facts, program, "--variant", variant, *options).rows
            lines += [
                " ".join([row["step"], row["variant"], str(done), *(row[name] for name in columns)])
                for row in rows
            ]
            if rows:
                head = header(
                    rows[0].file, "operator,type,repetitions", rounds=done, n=n, rows=len(lines)
                )
                write_whole(
                    facts["folder"] / "bench.dat",
                    [head, "# seconds; GB = 1e9 B; percent 0-100", BENCH, *lines],
                )
    if not lines:
        fail("nothing to measure: none of the chosen variants has this operator and type here")
    print(output_of(PLOTS / "table.py", "--bench", facts["folder"]), end="")


def listed(what):
    """An experiment of experiments.txt: its options, and its rows of step, variant and further
    options."""
    options, *rows = [line.split() for line in LISTED[what].splitlines()]
    return options, rows


def accuracy(facts):
    """The error of a sum of floats over n for several orders of additions, and its bound. Each step
    has a program for that, made of plots/accuracy/accuracy.c."""
    options, rows = listed("accuracy")
    for step, variant in rows:
        program, into = ROOT / f"build/accuracy{step}", facts["folder"] / "accuracy"
        for row in Call(facts, program, "--variant", variant, *options, into=into).rows:
            print(
                f"{step} {variant:15} {row.n:9.0f}  error {row.error:8.2g}  bound"
                f" {text(row.bound, '8.2g', 'none')}"
            )


def article(facts, what):
    """An article's experiment, from experiments.txt: measures its rows and prints them."""
    options, rows = listed(what)
    into, published, units, cannot = (
        facts["folder"] / f"article-{what}",
        options[1],
        int(facts["compute_units"]),
        [],
    )
    options[1] = n = number("N", published)
    if not setting("N") and (
        4 * (n + 4096) > int(facts["buffer_bytes"]) or n > 2**26 and units < 8
    ):
        options[1] = n = 2**24
        print(
            f"scaled down: n = 2^24, not {published}, because this machine is small; N={published}"
            " measures it nevertheless"
        )

    def filled(word, group):
        name, _, count = word.partition(":")
        return {
            "largest": group,
            "wgs": 256 if facts["kind"] == "GPU" else 512,
            "units": int(count or 1) * units,
            "each": -(-n // (int(count or 1) * group)),
        }.get(name, word)

    Progress.begin(
        0 if any("largest" in own for own in rows) else len(rows)
    )  # that one may take several calls
    for step, variant, *own in rows:
        # A kernel's largest group may be smaller than the device's, because of its local memory.
        for group in (
            [int(facts["group_limit"]) >> i for i in range(5)] if "largest" in own else [256]
        ):
            call = Call(
                facts,
                ROOT / f"step{step}",
                "--variant",
                variant,
                *options,
                *(filled(word, group) for word in own),
                into=into,
            )
            if call.status == 0:
                break
        cannot += [f"{step}_{variant} {call.said}"] * (call.status == 77)
        for row in call.rows:
            name = f"{step} {variant} x{row['width']}".removesuffix(" x1")
            print(
                f"{name:18} {row.n:9.0f} {1e3 * row.wall_med:9.3f} ms {row.GBps:7.2f} GB/s"
                f" {row.percent_of_limit:5.1f} %limit"
            )
    if cannot:  # the picture says so; data that is missing without a line here is a mistake
        write_whole(into / "cannot.txt", cannot)


def eigen(facts):
    """Measures step 12 over n, the rows of its matrix: all versions as in the article, and ours
    until its two bounds meet."""
    program, into = ROOT / "step12", facts["folder"] / "article-eigen"
    sizes = setting("N", ",".join(str(2**k) for k in range(7, 14)))
    output_of(program, "--n", sizes, "--list")  # fails if the sizes are wrong
    print_once(
        Call(
            facts,
            program,
            "--n",
            sizes,
            "--version",
            "all",
            "--stop",
            "article",
            into=into,
            expected=(0, 1),
        ).said,
        sys.stdout,
    )
    Call(facts, program, "--n", sizes, "--max-rounds", 40, into=into / "bounds", expected=(0, 1))


def geometries(facts, program):
    """The calls of the tuner: "step" (the step's own geometry) or "tuner", then the variant and its
    options."""
    takes = (
        lambda variant, *options: Call(
            facts,
            program,
            "--variant",
            variant,
            "--n",
            1,
            "--reps",
            3,
            "--seconds",
            0,
            *options,
            expected=(0, 2, 77),
        ).status
        == 0
    )  # 2: the variant does not use these options
    # A CPU has useful groups from one work-item to thousands: powers of four keep the list short.
    sizes = [4**i for i in range(9)] if facts["kind"] == "CPU" else [32 * 2**i for i in range(9)]
    sizes = ["--group", ",".join(str(size) for size in sizes if size <= int(facts["group_limit"]))]
    names = [
        name for name, _, _ in variants(program) if name not in ("fmin", "min")
    ]  # for a sum they equal the others
    both = [name for name in names if takes(name, "--groups", 1, "--group", 64)]
    chosen = both or [name for name in names if takes(name, "--groups", 1)]
    for name in chosen:
        widths = (
            ["--width", "1,2,4,8,16"] if name == chosen[0] and takes(name, "--width", 1) else []
        )
        yield "step", name
        if widths:
            yield "step", name, *widths
        for per_unit in (1, 2, 4, 8, 16, 32):
            yield (
                "tuner",
                name,
                "--groups",
                per_unit * int(facts["compute_units"]),
                *widths,
                *(sizes if both else []),
            )


def tune(facts):
    """Measures a step's variants over group size and groups for each compute unit, and the main
    variant over widths too, in turn with the step's own geometry (by: step). A row has medians over
    the rounds. Its shares of the best are taken within each round, because a slow moment of the
    machine slows both."""
    program = ROOT / f"step{setting('STEP').zfill(2)}"
    if program not in STEPS:
        fail(f"STEP={setting('STEP')}: must be the number of a step, such as 07")
    n, rounds, of = number("N", "2^26"), number("ROUNDS", 3), {}
    options = ["--n", n, "--reps", 3, "--seconds", setting("ROW_SECONDS", 0.1)]
    output_of(program, *options, "--list")  # fails if an option is wrong
    calls = list(geometries(facts, program)) or fail(
        f"STEP={setting('STEP')}: none of its variants uses --groups here"
    )
    Progress.begin(rounds * len(calls))
    for turn in range(rounds):
        for by, variant, *geometry in calls:
            for row in Call(facts, program, "--variant", variant, *geometry, *options).rows:
                of.setdefault((variant, row["width"], by, row["group"], row["groups"]), {})[
                    turn
                ] = row
    if not of:
        fail(f"no row could be measured on device {facts['number']}")
    speed = {
        key: float(text(median(row.GBps for row in rows.values()))) for key, rows in of.items()
    }
    best = max(speed, key=speed.get)
    lines = []
    for key, rows in of.items():
        _, low, high = spread(row.GBps for row in rows.values())
        _, least, most = spread(
            100 * row.GBps / of[best][turn].GBps for turn, row in rows.items() if turn in of[best]
        )
        limit, per_unit = median(row.percent_of_limit for row in rows.values()), int(key[-1]) / int(
            facts["compute_units"]
        )
        lines.append(
            " ".join(
                [
                    *key,
                    f"{per_unit:g}",
                    str(len(rows)),
                    *map(
                        text,
                        (speed[key], low, high, limit, 100 * speed[key] / speed[best], least, most),
                    ),
                ]
            )
        )
    sizes = " ".join(map(str, sorted({int(group) for _, _, by, group, _ in of if by == "tuner"})))
    head = header(
        next(iter(of[best].values())).file,
        "step,operator,type,repetitions",
        rounds=rounds,
        n=n,
        rows=len(lines),
    )
    path = facts["folder"] / f"tune/{program.name}.dat"
    write_whole(
        path,
        [
            head,
            f"# group sizes: {sizes}",
            "# GB = 1e9 B; percent 0-100; nan: missing",
            TUNE,
            *lines,
        ],
    )
    print(output_of(PLOTS / "table.py", "--tune", path), end="")


def main(arguments):
    """Runs an experiment on all chosen devices. Without gnuplot the data is written, but no
    picture."""
    experiments = {name: lambda facts: article(facts, arguments[0]) for name in LISTED} | {
        "steps": steps,
        "bench": bench,
        "accuracy": accuracy,
        "tune": tune,
        "peers": peers.peers,
        "eigen": eigen,
    }
    if len(arguments) != 1 or arguments[0] not in experiments:
        fail(f"usage: plots/measure.py {'|'.join(experiments)}")
    chosen, other = (
        devices(),
        setting("OP", "sum") + setting("TYPE", "int") != "sumint",
    )  # pictures and ladder show the sum of int
    for facts in chosen:
        experiments[arguments[0]](facts)
        alone = (
            other
            if arguments[0] == "steps"
            else arguments[0] == "bench" and not (facts["folder"] / "bars.svg").exists()
        )
        drawn = (
            ""
            if alone
            else " and pictures" if shutil.which("gnuplot") else "; pictures need gnuplot"
        )
        if drawn == " and pictures":
            output_of(PLOTS / "draw.py", facts["folder"])
        print(f"data{drawn}: {facts['folder']}", flush=True)
    if arguments[0] == "steps" and not other:
        print(output_of(PLOTS / "table.py", *(facts["folder"] for facts in chosen)), end="")


if __name__ == "__main__":
    start(main)
