#!/usr/bin/env python3
"""Draws which work-item reads which element in which iteration, from a record that the kernel
prints while it runs.

    plots/book/picture.py STEP=10 [KERNEL=mine/10.cl] [VARIANT=] [N=35] [GROUP=4] [GROUPS=2]
                          [WIDTH=] [LANES=4]
    plots/book/picture.py --all [FOLDER]  the tutorial's pictures, into plots/book/pictures

record.c carries out the step's own plan on N elements. record.clh replaces the functions that load
elements by functions that also print the load. A row of the picture is an iteration: the loads of a
work-item on neighbouring lines of the text, until it returns to the first of them."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import ROOT, fail, start, write_whole  # noqa: E402

HERE = Path(__file__).resolve().parent
NUMBERS = {"N": "35", "GROUP": "4", "GROUPS": "2", "WIDTH": "0", "LANES": "4"}
DEFAULTS = NUMBERS | dict.fromkeys(("STEP", "KERNEL", "VARIANT"), "")
TUTORIAL = [
    "STEP=02 VARIANT=blocked N=32",
    "STEP=02 VARIANT=strided N=32",
    "STEP=06",
    "STEP=07 GROUPS=1",
    "STEP=08 GROUP=1 GROUPS=4",
    "STEP=10",
    "STEP=10 VARIANT=streams GROUPS=1 WIDTH=1 LANES=2",
]
CELL, HIGH, LEFT, TOP = 20, 26, 26, 46  # a cell's width and height; the margins
SENTENCE = (
    "Elements across, iterations down: a number is the work-item that reads there, a colour its"
    " group."
)
HUES = (210, 35, 140, 320, 55, 265, 0, 180)  # of groups


def add_recorder(path):
    """The text of a kernel file. A kernel that includes anything also includes record.clh, after
    its own includes."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".clh":
        return text
    last = r'(?s)\A(.*^[ \t]*#[ \t]*include[ \t]*"[^"\n]*"[^\n]*\n)'
    return re.sub(
        last,
        lambda found: (
            f'{found[1]}#include "record.clh"\n#line {found[1].count(chr(10)) + 1} "{path.name}"\n'
        ),
        text,
        flags=re.MULTILINE,
    )


def run_recorder(asked):
    """The output of record.c."""
    own = [Path(asked["KERNEL"])] if asked["KERNEL"] else []
    if own and not own[0].is_file():
        fail(f"KERNEL={own[0]}: no such file")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "kernels", folder, dirs_exist_ok=True)
        for path in (ROOT / "kernels").rglob("*.cl*"):
            Path(folder, path.relative_to(ROOT / "kernels")).write_text(
                add_recorder(path), encoding="utf-8"
            )
        for path in [HERE / "record.clh", *own, *(own and own[0].parent.glob("*.clh"))]:
            Path(folder, path.name).write_text(add_recorder(path), encoding="utf-8")
        command = [
            ROOT / f"build/record{asked['STEP']}",
            asked["VARIANT"],
            "".join(f"{folder}/{path.name}" for path in own),
            *(asked[key] for key in NUMBERS),
        ]
        done = subprocess.run(
            ["timeout", "20", *command],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env=os.environ | {"REDUCE_KERNELS": folder},
        )
    if done.returncode:
        why = (
            f"picture.py: {asked['KERNEL']} cannot be recorded: it"
            f" {'does not end' if done.returncode == 124 else 'crashes'}"
        )
        said = done.stderr.strip().replace(folder + "/", "") if done.returncode == 2 else why
        first_error = r"(?sm)\A.*?^([^\n]*)\berror: ([^\n]*)$.*^([^\n]* does not compile) .*"
        print(re.sub(first_error, r"\3: \1\2", said), file=sys.stderr)
        sys.exit(2)
    return done.stdout


class Loads:
    """The loads that were recorded: (element, iteration) -> work-items."""

    def __init__(self, asked):
        output = run_recorder(asked)
        self.name, file, groups, group, verdict = re.search(
            r"^plan (\w+) (.+) (\d+) (\d+) (\w+)$", output, re.MULTILINE
        ).groups()
        self.n, self.groups, self.group = int(asked["N"]), int(groups), int(group)
        self.cells, self.read, last = (
            {},
            {},
            {},
        )  # last: line, place and iteration of a work-item's last load
        lines = [
            [int(word) for word in words.split()]
            for words in re.findall(r"^load ([\d ]+)$", output, re.MULTILINE)
        ]
        for array, group, item, line, place, first, step, count in lines:
            if array == lines[0][0]:  # later stages read partial results
                item += group * self.group
                old_line, old_place, time = last.get(item, (line, -1, 0))
                time += place <= old_place or line - old_line > 1
                last[item] = line, place, time
                self.read.setdefault(item, []).extend(range(first, first + step * count, step))
                for element in range(first, first + step * count, step):
                    self.cells.setdefault((element, time), []).append(item)
        self.seen = sorted(element for elements in self.read.values() for element in elements)
        self.rows = 1 + max((time for _, time in self.cells), default=0)
        self.file = Path(file).stem
        if not self.seen or verdict == "right" and len(set(self.seen)) < self.n:
            fail(
                f"the loads of {self.file}.cl cannot be recorded: it reads without load() and its"
                " kin of operator.clh"
            )
        if verdict != "right":
            print(
                f"picture.py: {self.file}.cl: the sum is wrong; red: read twice, beyond the end, or"
                " not at all",
                file=sys.stderr,
            )

    def words(self):
        """Alt text: the shape of the picture, and the elements that three of the work-items
        read."""
        some = sorted({min(self.read), min(self.read) + 1, max(self.read)} & set(self.read))
        reads = (
            f"{item} reads"
            f" {', '.join(map(str, self.read[item][:8]))}{' …' * (len(self.read[item]) > 8)}"
            for item in some
        )
        return (
            f"Access order of {self.file}, {self.name}; elements across: {self.n}; iterations down:"
            f" {self.rows}; groups of {self.group}: {self.groups}; work-item {'; '.join(reads)}"
        )


def svg(loads):
    """The lines of the picture. Its greys are readable on white and on black."""
    columns, high = max(loads.n, min(loads.seen[-1] + 1, loads.n + 8)), loads.rows * HIGH
    middle = lambda element: LEFT + (element + 0.5) * CELL
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + columns * CELL + 4}'
        f' {TOP + high + 24}" role="img" font-family="sans-serif" font-size="15"'
        f' text-anchor="middle"><title>{SENTENCE}</title><desc>{loads.words()}</desc>'
    )
    yield (
        f'<g fill="#777"><text x="{LEFT}" y="16" text-anchor="start">element →&#160;&#160;'
        " iteration ↓</text>"
    )
    yield from (
        f'<text x="{middle(element):g}" y="{TOP - 7}">{element}</text>'
        for element in range(0, columns, 4)
    )
    yield from (
        f'<text x="{LEFT / 2:g}" y="{TOP + time * HIGH + 19}">{time}</text>'
        for time in range(loads.rows)
    )
    yield (
        f'</g><path d="M{LEFT} {TOP}v{high}m{loads.n * CELL} 0v-{high}" stroke="#777"'
        ' stroke-width="2"/>'
    )
    for element in sorted(set(range(loads.n)) - set(loads.seen)):
        yield f'<text x="{middle(element):g}" y="{TOP + high + 18}" fill="#d33">×</text>'
    for (element, time), items in sorted(loads.cells.items()):
        group, item = divmod(items[-1], loads.group)
        light = 86 - 26 * (item / (loads.group - 1) if loads.group > 1 else 0.5)
        wrong = ' stroke="#d33" stroke-width="3"' * (
            element >= loads.n or loads.seen.count(element) > 1
        )
        if element < columns:
            yield (
                f'<rect x="{LEFT + element * CELL + 1}" y="{TOP + time * HIGH + 1}"'
                f' width="{CELL - 2}" height="{HIGH - 2}"'
                f' fill="hsl({HUES[group % len(HUES)]},75%,{light:.0f}%)"{wrong}/><text'
                f' x="{middle(element):g}" y="{TOP + time * HIGH + 19}"'
                f' font-size="{18 if items[-1] < 10 else 14}">{items[-1]}</text>'
            )
    yield "</svg>"


def draw(words, folder=ROOT / "build"):
    """Draws one picture. Returns its path and its alt text."""
    given = {key: value for key, _, value in (word.partition("=") for word in words) if value}
    asked = DEFAULTS | given
    if set(asked) != set(DEFAULTS) or not asked["STEP"]:
        fail(
            "usage: make picture STEP=10, and if wanted KERNEL=mine/10.cl VARIANT= N= GROUP="
            " GROUPS= WIDTH= LANES="
        )
    if not any(
        "step_main(" in path.read_text() for path in ROOT.glob(f"steps/**/{asked['STEP']}_*.c")
    ):
        fail(f"STEP={asked['STEP']}: must be a step of the ladder, such as 10")
    for key in filter(given.get, NUMBERS):
        if not re.fullmatch("1|2|4|8|16" if key == "WIDTH" else "[1-9][0-9]*", given[key]):
            fail(
                f"{key}={given[key]}: must be"
                f" {'1, 2, 4, 8 or 16' if key == 'WIDTH' else 'a number of at least 1'}"
            )
    make = ["make", "-s", "--no-print-directory", f"build/record{asked['STEP']}"]
    if subprocess.run(make, cwd=ROOT, check=False).returncode:
        fail(f"STEP={asked['STEP']}: does not compile")
    loads = Loads(asked)
    path = Path(folder, f"{Path(asked['KERNEL']).stem or asked['STEP'] + '_' + loads.name}.svg")
    write_whole(path, "".join(f"{line}\n" for line in svg(loads)))
    return path, loads.words()


def main(arguments):
    """Draws one picture, or all of the tutorial."""
    if arguments[:1] != ["--all"]:
        path, words = draw(arguments)
        print(f"{os.path.relpath(path)}\n{words}")
    for words in TUTORIAL if arguments[:1] == ["--all"] else []:
        draw(words.split(), (arguments[1:] or [HERE / "pictures"])[0])


if __name__ == "__main__":
    start(main)
