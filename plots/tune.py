#!/usr/bin/env python3
"""Where a step's defaults stand: its variants over group size x groups for each compute unit, the main one over the
widths of a load, too, at one n with a cold cache, several rounds over, in turn with what the step takes by itself
(by: step). Prints the best of each variant and width and how far the default is from it; RESULTS/tune/stepNN.dat
holds all rows, RESULTS/tune_NN.svg is their map.

    plots/tune.py STEP [RESULTS DEVICE]      07, or any other step that takes --groups; --group, where it takes that too

Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that folder too.
Set N (2^26), ROUNDS (3), ROW_SECONDS (0.1: how long a row is repeated; 3 times at least).
"""
import math
import re

from data import PLOTS, ROOT, fail, header, known, median, output_of, start, text, write_whole
from measure import STEPS, Call, count, devices, made, one_n, pictures, say, setting, show, variants

PER_UNIT = 1, 2, 4, 8, 16, 32  # groups for each compute unit
WIDTHS = 1, 2, 4, 8, 16
COLUMNS = ("variant width by group groups groups_per_unit rounds GBps GBps_min GBps_max percent_of_limit percent_of_best "
           "best_min best_max")


class Tuner:
    """One step on one device."""

    def __init__(self, program, facts):
        self.program, self.facts, self.units = program, facts, int(facts["compute_units"])
        # Powers of four on a CPU, where groups of one make sense and large ones are allowed; else of two from 32 on.
        first, factor = (1, 4) if facts["kind"] == "CPU" else (32, 2)
        most = int(math.log(int(facts["group_limit"]) / first, factor) + 1e-9)
        self.sizes = [first * factor**i for i in range(most + 1)]
        self.rows = {}  # (variant, width, by, group, groups) -> round -> row
        self.about = {}

    def takes(self, variant, *options):
        """Does a variant run with them here?"""
        call = Call(self.program, "--device", self.facts["number"], "--variant", variant, "--n", 1, "--reps", 3, "--seconds", 0,
                    *options)
        return call.must(0, 2, 77).status == 0  # 2: it has no use for them

    def choose(self):
        """Variants that take both options, else those that take --groups alone; fmin and min are nothing else for a sum.
        And whether the main one takes --width."""
        names = [name for name in variants(self.program) if name not in ("fmin", "min")]
        for group in (["--group", 64], []):
            chosen = [name for name in names if self.takes(name, "--groups", 1, *group)]
            if chosen:
                self.sizes = self.sizes if group else []
                return chosen, self.takes(chosen[0], "--width", 1)
        return fail(f"STEP={self.program.name[4:]}: none of its variants takes --groups here")

    def measure(self, by, variant, number, *options):
        """One call: a row for each group size and width."""
        call = Call(self.program, "--device", self.facts["number"], "--variant", variant, "--n", one_n("2^26"), "--reps", 3,
                    "--seconds", setting("ROW_SECONDS", 0.1), *options).must(0, 77)
        for file in call.files:
            self.about = self.about or file.about
            for row in file.rows:
                key = variant, row["width"], by, row["group"], row["groups"]
                self.rows.setdefault(key, {})[number] = row

    def round(self, number, variant, wide):
        """A variant's default and its whole map, once."""
        self.measure("step", variant, number)
        widths = []
        if wide:
            default = next(width for name, width, *_ in self.rows if name == variant)
            self.measure("step", variant, number, "--width", ",".join(str(width) for width in WIDTHS if str(width) != default))
            widths = ["--width", ",".join(map(str, WIDTHS))]
        for per in PER_UNIT:
            groups = ["--group", ",".join(map(str, self.sizes))] if self.sizes else []
            self.measure("tuner", variant, number, "--groups", per * self.units, *groups, *widths)

    def table(self, rounds):
        """The file. Percent are of the best median; their spread is by round: a slow moment slows both."""
        speed = {key: float(text(median(row.number("GBps") for row in rows.values()))) for key, rows in self.rows.items()}
        best = max(speed, key=speed.get)
        sizes = self.sizes or sorted({int(group) for _, _, _, group, _ in self.rows})
        n = next(iter(self.rows[best].values()))["n"]
        lines = [header(self.about, "step,operator,type,repetitions", rounds=rounds, n=n)
                 + f"# group sizes: {' '.join(map(str, sizes))}\n# GB = 1e9 B; percent 0-100; nan: missing", COLUMNS]
        for (variant, width, by, group, groups), rows in self.rows.items():
            key = variant, width, by, group, groups
            speeds = known(row.number("GBps") for row in rows.values())
            limit = median(row.number("percent_of_limit") for row in rows.values())
            shares = sorted(100 * rows[i].number("GBps") / self.rows[best][i].number("GBps") for i in rows if i in self.rows[best])
            lines.append(" ".join([variant, width, by, group, groups, f"{int(groups) / self.units:g}", str(len(rows))] + [
                text(value) for value in (speed[key], speeds[0], speeds[-1], limit, 100 * speed[key] / speed[best],
                                          shares[0] if shares else math.nan, shares[-1] if shares else math.nan)]))
        return "\n".join(lines) + "\n"


def main(arguments):
    """All devices."""
    if len(arguments) not in (1, 3):
        fail("usage: plots/tune.py STEP [RESULTS DEVICE]")
    step = arguments[0].zfill(2)
    program = ROOT / f"step{step}"
    if not re.fullmatch("[0-9]{2}", step) or program not in STEPS:
        fail(f"STEP={arguments[0]}: must be the number of a step that is built, as 07")
    rounds = count("ROUNDS", 3)
    output_of(program, "--n", one_n("2^26"), "--seconds", setting("ROW_SECONDS", 0.1), "--list")  # says what is wrong with them
    for facts, folder in devices(*arguments[1:]):
        tuner = Tuner(program, facts)
        names, wide = tuner.choose()
        path = made(folder / "tune") / f"step{step}.dat"
        for number in range(rounds):
            for i, variant in enumerate(names):
                show(f"round {number + 1} of {rounds}  {program.name} {variant}", number * len(names) + i, rounds * len(names))
                tuner.round(number, variant, wide and i == 0)
        if not tuner.rows:
            fail(f"not one row on device {facts['number']}")
        write_whole(path, tuner.table(rounds))
        say(f"data: {path}")
        print(output_of(PLOTS / "table.py", "--tune", path), end="")
        print(pictures(folder, f"tune_{step}.svg"))


if __name__ == "__main__":
    start(main)
