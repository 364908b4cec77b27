#!/usr/bin/env python3
"""Measures, writes data into a folder of results, draws what there is to draw.

    plots/measure.py steps|bench|accuracy|peri|jin|catz|eigen|tune|peers      for the make targets plots, bench, article-peri …

Set DEVICE (without: every CPU in turn), RESULTS (results/<platform>-<device>-<host>), N (steps 2^10..2^26, bench 2^27, tune
2^26, an article its own or on a small machine 2^24, peers 2^10..2^28 or on one 2^10..2^24), ROW_SECONDS (0.3, tune and peers
0.1: how long a row is repeated), ROUNDS (3, bench from 2^20 on 5); for steps and bench OP and TYPE (sum of int, which the
pictures show); for tune STEP; for bench and peers OURS (such as "10:streams 11:tiles"), for peers PEERS (names, or without
make paths of programs), STRIDE (2: of N's powers of two every second one), LIMIT_SECONDS (10: longer rows are left out)."""
import re
import shutil
import sys

import peers
from calls import STEPS, Call, devices, number, ours, say, setting, variants
from data import NEEDED, PLOTS, ROOT, fail, header, median, output_of, spread, start, text, write_whole

BENCH, TUNE = (NEEDED[name]["columns"] for name in ("bench.dat", "tune/*.dat"))
LISTED = dict(re.findall(r"^(\w+): (.*\n(?:\d.*\n)+)", (PLOTS / "experiments.txt").read_text(encoding="utf-8"), re.MULTILINE))


def steps(facts):
    """Every step's main variant over a range of sizes; then the ladder."""
    for program in STEPS:
        Call(facts, program, "--sweep", setting("N", "2^10..2^26"), "--op", setting("OP", "sum"), "--type", setting("TYPE", "int"),
             "--seconds", setting("ROW_SECONDS", 0.3), into=facts["folder"])


def bench(facts):
    """All steps and variants at one n, and on a CPU OpenMP, in turn, round after round. What is measured stays if it ends early."""
    n, lines, columns = number("N", "2^27"), [], BENCH.split()[4:]
    small = n < 2**20  # a row takes microseconds
    rounds = number("ROUNDS", 3 if small else 5)
    options = ["--n", n, "--op", setting("OP", "sum"), "--type", setting("TYPE", "int"), "--limit-seconds", 600,
               "--seconds", setting("ROW_SECONDS", 0.03 if small else 0.3)]
    programs = ours() or [(program, "all") for program in STEPS]
    programs += [(ROOT / "build/peer_openmp", "all")] if facts["kind"] == "CPU" else []  # its elements lie with the host
    for done in range(1, rounds + 1):
        for program, variant in programs:
            rows = Call(facts, program, "--variant", variant, *options).rows
            lines += [" ".join([row["step"], row["variant"], str(done), *(row[name] for name in columns)]) for row in rows]
            if rows:
                head = header(rows[0].file, "operator,type,repetitions", rounds=done, n=n, rows=len(lines))
                write_whole(facts["folder"] / "bench.dat", [head, "# seconds; GB = 1e9 B; percent 0-100", BENCH, *lines])
    if not lines:
        fail("nothing to measure: none of the chosen variants does this")
    print(output_of(PLOTS / "table.py", "--bench", facts["folder"]), end="")


def listed(what):
    """The options of an experiment of experiments.txt, and its rows: step, variant, further options."""
    options, *rows = [line.split() for line in LISTED[what].splitlines()]
    return options, rows


def accuracy(facts):
    """The error of a sum of floats over n for several orders of additions, and its bound. Each step has a program for that, made
    of plots/accuracy/accuracy.c."""
    options, rows = listed("accuracy")
    for step, variant in rows:
        program, into = ROOT / f"build/accuracy{step}", facts["folder"] / "accuracy"
        for row in Call(facts, program, "--variant", variant, *options, into=into).rows:
            print(f"{step} {variant:15} {row.n:9.0f}  error {row.error:8.2g}  bound {text(row.bound, '8.2g', 'none')}")


def article(facts, what):
    """An article's experiment, from experiments.txt: measures its rows and prints them."""
    options, rows = listed(what)
    into, published, units, cannot = facts["folder"] / f"article-{what}", options[1], int(facts["compute_units"]), []
    options[1] = n = number("N", published)
    if not setting("N") and (4 * (n + 4096) > int(facts["buffer_bytes"]) or n > 2**26 and units < 8):
        options[1] = n = 2**24
        print(f"scaled down: n = 2^24, not {published}, as this machine is small; N={published} measures it nevertheless")

    def filled(word, group):
        name, _, count = word.partition(":")
        return {"largest": group, "wgs": 256 if facts["kind"] == "GPU" else 512, "units": int(count or 1) * units,
                "each": -(-n // (int(count or 1) * group))}.get(name, word)

    for step, variant, *own in rows:
        # A kernel may take less than the device: its local memory decides.
        for group in [int(facts["group_limit"]) >> i for i in range(5)] if "largest" in own else [256]:
            call = Call(facts, ROOT / f"step{step}", "--variant", variant, *options, *(filled(word, group) for word in own),
                        into=into)
            if call.status == 0:
                break
        cannot += [f"{step}_{variant} {call.said}"] * (call.status == 77)
        for row in call.rows:
            name = f"{step} {variant} x{row['width']}".removesuffix(" x1")
            print(f"{name:18} {row.n:9.0f} {1e3 * row.wall_med:9.3f} ms {row.GBps:7.2f} GB/s {row.percent_of_limit:5.1f} %limit")
    if cannot:  # which a picture says, while what is only missing is a mistake
        write_whole(into / "cannot.txt", cannot)


def eigen(facts):
    """Step 12 over n, which are rows: the article's own run of all versions, and ours until the bounds meet."""
    program, into = ROOT / "step12", facts["folder"] / "article-eigen"
    sizes = setting("N", ",".join(str(2**k) for k in range(7, 14)))
    output_of(program, "--n", sizes, "--list")  # says what is wrong with them
    say(Call(facts, program, "--n", sizes, "--version", "all", "--stop", "article", into=into, expected=(0, 1)).said, sys.stdout)
    Call(facts, program, "--n", sizes, "--max-rounds", 40, into=into / "bounds", expected=(0, 1))


def geometries(facts, program):
    """What the tuner calls a step with: by whom, the variant, options."""
    takes = lambda variant, *options: Call(facts, program, "--variant", variant, "--n", 1, "--reps", 3, "--seconds", 0, *options,
                                           expected=(0, 2, 77)).status == 0  # 2: it has no use for them
    # On a CPU groups of one make sense, and large ones are allowed: powers of four.
    sizes = [4**i for i in range(9)] if facts["kind"] == "CPU" else [32 * 2**i for i in range(9)]
    sizes = ["--group", ",".join(str(size) for size in sizes if size <= int(facts["group_limit"]))]
    names = [name for name, _, _ in variants(program) if name not in ("fmin", "min")]  # nothing else for a sum
    both = [name for name in names if takes(name, "--groups", 1, "--group", 64)]
    chosen = both or [name for name in names if takes(name, "--groups", 1)]
    for name in chosen:
        widths = ["--width", "1,2,4,8,16"] if name == chosen[0] and takes(name, "--width", 1) else []
        yield "step", name
        if widths:
            yield "step", name, *widths
        for per_unit in (1, 2, 4, 8, 16, 32):
            yield "tuner", name, "--groups", per_unit * int(facts["compute_units"]), *widths, *(sizes if both else [])


def tune(facts):
    """A step's variants over group size x groups for each compute unit, the main one over widths: medians over the rounds, in turn
    with what the step takes by itself (by: step). Percent are of the best; their spread is by round: a slow moment slows both."""
    program = ROOT / f"step{setting('STEP').zfill(2)}"
    if program not in STEPS:
        fail(f"STEP={setting('STEP')}: must be the number of a step, as 07")
    n, rounds, of = number("N", "2^26"), number("ROUNDS", 3), {}
    options = ["--n", n, "--reps", 3, "--seconds", setting("ROW_SECONDS", 0.1)]
    output_of(program, *options, "--list")  # says what is wrong with them
    calls = list(geometries(facts, program)) or fail(f"STEP={setting('STEP')}: none of its variants takes --groups here")
    for turn in range(rounds):
        for by, variant, *geometry in calls:
            for row in Call(facts, program, "--variant", variant, *geometry, *options).rows:
                of.setdefault((variant, row["width"], by, row["group"], row["groups"]), {})[turn] = row
    if not of:
        fail(f"not one row on device {facts['number']}")
    speed = {key: float(text(median(row.GBps for row in rows.values()))) for key, rows in of.items()}
    best = max(speed, key=speed.get)
    lines = []
    for key, rows in of.items():
        _, low, high = spread(row.GBps for row in rows.values())
        _, least, most = spread(100 * row.GBps / of[best][turn].GBps for turn, row in rows.items() if turn in of[best])
        limit, per_unit = median(row.percent_of_limit for row in rows.values()), int(key[-1]) / int(facts["compute_units"])
        lines.append(" ".join([*key, f"{per_unit:g}", str(len(rows)), *map(text, (
            speed[key], low, high, limit, 100 * speed[key] / speed[best], least, most))]))
    sizes = " ".join(map(str, sorted({int(group) for _, _, by, group, _ in of if by == "tuner"})))
    head = header(next(iter(of[best].values())).file, "step,operator,type,repetitions", rounds=rounds, n=n, rows=len(lines))
    path = facts["folder"] / f"tune/{program.name}.dat"
    write_whole(path, [head, f"# group sizes: {sizes}", "# GB = 1e9 B; percent 0-100; nan: missing", TUNE, *lines])
    print(output_of(PLOTS / "table.py", "--tune", path), end="")


def main(arguments):
    """On all devices; what was measured stays without its pictures where there is no gnuplot."""
    experiments = {name: lambda facts: article(facts, arguments[0]) for name in LISTED} | {
        "steps": steps, "bench": bench, "accuracy": accuracy, "tune": tune, "peers": peers.peers, "eigen": eigen}
    if len(arguments) != 1 or arguments[0] not in experiments:
        fail(f"usage: plots/measure.py {'|'.join(experiments)}")
    chosen, other = devices(), setting("OP", "sum") + setting("TYPE", "int") != "sumint"  # pictures and ladder are of that
    for facts in chosen:
        experiments[arguments[0]](facts)
        alone = other if arguments[0] == "steps" else arguments[0] == "bench" and not (facts["folder"] / "bars.svg").exists()
        drawn = "" if alone else " and pictures" if shutil.which("gnuplot") else "; pictures need gnuplot"
        if drawn == " and pictures":
            output_of(PLOTS / "draw.py", facts["folder"])
        print(f"data{drawn}: {facts['folder']}", flush=True)
    if arguments[0] == "steps" and not other:
        print(output_of(PLOTS / "table.py", *(facts["folder"] for facts in chosen)), end="")


if __name__ == "__main__":
    start(main)
