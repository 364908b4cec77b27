"""What a picture shows and how to read it, in words made from the data that it is drawn from."""
import re

import eigen
from data import Data, at_largest, fail, folders, main_files, median, power, steps


def place(file):
    """Of what, and on which device; alt text has no brackets."""
    return f"{file.about['operator']} of {file.about['type']} on {file.about['device'].rpartition(' / ')[2]} ({file.device()})"


def ladder(folder, _):
    """all.svg: the highest line, and the best in percent of the limit beside it."""
    n, pairs = at_largest(main_files(folder, "sum.int", "limit_GBps"))
    best = lambda column: max(pairs, key=lambda pair: pair[1].number(column))
    (highest, fast), (nearest, near) = best("GBps"), best("percent_of_limit")
    limit = median(row.number("limit_GBps") for _, row in pairs)
    return (f"Lines: GB/s of each step's main variant over n, {place(highest)}; at {power(n)} the highest is step "
            f"{highest.about['step']} with {fast.number('GBps'):.3g}, the read limit {limit:.3g}",
            f"Higher is faster; the thick line is the read limit. By the limit measured in turn with each step, the nearest at "
            f"{power(n)} is step {nearest.about['step'][:2]}, with {near.number('percent_of_limit'):.1f} %.")


def all_devices(folder, _):
    """The best of each device."""
    found = [at_largest(main_files(path, "sum.int", "percent_of_limit"))[1] for path in folders(folder)]
    best = [max(pairs, key=lambda pair: pair[1].number("percent_of_limit")) for pairs in found if pairs]
    each = ", ".join(f"step {file.about['step'][:2]} with {row.number('percent_of_limit'):.1f} on {file.path.parent.name}"
                     for file, row in best)
    return (f"Bars: each step's main variant on {len(best)} devices, in percent of the device's read limit; the best are {each}",
            f"The line at 100 is a device's own read limit, and the {len(best)} bars of a step tell which devices it suits.")


def accuracy(folder, _):
    """The orders of additions."""
    files = steps(folder / "accuracy", "sum.float", "error", "bound")
    error = lambda file: file.largest().number("error")
    least, most, n = min(files, key=error), max(files, key=error), power(files[0].largest().number("n"))
    return (f"Lines: error of a sum over n for {len(files)} orders of additions, {place(least)}; at {n} it is least in step "
            f"{least.about['step']}, {error(least):.2g}, and largest in step {most.about['step']}, {error(most):.2g}",
            "Lower is more exact: a solid line is an error and the dashed one of its colour its bound, of which "
            f"{sum(file.largest()['bound'] == 'nan' for file in files)} end before {n}, as there is none above 0.01.")


def tune(folder, step):
    """The map of a step."""
    file = Data(folder / f"tune/step{step}.dat", "variant", "width", "by", "group", "groups_per_unit", "percent_of_best")
    best = max(file.rows, key=lambda row: row.number("GBps"))
    own = next(row for row in file.rows if row["by"] == "step")
    kinds = dict.fromkeys(f"{row['variant']} of width {row['width']}" for row in file.rows)
    over = "group size and groups" if " " in file.about["group sizes"] else "groups"
    shape = lambda row: f"{row['groups_per_unit']} groups of {row['group']} for each compute unit"
    return (f"Maps of step {file.about['step']} over {over}, one each for {', '.join(kinds)}, {place(file)}, "
            f"n = {power(int(file.about['n']))}; the best is {best['variant']} of width {best['width']}, {shape(best)}, "
            f"with {best['GBps']} GB/s",
            f"Bright is fast, numbers are percent of the best, and a frame is the default: {own['variant']}, {shape(own)}, has "
            f"{own.number('percent_of_best'):.1f}.")


def peers(folder, what):
    """At the largest n that somebody else was measured at."""
    file = Data(folder / f"peers/{what.replace('_', '.')}.dat", "kind", "program", "n", "ratio")
    theirs = [row for row in file.rows if row["kind"] == "peer" and row["verdict"] == "right"]
    n = max(row.number("n") for row in theirs)
    best = min((row for row in theirs if row.number("n") == n), key=lambda row: row.number("ratio"))
    above = sum(row.number("ratio") > 1 for row in theirs)
    names = ", ".join(dict.fromkeys(row["program"] for row in theirs))
    return (f"Lines: wall time of {names} in that of our fastest, over n, {place(file)}; at {power(n)} the fastest of them is "
            f"{best['program']} with {best.number('ratio'):.2f}",
            f"Above the line at 1 ours is faster: that is so at {above} of {len(theirs)} points.")


def article(folder, name):
    """The best of ours, as the chart has it: against the first kernel, or in percent of the read limit."""
    files = [Data(path, "wall_med") for path in sorted(folder.glob(f"article-{name}/*.dat"))]
    rows = [(row, file) for file in files for row in file.rows]
    row, file = min(rows, key=lambda pair: pair[0].number("wall_med"))
    width = f" of width {row['width']}" if row["width"] != "1" else ""
    ours = f"the best of ours is {file.about['variant']} of step {file.about['step'][:2]}{width}"
    here = f"{place(file)}, n = {power(row.number('n'))}"
    if name == "catz":
        return (f"Bars: speed of Catanzaro's kernels in percent of the machine's read limit, in the article and here, {here}; "
                f"{ours} with {row.number('percent_of_limit'):.1f}",
                "The line at 100 is each machine's own limit, so compare the two bars of a kernel in percent, not their GB/s.")
    who, first = {"peri": ("Peri", "reductionAtomics1"), "jin": ("Jin and Finkel", "reduce_gmem")}[name]
    base = next(row for row, file in rows if file.path.name.startswith("02_global."))
    return (f"Bars: how many times as fast as {first} the kernels of {who} are, in the article and here, {here}; "
            f"{ours} with {base.number('wall_med') / row.number('wall_med'):.3g}",
            f"The line at 1 is {first} on the same machine: compare which kernels gain and which lose, not machines.")


KINDS = {"all": ladder, "all_devices": all_devices, "accuracy": accuracy, "tune_(..)": tune, "peers_(.*)": peers,
         "article_(.*)": article, "eigen_(.*)": eigen.words}


def words(path):
    """Alt text and sentence of a picture."""
    for kind, make in KINDS.items():
        if found := re.fullmatch(kind, path.stem):
            return make(path.parent, "".join(found.groups()))
    return fail(f"{path}: no words for such a picture, see captions.py")


def renewed(path, text):
    """A text with these words at its pictures: a paragraph that begins with one is the picture and the sentence, no more."""
    def paragraph(found):
        alt, sentence = words((path.parent / found[1]).resolve())
        return f"![{alt}]({found[1]})\n{sentence}\n"
    return re.sub(r"^!\[[^]]*\]\(([^)]*\.svg)\)\n(?:.+\n)*", paragraph, text, flags=re.MULTILINE)
