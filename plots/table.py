#!/usr/bin/env python3
"""Markdown tables from .dat files alone.

    plots/table.py RESULTS…             the ladder: each step's main variant at the largest n, and its best one
    plots/table.py --bench RESULTS…     what bench measured: every variant, and OpenMP
    plots/table.py --tune DATA          what tune wrote, for people: the best geometries, the default beside them
    plots/table.py --readme             writes the tables of plots/results, and the words at its pictures, into the texts
    plots/table.py --check              exits 1 with the difference if one is not what --readme would write
"""
import difflib
import math
import sys
from pathlib import Path

import captions
import goals
from data import (PLOTS, ROOT, Data, at_largest, fail, figures, folders, known, main_files, median, power, shown, start, steps,
                  write_whole)

RESULTS = PLOTS / "results"


def line(*cells):
    """A row of a table."""
    return f"| {' | '.join(cells)} |"


def by_variant(folder, n):
    """Percent of the read limit, by step and variant: the medians of a bench, or the rows of some n."""
    shares = {}
    if (Path(folder) / "bench.dat").is_file():
        for row in Data(Path(folder) / "bench.dat", "step", "variant", "percent_of_limit").rows:
            shares.setdefault((row["step"], row["variant"]), []).append(row.number("percent_of_limit"))
    else:
        for file in steps(folder, "sum.int", "percent_of_limit"):
            if file.largest().number("n") == n:
                shares[file.path.name[:2], file.about["variant"]] = [file.largest().number("percent_of_limit")]
    return {key: median(values) for key, values in shares.items()}


def best(shares, step, main):
    """The step's best variant where that is not the main one."""
    known_ones = [(share, variant) for (other, variant), share in shares.items() if other == step and not math.isnan(share)]
    share, variant = max(known_ones, default=(0, main))
    return f"{share:.1f} {variant}" if share > 1.02 * shares.get((step, main), 0) else ""


def ladder(chosen):
    """The main variants, of each device at its largest n, and what the best of each step reaches."""
    devices, names = [], {}
    for folder in chosen:
        mains = {file.path.name[:2]: file for file in main_files(folder, "sum.int", "GBps", "percent_of_limit")}
        if not mains:
            fail(f"{folder}: no .dat file of a main variant of sum of int")
        n, _ = at_largest(mains.values())
        names.update({step: (file.about["step"], file.about["compared with"]) for step, file in mains.items()})
        devices.append((mains, n, by_variant(folder, n)))
    labels = [next(iter(mains.values())).device() for mains, *_ in devices]
    ours = all(RESULTS in Path(folder).resolve().parents for folder in chosen)  # else a folder is a participant's
    labels = [label if ours and labels.count(label) == 1 else Path(folder).name for folder, label in zip(chosen, labels)]

    alone = len(devices) == 1  # several devices: one column each, and no speeds, which say little side by side
    heads = ["GB/s", "% of read limit", "best variant"] if alone else [f"{label}: % of read limit" for label in labels]
    yield line("step", "compared with", *heads)
    yield line("---", "---", *(["---:"] * len(heads)))
    noisy = False
    for step, (name, other) in sorted(names.items()):
        cells = [name, "-" if other == step else other]
        for mains, n, shares in devices:
            row = mains[step].largest() if step in mains else None
            if not row or row.number("n") < n:
                cells += ["-", "-", "-"] if alone else ["-"]
                continue
            noisy |= row["verdict"] == "noisy"
            share = shown(row.number("percent_of_limit")) + (" ~" if row["verdict"] == "noisy" else "")
            better = best(shares, step, mains[step].about["variant"])
            cells += [figures(row.number("GBps")), share, better] if alone else [share + (f" ({better})" if better else "")]
        yield line(*cells)
    yield ""
    for label, (mains, n, _) in zip(labels, devices):
        cold = all(file.about["evicted bytes"] != "0" for file in mains.values())
        machine = next(iter(mains.values())).machine()
        yield f"* {label}: {machine}; sum of int, n = {power(int(n))}, {'cold' if cold else 'warm'} cache."
    if not alone:
        yield "* In brackets the step's best variant, where that is not the main one."
    if noisy:
        yield "* ~: noisy, 90 % quantile above twice the minimum."


def spread(values, form):
    """Median, lowest and highest, as two cells."""
    values = known(values)
    if not values:
        return "- | -"
    return f"{median(values):{form}} | {values[0]:{form}} … {values[-1]:{form}}"


def bench(folder):
    """Median (lowest … highest) over the rounds, in the order in which they ran."""
    file = Data(Path(folder) / "bench.dat", "step", "GBps", "percent_of_limit")
    rounds, best = {}, {}
    for row in file.rows:
        rounds.setdefault((row["step"], row["name"], row["variant"]), []).append(row)
    yield line("step", "variant", f"{file.device()}: GB/s", "lowest … highest", "% of read limit", "lowest … highest")
    yield line("---", "---", "---:", "---:", "---:", "---:")
    for (step, name, variant), rows in rounds.items():
        speeds, shares = ([row.number(column) for row in rows] for column in ("GBps", "percent_of_limit"))
        yield line(name if step == "00" else f"{step} {name}", variant,  # a peer is no step
                   spread(speeds, ".2f" if speeds[0] < 10 else ".1f"), spread(shares, ".1f"))
        if known(shares):
            best[step] = max(best.get(step, (0, "")), (median(shares) / 100, variant), key=lambda pair: pair[0])
    most = max(len(rows) for rows in rounds.values())
    yield ""
    yield (f"* {file.machine()}; {file.about['operator']} of {file.about['type']}, n = {file.about['n']}, "
           f"cold cache; median of {most} round{'' if most == 1 else 's'}.")
    for step in sorted(best):
        if step == "08" or step >= "10":  # 09 is the grid stride of 06
            yield f"* best of step {step} ({best[step][1]}) / read limit: {best[step][0]:.3f}"
    if "00" in best:
        yield f"* read limit / OpenMP: {1 / best['00'][0]:.3f}"


def tune(path):
    """Of each variant and width the best geometry, and the step's own beside it."""
    file = Data(path, "variant", "groups_per_unit", "percent_of_best", "best_min", "best_max")
    speed = lambda row: format(row.number("GBps"), ".3g" if row.number("GBps") < 100 else ".0f")
    shape = lambda row: f"{row.number('groups_per_unit'):g}/unit x {row['group']}"
    rows, best, own = file.rows, {}, {}
    for row in rows:
        kind = (row["variant"], row["width"])
        if kind not in best or row.number("GBps") > best[kind].number("GBps"):
            best[kind] = row
        if row["by"] == "step":
            own[kind] = row
    several = {variant for variant, width in best if sum(kind[0] == variant for kind in best) > 1}
    named = lambda row: row["variant"] + (f" of width {row['width']}" if row["variant"] in several else "")

    about = file.about
    yield f"{about['step']}: {about['operator']} of {about['type']}, n = {about['n']}"
    yield f"on {about['device']}"
    yield f"cold cache, median of rounds: {about['rounds']}"
    yield ""
    form = "%-13s %5s %14s %5s %6s  %14s %5s %8s"
    yield form % ("variant", "width", "best: groups", "GB/s", "%limit", "default", "GB/s", "of best")
    for kind, row in best.items():
        default = own.get(kind)
        of_best = 100 * default.number("percent_of_best") / row.number("percent_of_best") if default else math.nan
        yield form % (*kind, shape(row), speed(row), shown(row.number("percent_of_limit")), shape(default) if default else "-",
                      speed(default) if default else "-", shown(of_best))
    top = max(rows, key=lambda row: row.number("GBps"))
    yield ""
    yield f"best of all: {named(top)}, {shape(top)}, {top['GBps']} GB/s"
    default = own.get(next(iter(best)))
    if not default:
        return  # too slow to be measured
    # The default's geometry is among the tuner's too. If one of the two reaches the best in a round, who would know?
    same = [row for row in rows if (named(row), shape(row)) == (named(default), shape(default))]
    low, high = known(row.number("best_min") for row in same), known(row.number("best_max") for row in same)
    between = f" ({low[0]:.1f}-{high[-1]:.1f})" if low else ""
    verdict = ("the same" if top in same else "no spread known" if about["rounds"] == "1" or not low
               else "slower" if high[-1] < 100 else "within the noise")
    yield f"default: {named(default)}, {shape(default)}, {default.number('percent_of_best'):.1f} % of it{between}: {verdict}"


def one_after_another(make, chosen):
    """Their tables, with an empty line in between."""
    return [text for folder in chosen for text in ("", *make(folder))][1:]


def renewed(path):
    """A text with what stands between the markers of a table, and beside its pictures, made anew."""
    tables = {"ladder": lambda: ladder(folders(RESULTS, "[0-9][0-9]_*.dat")), "goals": lambda: goals.table(RESULTS),
              "bench": lambda: one_after_another(bench, folders(RESULTS, "bench.dat"))}
    new = path.read_text(encoding="utf-8") if path.is_file() else fail(f"no {path}")
    for name, make in tables.items():
        before, found, rest = new.partition(f"<!-- {name} -->\n")
        _, ended, after = rest.partition(f"<!-- /{name} -->\n")
        if found:
            if not ended:
                fail(f"{path}: no line <!-- /{name} -->")
            new = before + found + "".join(f"{text}\n" for text in make()) + ended + after
    return captions.renewed(path, new)


def main(arguments):
    """What the command line asks for."""
    usage = "usage: plots/table.py [--bench] RESULTS… | --tune DATA | --readme | --check"
    what = arguments[0] if arguments else ""
    if what in ("--readme", "--check"):
        if len(arguments) > 1:
            fail(f"{what} takes nothing behind it")
        stale = 0
        for path in (ROOT / "README.md", ROOT / "TUTORIAL.md", *sorted(PLOTS.glob("*/README.md"))):
            old, new = path.read_text(encoding="utf-8"), renewed(path)
            if what == "--readme":
                write_whole(path, new)
            elif old != new:
                sys.stdout.writelines(difflib.unified_diff(old.splitlines(True), new.splitlines(True), str(path), "new"))
                print(f"table.py: {path} is not up to date: plots/table.py --readme", file=sys.stderr)
                stale = 1
        return stale
    if what == "--tune" and len(arguments) == 2:
        lines = tune(arguments[1])
    elif what == "--bench" and len(arguments) > 1:
        lines = one_after_another(bench, arguments[1:])
    elif what and not what.startswith("-"):
        lines = ladder(arguments)
    else:
        fail(usage)
    print("\n".join(lines))
    return 0


if __name__ == "__main__":
    start(main)
