#!/usr/bin/env python3
"""Markdown tables from .dat files alone.

plots/table.py RESULTS…      the ladder: each step's main variant at the largest n, and its best
plots/table.py --bench RESULTS…     the rows of bench.dat: every variant, and OpenMP
plots/table.py --tune DATA…    the files of make tune: the best geometries, and the default
plots/table.py --readme   writes the tables and captions of plots/results into the texts
"""

import math
import re
from itertools import chain
from pathlib import Path

import captions
import goals
from calls import STEPS, variants
from data import (
    PLOTS,
    ROOT,
    Data,
    fail,
    files,
    folders,
    lines_of,
    power,
    shares,
    spread,
    start,
    text,
    write_whole,
)

line = lambda *cells: f"| {' | '.join(cells)} |"


def largest(folder, mains, *columns):
    """The n to compare steps at, whether it is the n of a bench, and for each column its medians
    there by name. A bench is used if it has all steps, the sum of int, and an n so large that
    reading dominates. Otherwise it is the largest n of the steps' files."""
    bench = [
        row
        for path in Path(folder).glob("bench.dat")
        for row in Data(path).rows
        if row["operator"] + row["type"] == "sumint" and row.n >= 2**24
    ]
    steps, benched = {file.step for file in mains}, {row["step"][:2] for row in bench}
    for lost in benched - {"00", *steps}:
        fail(
            f"{folder}/bench.dat: has step {lost}, but there is no file of its main variant"
            " beside it"
        )
    whole = bench if steps <= benched else []  # a bench of some steps only is not used
    n = max(row.n for row in whole or (row for file in mains for row in file.rows))
    rows = [
        row
        for row in whole or (row for file in files(folder, main=False) for row in file.rows)
        if row.n == n
    ]
    return (
        n,
        bool(whole),
        *({name: value for (_, name), value in shares(rows, column).items()} for column in columns),
    )


def best(of_all, step, main):
    """Share and name of the step's best variant, if it is over 5 % better than the main one."""
    of_step = [
        (share, name[3:]) for name, share in of_all.items() if name[:2] == step and share > 0
    ]
    share, variant = max(of_step, default=(0, main))
    return (
        f"{share:.1f} {variant}" if share > 1.05 * dict(map(reversed, of_step)).get(main, 0) else ""
    )


def ladder(chosen):
    """The shares of the main variants on each device at one n, and those of better variants in
    brackets."""
    names, cells, notes = {}, {}, []
    for folder in chosen:
        mains = files(folder) or fail(f"{folder}: no .dat file of a main variant of sum of int")
        names |= {file.step: (file["step"], file["compared with"]) for file in mains}
        n, rounds, of_all = largest(folder, mains, "percent_of_limit")
        for file in mains:
            share, better = of_all.get(f"{file.step} {file['variant']}", math.nan), best(
                of_all, file.step, file["variant"]
            )
            cells[file.step, folder] = text(share, ".1f", "-") + f" ({better})" * bool(better)
        notes.append(
            f"* {Path(folder).name}: {captions.place(mains[0]['device'])}, n ="
            f" {power(n)}{', in turn' * rounds}."
        )
    yield from (
        line(
            "step", "compared with", *(f"{Path(folder).name}: % of read limit" for folder in chosen)
        ),
        line("---", "---", *(["---:"] * len(chosen))),
    )
    for step, (name, other) in sorted(names.items()):
        yield line(
            name,
            "-" if other == step else other,
            *(cells.get((step, folder), "-") for folder in chosen),
        )
    yield from (
        "",
        *notes,
        (
            "* Sum of int by wall time, with a cold cache. In turn: all variants, round by round."
            " In brackets: a step's best variant, if its share is over 5 % higher than the main"
            " one's."
        ),
    )


def bench(folder):
    """Median (lowest … highest) over the rounds for each variant, in the order of the
    measurements."""
    file, rounds = Data(Path(folder) / "bench.dat"), {}
    for row in file.rows:
        name = (
            row["name"] if row["step"] == "00" else f"{row['step']} {row['name']}"
        )  # a peer is no step
        rounds.setdefault((name, row["variant"]), []).append(row)
    between = "lowest … highest"
    yield from (
        "",
        line("step", "variant", f"{Path(folder).name}: GB/s", between, "% of read limit", between),
        line("---", "---", "---:", "---:", "---:", "---:"),
    )
    for names, rows in rounds.items():
        cells = []
        for column, form in (
            ("GBps", ".2f" if rows[0].GBps < 10 else ".1f"),
            ("percent_of_limit", ".1f"),
        ):
            middle, low, high = spread(getattr(row, column) for row in rows)
            cells += [text(middle, form, "-"), f"{low:{form}} … {high:{form}}"]
        yield line(*names, *cells)
    yield from (
        "",
        (
            f"* {file['device']}, driver {file['driver']}; {file['operator']} of {file['type']}, n"
            f" = {power(file.rows[0].n)}, cold cache; median of {file['rounds']}"
            f" round{'' if file['rounds'] == '1' else 's'}."
        ),
    )


def tune(path):
    """The best geometry of each variant and width, with the step's own geometry beside it."""
    file, best_of = Data(path), {}
    own = {(row["variant"], row["width"]): row for row in file.rows if row["by"] == "step"}
    for row in file.rows:
        kind = (row["variant"], row["width"])
        best_of[kind] = max(best_of.get(kind, row), row, key=lambda row: row.GBps)
    top, default = max(file.rows, key=lambda row: row.GBps), own.get(next(iter(best_of)))
    speed = lambda row: format(row.GBps, ".3g" if row.GBps < 100 else ".0f")
    shape = lambda row: f"{row.groups_per_unit:g}/unit x {row['group']}"
    several = lambda name: sum(variant == name for variant, _ in best_of) > 1
    named = (
        lambda row: row["variant"]
        + (f" of width {row['width']}" if several(row["variant"]) else "")
        + f", {shape(row)}"
    )
    yield from (
        "",
        f"{file['step']}: {file['operator']} of {file['type']}, n = {file['n']}",
        f"on {file['device']}",
        f"cold cache, median of rounds: {file['rounds']}",
        "",
    )
    form = "{:13} {:>5} {:>14} {:>5} {:>6}  {:>14} {:>5} {:>8}"
    yield form.format(
        "variant", "width", "best: groups", "GB/s", "%limit", "default", "GB/s", "of best"
    )
    for kind, row in best_of.items():
        beside = ["-", "-", "-"]
        if kind in own:
            beside = (
                shape(own[kind]),
                speed(own[kind]),
                f"{100 * own[kind].percent_of_best / row.percent_of_best:.1f}",
            )
        yield form.format(
            *kind, shape(row), speed(row), text(row.percent_of_limit, ".1f", "-"), *beside
        )
    yield from ("", f"best of all: {named(top)}, {top['GBps']} GB/s")
    if default:  # not too slow to be measured
        # The tuner measures the default's geometry too. If either of the two reaches the best in a
        # round, the difference is noise.
        same = [row for row in file.rows if named(row) == named(default)]
        low, high = spread(row.best_min for row in same)[1], spread(row.best_max for row in same)[2]
        between = f" ({low:.1f}-{high:.1f})" if low == low else ""
        verdict = (
            ": the same"
            if top in same
            else (
                ""
                if not between
                else (
                    ": one round only"
                    if file["rounds"] == "1"
                    else ": slower" if high < 100 else ": within the noise"
                )
            )
        )
        yield f"default: {named(default)}, {default.percent_of_best:.1f} % of it{between}{verdict}"


def published():
    """A row for each published kernel: the variant for which --variants prints its name, and the
    differences."""
    commands = {}
    for program, option in (
        *((step, "--variant") for step in STEPS),
        (ROOT / "step12", "--version"),
    ):
        for variant, _, names in variants(program):
            for article, _, name in (
                re.sub(r" \(.*\)$", "", part).partition(": ") for part in re.split("; | = ", names)
            ):
                commands[article, name] = f"./{program.name} {option} {variant}"
                for one in name.split(", "):  # the commas may be a part of one name
                    commands.setdefault((article, one), commands[article, name])
    path = PLOTS / "published/differences.txt"
    for number, row in enumerate(lines_of(path), 1):
        name, *cells = [cell.strip() for cell in row.strip("[]").split("|")]
        if len(cells) == 2:
            command = commands.get((article, name)) or fail(
                f"{path}, line {number}: no variant is {name} of {article}"
            )
            yield line(name, f"`{f'{command} {cells[0]}'.strip()}`", cells[1])
        elif row.startswith("["):
            article = name.partition(": ")[0]
            yield from ("", line(name, "command", "different here"), line("---", "---", "---"))
        elif row and not row.startswith("#"):
            fail(f"{path}, line {number}: must be: kernel's name | options | what is different")


def renew_tables(path):
    """A text with new tables between its markers, and new words at its pictures."""
    results = PLOTS / "results"
    tables = {
        "ladder": lambda: ladder(folders(results, "*.dat")),
        "goals": lambda: goals.table(results),
        "published": published,
        "bench": lambda: chain(*map(bench, folders(results, "*.dat"))),
    }
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"^<!-- (\w+) -->$", text, re.MULTILINE):
        before, begin, _, end, after = re.split(f"(<!-- /?{name} -->\n)", text)
        new = "\n".join(tables[name]()).strip() or fail(
            f"{path}: no row to put after <!-- {name} -->: is a list empty?"
        )
        text = "".join([before, begin, new, "\n", end, after])
    return captions.renew_words(path, text)


def main(arguments):
    what = arguments[0] if arguments else ""
    if arguments == ["--readme"]:
        for path, new in [
            (path, renew_tables(path))
            for path in (ROOT / "README.md", ROOT / "TUTORIAL.md", *PLOTS.glob("*/README.md"))
        ]:
            write_whole(path, new)  # only after all are complete
    elif what in ("--bench", "--tune") and len(arguments) > 1:
        print("\n".join(chain(*map(bench if what == "--bench" else tune, arguments[1:]))).strip())
    elif what and not what.startswith("-"):
        print("\n".join(ladder(arguments)))
    else:
        fail("usage: plots/table.py [--bench] RESULTS… | --tune DATA… | --readme")


if __name__ == "__main__":
    start(main)
