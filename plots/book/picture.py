#!/usr/bin/env python3
"""Draws which work-item reads which element in which iteration. The kernel prints its loads while
it runs, and this program draws them.

    plots/book/picture.py STEP=10 [KERNEL=mine/10.cl] [VARIANT=] [N=35] [GROUP=4] [GROUPS=2]
                          [WIDTH=] [LANES=4] [BATCH=]
    plots/book/picture.py --all [FOLDER]  draws the pictures of the tutorial into FOLDER;
                                          default: plots/book/pictures

record.c executes the plan of the step on N elements. record.clh replaces the functions that load
elements by functions that also print each load. A line of the picture is an iteration. An iteration
ends when a work-item executes the same or an earlier load of the source text again, or a load that
is more than one line further down.

BATCH=4 draws the order in which steps 10 and 11 read on a GPU, in batches of four rows. Otherwise
each sub-group reads one chunk, as on a CPU."""

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import ROOT, CommandLine, fail, parse_number, replace_file, start  # noqa: E402

HERE = Path(__file__).resolve().parent
NUMBERS = {"N": "35", "GROUP": "4", "GROUPS": "2", "WIDTH": "0", "LANES": "4", "BATCH": "0"}
DEFAULTS = NUMBERS | dict.fromkeys(("STEP", "KERNEL", "VARIANT"), "")
TUTORIAL = [
    "STEP=02 VARIANT=blocked N=32",
    "STEP=02 VARIANT=strided N=32",
    "STEP=06",
    "STEP=07 GROUPS=1",
    "STEP=08 GROUP=1 GROUPS=4",
    "STEP=10 GROUP=2 LANES=2 WIDTH=1",
    "STEP=10 GROUP=2 LANES=2 WIDTH=1 BATCH=4",
]
CELL, HEIGHT, LEFT, TOP = (
    20,
    26,
    26,
    46,
)  # the width and height of a cell; the left and upper margin
SENTENCE = (
    "Elements go across, iterations down. A number is the work-item that reads the element, and its"
    " colour is the group."
)
HUES = (210, 35, 140, 320, 55, 265, 0, 180)  # the colours of the groups


def add_recorder(path):
    """Returns the text of a kernel file in which record.clh is included after all other includes. A
    file without includes does not change. last_group.clh also prints the arrivals of the groups."""
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.name == "last_group.clh":
        text = text.replace("atomic_inc(arrived)", "record_arrival(atomic_inc(arrived))")
        return text.replace("#include", '#include "arrival.clh"\n#include', 1)
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


def run_recorder(options):
    """Returns the output of record.c, which is built as build/recordNN."""
    own = [Path(options["KERNEL"])] if options["KERNEL"] else []
    if own and not own[0].is_file():
        fail(f"KERNEL={own[0]}: {'no ordinary file' if own[0].exists() else 'no such file'}")
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(ROOT / "kernels", folder, dirs_exist_ok=True)
        for path in (ROOT / "kernels").rglob("*.cl*"):
            Path(folder, path.relative_to(ROOT / "kernels")).write_text(
                add_recorder(path), encoding="utf-8"
            )
        for path in [*HERE.glob("*.clh"), *own, *(own and own[0].parent.glob("*.clh"))]:
            Path(folder, path.name).write_text(add_recorder(path), encoding="utf-8")
        command = [
            ROOT / f"build/record{options['STEP']}",
            options["VARIANT"],
            "".join(f"{folder}/{path.name}" for path in own),
            *(options[key] for key in NUMBERS),
        ]
        # A loop that never ends uses 20 s of processor time soon. On a busy machine, a kernel that
        # ends may need minutes by the clock.
        finished = subprocess.run(
            ["timeout", "600", "prlimit", "--cpu=20:", *command],
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env=os.environ | {"REDUCE_KERNELS": folder},
        )
    if finished.returncode:
        does_not_end = finished.returncode in (124, -signal.SIGXCPU)
        why = (
            f"picture.py: {options['KERNEL']} cannot be recorded: it"
            f" {'does not end' if does_not_end else 'crashes'}"
        )
        message = (
            finished.stderr.strip().replace(folder + "/", "") if finished.returncode == 2 else why
        )
        first_error = r"(?sm)\A.*?^([^\n]*)\berror: ([^\n]*)$.*^([^\n]* does not compile) .*"
        print(re.sub(first_error, r"\3: \1\2", message), file=sys.stderr)
        sys.exit(2)
    return finished.stdout


class Loads:
    """The recorded loads. `cells` maps an element and an iteration to the work-items that read
    it."""

    def __init__(self, options):
        output = run_recorder(options)
        self.name, file, groups, group, verdict = re.search(
            r"^plan (\w+) (.+) (\d+) (\d+) (\w+)$", output, re.MULTILINE
        ).groups()
        self.n, self.groups, self.group_size = int(options["N"]), int(groups), int(group)
        self.cells, self.elements_of = {}, {}
        last = {}  # the line, the site and the iteration of the last load of each work-item
        lines = [
            [int(word) for word in words.split()]
            for words in re.findall(r"^load ([\d ]+)$", output, re.MULTILINE)
        ]
        for array, group, item, line, site, first, count in lines:
            if array == lines[0][0]:  # later stages read another array, the partial results
                item += group * self.group_size
                old_line, old_site, time = last.get(item, (line, -1, 0))
                time += site <= old_site or line - old_line > 1
                last[item] = line, site, time
                self.elements_of.setdefault(item, []).extend(range(first, first + count))
                for element in range(first, first + count):
                    self.cells.setdefault((element, time), []).append(item)
        self.elements = sorted(
            element for elements in self.elements_of.values() for element in elements
        )
        self.iterations = 1 + max((time for _, time in self.cells), default=0)
        self.file = Path(file).stem
        if not self.elements or verdict == "right" and len(set(self.elements)) < self.n:
            fail(
                f"the loads of {self.file}.cl cannot be recorded: it does not read with load() or"
                " another function that record.clh replaces"
            )
        if verdict != "right":
            print(
                f"picture.py: {self.file}.cl: the sum is wrong; the elements that are read twice,"
                " past the end or not at all are red",
                file=sys.stderr,
            )

    def describe(self):
        """Returns the alt text: the size of the picture, and the elements that up to three of the
        work-items read."""
        some = sorted(
            {min(self.elements_of), min(self.elements_of) + 1, max(self.elements_of)}
            & set(self.elements_of)
        )
        reads = (
            f"{item} reads {', '.join(map(str, elements[:8]))}{' …' * (len(elements) > 8)}"
            for item, elements in ((item, self.elements_of[item]) for item in some)
        )
        return (
            f"Access order of {self.file}, {self.name}; elements across: {self.n}; iterations down:"
            f" {self.iterations}; groups of {self.group_size}: {self.groups};"
            f" work-item {'; '.join(reads)}"
        )


def make_svg(loads):
    """Yields the lines of the SVG. Its greys are readable on white and on black."""
    columns = max(loads.n, min(loads.elements[-1] + 1, loads.n + 8))
    high = loads.iterations * HEIGHT
    middle = lambda element: LEFT + (element + 0.5) * CELL
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {LEFT + columns * CELL + 4}'
        f' {TOP + high + 24}" role="img" font-family="sans-serif" font-size="15"'
        f' text-anchor="middle"><title>{SENTENCE}</title><desc>{loads.describe()}</desc>'
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
        f'<text x="{LEFT / 2:g}" y="{TOP + time * HEIGHT + 19}">{time}</text>'
        for time in range(loads.iterations)
    )
    yield (
        f'</g><path d="M{LEFT} {TOP}v{high}m{loads.n * CELL} 0v-{high}" stroke="#777"'
        ' stroke-width="2"/>'
    )
    for element in sorted(set(range(loads.n)) - set(loads.elements)):
        yield f'<text x="{middle(element):g}" y="{TOP + high + 18}" fill="#d33">×</text>'
    for (element, time), items in sorted(loads.cells.items()):
        group, item = divmod(items[-1], loads.group_size)
        light = 86 - 26 * (item / (loads.group_size - 1) if loads.group_size > 1 else 0.5)
        wrong = ' stroke="#d33" stroke-width="3"' * (
            element >= loads.n or loads.elements.count(element) > 1
        )
        if element < columns:
            yield (
                f'<rect x="{LEFT + element * CELL + 1}" y="{TOP + time * HEIGHT + 1}"'
                f' width="{CELL - 2}" height="{HEIGHT - 2}"'
                f' fill="hsl({HUES[group % len(HUES)]},75%,{light:.0f}%)"{wrong}/><text'
                f' x="{middle(element):g}" y="{TOP + time * HEIGHT + 19}"'
                f' font-size="{18 if items[-1] < 10 else 14}">{items[-1]}</text>'
            )
    yield "</svg>"


def check_options(words):
    """Returns the options that the words give, and builds the program that records."""
    given = {key: value for key, _, value in (word.partition("=") for word in words) if value}
    options = DEFAULTS | given
    if set(options) != set(DEFAULTS) or not options["STEP"]:
        fail(
            "usage: make picture STEP=10 [KERNEL=mine/10.cl] [VARIANT=] [N=] [GROUP=] [GROUPS=]"
            " [WIDTH=] [LANES=] [BATCH=]"
        )
    if not any(
        "step_main(" in path.read_text() for path in ROOT.glob(f"steps/**/{options['STEP']}_*.c")
    ):
        fail(f"STEP={options['STEP']}: must be a step of the ladder, such as 10")
    for key in filter(given.get, NUMBERS):
        number = parse_number(given[key])
        options[key] = str(number)
        if not number or key == "WIDTH" and number not in (1, 2, 4, 8, 16):
            fail(
                f"{key}={given[key]}: must be"
                f" {'1, 2, 4, 8 or 16' if key == 'WIDTH' else 'a number of at least 1'}"
            )
    make = ["make", "-s", "--no-print-directory", f"build/record{options['STEP']}"]
    if subprocess.run(make, cwd=ROOT, check=False).returncode:
        fail(f"STEP={options['STEP']}: the program that records the loads does not compile")
    return options


def read_loads(words):
    """Returns the loads of a kernel."""
    return Loads(check_options(words))


def read_arrivals(words):
    """Returns the groups of step 11 in the order in which they arrive."""
    output = run_recorder(check_options(words))
    arrivals = re.findall(r"^arrive (\d+) (\d+)$", output, re.MULTILINE)
    return [int(group) for group, before in sorted(arrivals, key=lambda found: int(found[1]))]


def read_combinations(words):
    """Returns, for each work-item, the rounds in which it combines two values. A round ends with a
    barrier, and the first one is round 0."""
    rounds, combinations = {}, {}
    output = run_recorder(check_options(words))
    for word, item in re.findall(r"^(\w+) (\d+)$", output, re.MULTILINE):
        if word == "barrier":
            rounds[int(item)] = rounds.get(int(item), 0) + 1
        elif word == "combine":
            combinations.setdefault(int(item), []).append(rounds.get(int(item), 0))
    return combinations


def draw_picture(words, folder=ROOT / "build"):
    """Draws a picture. Returns its path and its alt text."""
    options = check_options(words)
    loads = Loads(options)
    name = f"{options['STEP']}_{loads.name}{'_batches' * (options['BATCH'] != '0')}"
    path = Path(folder, f"{Path(options['KERNEL']).stem or name}.svg")
    replace_file(path, "".join(f"{line}\n" for line in make_svg(loads)))
    return path, loads.describe()


def main(arguments):
    """Draws one picture, or all pictures of the tutorial."""
    command_line = CommandLine(__doc__)
    command_line.add_argument("SETTING", nargs="*")
    command_line.add_argument("--all", nargs="?", const=HERE / "pictures", metavar="FOLDER")
    options = command_line.parse_args(arguments)
    if options.all is None:
        path, words = draw_picture(options.SETTING)
        print(f"{os.path.relpath(path)}\n{words}")
    elif options.SETTING:
        command_line.error("--all draws all pictures, without settings")
    else:
        for words in TUTORIAL:
            draw_picture(words.split(), options.all)


if __name__ == "__main__":
    start(main)
