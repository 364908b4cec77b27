#!/usr/bin/env python3
"""Makes Markdown tables from .dat files alone.

plots/table.py RESULTS…          prints the ladder: the main variant of each step at the largest n,
                                 and the best variant of each step
plots/table.py --bench RESULTS…  prints the rows of bench.dat: every variant, and OpenMP
plots/table.py --tune DATA…      prints the best geometries in files of make tune, and the defaults

plots/book/docs.py writes these and further tables into the texts, by renew_tables()."""

import math
import re
from itertools import chain
from pathlib import Path

import asm
import captions
import counts
from calls import STEPS, list_variants
from data import (
    PLOTS,
    ROOT,
    CommandLine,
    Data,
    choose_comparison,
    fail,
    find_folders,
    format_size,
    format_value,
    read_bench,
    read_files,
    read_ini,
    start,
    summarise,
    wrap_prose,
)

format_row = lambda *cells: f"| {' | '.join(cells)} |"


def find_better_variant(of_all, step, main):
    """Returns the share and the name of the step's best variant if it is more than 5 % faster than
    the main variant, otherwise an empty text."""
    of_step = [
        (share, name[3:]) for name, share in of_all.items() if name[:2] == step and share > 0
    ]
    share, variant = max(of_step, default=(0, main))
    return (
        f"{share:.1f} {variant}" if share > 1.05 * dict(map(reversed, of_step)).get(main, 0) else ""
    )


def make_ladder_table(chosen):
    """Yields a table of the shares that the main variants reach on each device at one n. The shares
    of better variants are in brackets."""
    names, cells, notes = {}, {}, []
    for folder in chosen:
        mains = read_files(folder) or fail(
            f"{folder}: no .dat file of a main variant of sum of int"
        )
        names |= {file.step: (file["step"], file["compared with"]) for file in mains}
        n, rounds, of_all = choose_comparison(folder, mains, "percent_of_limit")
        for file in mains:
            share, better = of_all.get(
                f"{file.step} {file['variant']}", math.nan
            ), find_better_variant(of_all, file.step, file["variant"])
            cells[file.step, folder] = format_value(share, ".1f", "-") + f" ({better})" * bool(
                better
            )
        notes.append(
            f"* {Path(folder).name}: {captions.format_device(mains[0]['device'])}, n ="
            f" {format_size(n)}{', in turn' * rounds}."
        )
    yield from (
        format_row(
            "step", "compared with", *(f"{Path(folder).name}: % of read limit" for folder in chosen)
        ),
        format_row("---", "---", *(["---:"] * len(chosen))),
    )
    for step, (name, other) in sorted(names.items()):
        yield format_row(
            name,
            "-" if other == step else other,
            *(cells.get((step, folder), "-") for folder in chosen),
        )
    yield from (
        "",
        *notes,
        (
            "* The table shows the sum of int by wall time, with a cold cache. *In turn* means that"
            " all variants were measured round by round. In brackets is the best variant of a step,"
            " if its share is over 5 % higher than the share of the main variant."
        ),
    )


def list_chapters():
    """Returns the number, the name and the title of each step's chapter in the tutorial."""
    text = (ROOT / "TUTORIAL.md").read_text(encoding="utf-8")
    return re.findall(r"^## (\d\d) (\w+): (.*)$", text, re.MULTILINE)


def make_steps_table(**devices):
    """Yields a table of the steps: the idea, which is the title of the chapter, and the share of
    the read limit that the main variant reaches on each device, from bench.dat."""
    shares = [
        choose_comparison(folder, mains, "percent_of_limit")[2]
        | {f"{file.step} main": file["variant"] for file in mains}
        for folder in (PLOTS / "results" / name for name in devices.values())
        for mains in [
            read_files(folder) or fail(f"{folder}: no .dat file of a main variant of sum of int")
        ]
    ]
    yield format_row("step", "idea", *devices)
    yield format_row("---", "---", *["---:"] * len(devices))
    for number, name, idea in list_chapters():
        cells = [
            of_all.get(f"{number} {of_all.get(f'{number} main')}", math.nan) for of_all in shares
        ]
        if not all(map(math.isnan, cells)):
            yield format_row(
                f"{number} {name}", idea, *(f"{format_value(cell, '.1f', '-')} %" for cell in cells)
            )
    yield ""
    files = " and ".join(f"plots/results/{name}/bench.dat" for name in devices.values())
    yield (
        "The share of the read limit that the step's main variant reaches, for the sum of 2^27 int"
        f" with a cold cache; from {files}."
        " [All variants and devices](plots/results/README.md#the-steps-on-every-device)."
    )


def make_bench_table(folder):
    """Yields a table with the median, the lowest and the highest value over the rounds for each
    variant, in the order of the measurements."""
    file, rounds = read_bench(folder), {}
    for row in file.rows:
        name = (
            row["name"] if row["step"] == "00" else f"{row['step']} {row['name']}"
        )  # a peer has no number, because it is not a step
        rounds.setdefault((name, row["variant"]), []).append(row)
    between = "lowest … highest"
    yield from (
        "",
        format_row(
            "step", "variant", f"{Path(folder).name}: GB/s", between, "% of read limit", between
        ),
        format_row("---", "---", "---:", "---:", "---:", "---:"),
    )
    for names, rows in rounds.items():
        cells = []
        for column, form in (
            ("GBps", ".2f" if rows[0].GBps < 10 else ".1f"),
            ("percent_of_limit", ".1f"),
        ):
            middle, low, high = summarise(getattr(row, column) for row in rows)
            cells += [format_value(middle, form, "-"), f"{low:{form}} … {high:{form}}"]
        yield format_row(*names, *cells)
    yield from (
        "",
        (
            f"* {file['device']}, driver {file['driver']}; {file['operator']} of {file['type']}, n"
            f" = {format_size(file.rows[0].n)}, cold cache; median of {file['rounds']}"
            f" round{'' if file['rounds'] == '1' else 's'}"
            f"{', without the rows of slow memory' if file.has_slow_rows else ''}."
        ),
    )


def make_tune_table(path):
    """Yields a table of the best geometry of each variant and width, and of the step's own
    geometry."""
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
            *kind, shape(row), speed(row), format_value(row.percent_of_limit, ".1f", "-"), *beside
        )
    yield from ("", f"best of all: {named(top)}, {top['GBps']} GB/s")
    if default:  # False if the default was too slow to be measured
        # The tuner measures the geometry of the default too. If one of these two rows is the best
        # row of some round, the difference is noise.
        same = [row for row in file.rows if named(row) == named(default)]
        low, high = (
            summarise(row.best_min for row in same)[1],
            summarise(row.best_max for row in same)[2],
        )
        between = f" ({low:.1f}-{high:.1f})" if low == low else ""
        if top in same:
            verdict = ": the same"
        elif not between:
            verdict = ""
        elif file["rounds"] == "1":
            verdict = ": one round only"
        else:
            verdict = ": slower" if high < 100 else ": within the noise"
        yield f"default: {named(default)}, {default.percent_of_best:.1f} % of it{between}{verdict}"


def make_published_table():
    """Yields a row for each published kernel: the command of the variant for which --variants
    prints the name of the kernel, and the differences."""
    commands = {}
    for program, option in (
        *((step, "--variant") for step in STEPS),
        (ROOT / "step12", "--version"),
    ):
        for variant, _, names in list_variants(program):
            for article, _, name in (
                re.sub(r" \(.*\)$", "", part).partition(": ") for part in re.split("; | = ", names)
            ):
                commands[article, name] = f"./{program.name} {option} {variant}"
                for one in name.split(
                    ", "
                ):  # the commas either separate names or belong to one name
                    commands.setdefault((article, one), commands[article, name])
    path = PLOTS / "published/differences.ini"
    for heading, kernels in read_ini(path).items():
        article = heading.partition(": ")[0]
        yield from (
            "",
            format_row(heading, "command", "different here"),
            format_row("---", "---", "---"),
        )
        for name, value in kernels.items():
            command = commands.get((article, name)) or fail(
                f"{path}: --variants prints no variant for {name} of {article}"
            )
            options, _, differences = (part.strip() for part in value.rpartition("|"))
            yield format_row(name, f"`{f'{command} {options}'.strip()}`", differences)


def wrap_line(line):
    """Returns a row of a table as it is, and a sentence in lines of at most 100 columns."""
    is_row, indent = line.startswith("|"), "  " * line.startswith("* ")
    return line if is_row else "\n".join(wrap_prose(line, rest=indent))


def renew_tables(path):
    """Returns a text with new tables between its markers, and new words at its pictures."""
    results = PLOTS / "results"
    tables = {
        "ladder": lambda: make_ladder_table(find_folders(results, "*.dat")),
        "steps": lambda: make_steps_table(H200="h200", CPU="pocl"),
        "counts": lambda: counts.make_table(results / "counts.dat"),
        "published": make_published_table,
        "compiled": asm.make_table,
        "loops": asm.make_loop_table,
        "messages": asm.make_message_table,
        "bench": lambda: chain(*map(make_bench_table, find_folders(results, "*.dat"))),
    }
    text = path.read_text(encoding="utf-8")
    for name in re.findall(r"^<!-- (\w+) -->$", text, re.MULTILINE):
        before, begin, _, end, after = re.split(f"(<!-- /?{name} -->\n)", text)
        new = "\n".join(map(wrap_line, tables[name]())).strip() or fail(
            f"{path}: the table {name} has no row: is differences.ini empty?"
        )
        text = "".join([before, begin, new, "\n", end, after])
    return captions.renew_words(path, text)


def main(arguments):
    """Prints the tables that the command line asks for."""
    command_line = CommandLine(__doc__)
    command_line.add_argument("PATH", nargs="+")
    group = command_line.add_mutually_exclusive_group()
    for name in ("--bench", "--tune"):
        group.add_argument(name, action="store_true")
    options = command_line.parse_args(arguments)
    if options.bench or options.tune:
        make_table = make_bench_table if options.bench else make_tune_table
        print("\n".join(chain(*map(make_table, options.PATH))).strip())
    else:
        print("\n".join(make_ladder_table(options.PATH)))


if __name__ == "__main__":
    start(main)
