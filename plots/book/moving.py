#!/usr/bin/env python3
"""Draws pictures that move: animated SVG files, without a script, so they also play in an <img>.

    plots/book/moving.py [FOLDER]   draws all of them into FOLDER; default: plots/book/pictures
    plots/book/moving.py --record   prints the order in which groups arrive in step 11

    access.svg    the order in which steps 06, 08 and 10 read memory, and the cache lines they touch
    trees.svg     the trees of steps 03 and 04, and the vectors of lanes that have something to do
    arrival.svg   the order in which the groups of step 11 arrived when --record was called

The kernels print what they do while they run: see picture.py. The order of arrival differs from run
to run, so its picture is drawn from a file in plots/results/. Each picture repeats its steps for
ever. A viewer without animations, and a printer, shows all steps at once. Pictures in the book can
be paused and moved step by step, because book.html controls their CSS animations."""

import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import ROOT, CommandLine, read_lines, replace_file, start  # noqa: E402
from picture import HERE, HUES, read_arrivals, read_combinations, read_loads  # noqa: E402

SECONDS = 0.7  # for each step of an animation
LINE = 8  # elements of 8 bytes in a cache line of 64 bytes
# A kernel, the two lines of its title, and the devices that its order suits. A batch has two rows
# here, which are one cache line.
ACCESS = (
    ("STEP=06 N=64", "06: neighbours", "side by side", "suits GPUs"),
    ("STEP=08 N=64 GROUP=1 GROUPS=8", "08: a block for", "each work-item", "suits CPUs"),
    ("STEP=10 N=64 WIDTH=1 BATCH=2", "10: a batch for", "each sub-group", "suits both"),
)
DARK = (  # the words and the fields of access.svg, on a bright page and on a dark one
    ".access-word{fill:#444}.access-number{fill:#000}"
    "@media screen and (prefers-color-scheme:dark){.access-word{fill:#ccc}"
    ".access-number{fill:#eee}.access-cell{filter:brightness(0.5)}}"
)
GROUP_SIZE, LANES = 16, 4  # of the group and of a vector, in the picture of the trees
TREES = (("03", "03: neighbours combine"), ("04", "04: the halves combine"))
ARRIVALS = ROOT / "plots/results/arrival.txt"


class Animation:
    """The style sheet of a picture whose steps follow each other. Its class names begin with the
    name of the picture, because the book contains several pictures."""

    def __init__(self, picture, steps):
        self.picture = picture
        self.steps, self.rules = steps + 2, {}  # the last state is shown for two more steps

    def name(self, prefix, times, bright, pale, before):
        """Returns the class of something that is bright at these times, pale after the first of
        them, and has another opacity before."""
        name = f"{self.picture}-{prefix}{'_'.join(ranges_of(times))}"
        if name not in self.rules:
            frames, shown = [], None
            for step in range(self.steps):
                opacity = bright if step in times else pale if step > min(times) else before
                if opacity != shown:
                    frames.append(f"{100 * step / self.steps:.3g}%{{opacity:{opacity}}}")
                    shown = opacity
            frames.append(f"to{{opacity:{shown}}}")
            self.rules[name] = (
                f".{name}{{animation:{name} {self.steps * SECONDS:.3g}s step-end infinite}}"
                f"@keyframes {name}{{{''.join(frames)}}}"
            )
        return name

    def style(self, more):
        """Returns the style sheet, and the further rules. On paper, and for readers who want no
        motion, all steps are shown at once."""
        still = f'[class^="{self.picture}-"]{{animation:none}}'
        return (
            f"<style>{''.join(self.rules.values())}@media print{{{still}}}"
            f"@media (prefers-reduced-motion:reduce){{{still}}}{more}</style>"
        )


def ranges_of(times):
    """Names the ranges of some numbers: 0 1 2 5 becomes 0-2 5."""
    names, times = [], sorted(times)
    while times:
        count = next((k for k, time in enumerate(times) if time != times[0] + k), len(times))
        names.append(f"{times[0]}-{times[count - 1]}" if count > 1 else f"{times[0]}")
        times = times[count:]
    return names


def colour(group, item, group_size):
    light = 80 - 24 * (item / (group_size - 1) if group_size > 1 else 0.5)
    return f"hsl({HUES[group % len(HUES)]},75%,{light:.0f}%)"


def wrap_svg(width, height, title, words, animation, lines, more="", font=15):
    """Returns the text of a file. The greys are readable on white and on black; `more` are further
    rules of the style sheet."""
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img"'
        f' font-family="sans-serif" font-size="{font}" text-anchor="middle"'
        f' data-step="{1000 * SECONDS:.0f}"><title>{title}</title><desc>{words}</desc>'
        f"{animation.style(more)}"
    )
    return "\n".join([head, *lines, "</svg>", ""])


def draw_access():
    """Returns the picture of the access orders. It is as legible at a width of 390 pixels as other
    text there, so a line has only eight elements."""
    wide, high, gap, top = 38, 34, 40, 136
    panels = [(read_loads(words.split()), titles) for words, *titles in ACCESS]
    steps = max(loads.iterations for loads, _ in panels)
    rows = -(-panels[0][0].n // LINE)
    animation, lines, words = Animation("access", steps), [], []
    for number, (loads, titles) in enumerate(panels):
        left = 6 + number * (LINE * wide + gap)
        times_of_row = {}
        for (element, time), items in sorted(loads.cells.items()):
            times_of_row.setdefault(element // LINE, set()).add(time)
            group, item = divmod(items[-1], loads.group_size)
            row, column = divmod(element, LINE)
            x, y = left + column * wide, top + row * (high + 10)
            name = animation.name("t", {time}, 1, 0.5, 0.3)
            lines.append(
                f'<g class="{name}"><rect x="{x + 1}" y="{y + 1}" width="{wide - 2}"'
                f' height="{high - 2}" fill="{colour(group, item, loads.group_size)}"'
                f' class="access-cell"/><text x="{x + wide / 2:g}" y="{y + 26}"'
                f' class="access-number">{items[-1]}</text></g>'
            )
        for row in range(rows):
            y = top + row * (high + 10)
            box = f'x="{left - 3}" y="{y - 3}" width="{LINE * wide + 6}" height="{high + 6}" rx="5"'
            name = animation.name("l", times_of_row[row], 1, 0.15, 0.15)
            lines.append(f'<rect {box} fill="none" stroke="#e80" stroke-width="4" class="{name}"/>')
        at_once = sorted(
            {
                sum(time in times for times in times_of_row.values())
                for time in range(loads.iterations)
            }
        )
        count = f"{format_range(at_once)} cache line{'s' * (at_once[-1] > 1)} at a time"
        weights = ("bold", "bold", "normal", "normal")
        lines += [
            f'<text x="{left + LINE * wide / 2:g}" y="{28 + 30 * line}" font-weight="{weight}"'
            f' class="access-word">{text}</text>'
            for line, (text, weight) in enumerate(zip((*titles, count), weights))
        ]
        words.append(f"{titles[0]} {titles[1]}, {count}, {titles[2]}")
    title = (
        f"A row is a cache line of {LINE} elements of 8 bytes. The number in a field is the"
        " work-item that reads the element. In the moving picture, a frame marks a cache line that"
        " is being read. A GPU reads fastest if its work-items read few cache lines at a time, and"
        " a CPU if each core reads a block of its own."
    )
    words = (
        f"{len(panels[0][0].elements_of)} work-items read {panels[0][0].n} elements."
        f" {'; '.join(words)}."
    )
    height = top + rows * (high + 10) + 4
    width = 3 * LINE * wide + 2 * gap + 12
    return wrap_svg(width, height, title, words, animation, lines, DARK, 24)


def format_range(numbers):
    return f"{numbers[0]}" if numbers[0] == numbers[-1] else f"{numbers[0]} to {numbers[-1]}"


def draw_trees():
    """Returns the picture of the two trees."""
    size, gap, top = 26, 50, 84
    group = f"N={GROUP_SIZE} GROUP={GROUP_SIZE} GROUPS=1".split()
    panels = [(read_combinations([f"STEP={step}", *group]), title) for step, title in TREES]
    rounds = max(max(rounds) for rounds_of, _ in panels for rounds in rounds_of.values())
    animation, lines, counts = Animation("trees", rounds), [], []
    for number, (rounds_of, title) in enumerate(panels):
        left, busy = 70 * (number == 0) + number * (GROUP_SIZE * size + gap + 70), 0
        middle = left + GROUP_SIZE * size / 2
        for round_number in range(1, rounds + 1):
            y = top + (round_number - 1) * (size + 12)
            active = {item for item, its in rounds_of.items() if round_number in its}
            name = animation.name("t", {round_number - 1}, 1, 0.6, 0.15)
            lines.append(f'<g class="{name}">')
            for first in range(0, GROUP_SIZE, LANES):
                share = len(active & set(range(first, first + LANES))) / LANES
                busy += share > 0
                fill = 'fill="none"'
                if share:
                    fill = f'fill="hsl(35,90%,55%)" fill-opacity="{share:g}"'
                lines.append(
                    f'<rect x="{left + first * size + 2}" y="{y}" width="{LANES * size - 4}"'
                    f' height="{size + 4}" rx="5" {fill} stroke="{"#e80" if share else "#999"}"'
                    ' stroke-width="2"/>'
                )
            lines += [
                f'<text x="{left + (item + 0.5) * size:g}" y="{y + 20}"'
                f' fill="{"#000" if item in active else "#999"}">{item}</text>'
                for item in range(GROUP_SIZE)
            ]
            lines.append("</g>")
            if number == 0:
                lines.append(f'<text x="30" y="{y + 20}" fill="#777">round {round_number}</text>')
        counts.append(busy)
        lines.append(
            f'<text x="{middle:g}" y="24" fill="#777" font-weight="bold">{title}</text>'
            f'<text x="{middle:g}" y="50" fill="#777">vectors with work, in all rounds: {busy}'
            "</text>"
        )
    title = (
        f"A box is a vector of {LANES} lanes, shaded by how many of its work-items combine two"
        " values in that round."
    )
    words = "; ".join(
        f"{title}: {count} vectors with work in {rounds} rounds"
        for (_, title), count in zip(panels, counts)
    )
    words = f"A group of {GROUP_SIZE} work-items, in vectors of {LANES} lanes. {words}."
    width = 140 + 2 * GROUP_SIZE * size + gap + 4
    height = top + rounds * (size + 12) + 4
    return wrap_svg(width, height, title, words, animation, lines)


def draw_arrival():
    """Returns the picture of the groups that arrive."""
    lines = read_lines(ARRIVALS)
    groups = [int(number) for number in re.findall(r"group (\d+) arrives", "\n".join(lines))]
    width, height, left, top = 58, 30, 90, 34
    count, last = len(groups), groups[-1]
    animation, right = Animation("arrival", count + 1), left + count * width + 8
    bottom = top + count * (height + 4)
    ranks = ["1st", "2nd", "3rd", *(f"{rank}th" for rank in range(4, count)), "last"]
    lines = [
        f'<text x="{left}" y="20" fill="#777" text-anchor="start">time, in the order of the'
        " arrivals →</text>",
        f'<text x="{left - 8}" y="{bottom + 20}" fill="#777" text-anchor="end">counter</text>',
    ]
    for group in sorted(groups):
        time = groups.index(group)
        y, x = top + group * (height + 4), left + time * width
        lines.append(
            f'<text x="{left - 8}" y="{y + 20}" fill="#777" text-anchor="end">group {group}</text>'
        )
        if time:
            name = animation.name("w", set(range(time)), 1, 0.5, 0.5)
            lines.append(
                f'<rect x="{left}" y="{y + 9}" width="{x - left}" height="{height - 18}"'
                f' fill="{colour(group, 0, 2)}" class="{name}"/>'
            )
        name = animation.name("t", {time}, 1, 0.7, 0.3)
        lines.append(
            f'<g class="{name}"><rect x="{x + 1}" y="{y}" width="{width - 2}" height="{height}"'
            f' rx="4" fill="{colour(group, 0, 2)}" stroke="#e80" stroke-width="2"/><text'
            f' x="{x + width / 2:g}" y="{y + 20}" font-size="13">{ranks[time]}</text><text'
            f' x="{x + width / 2:g}" y="{bottom + 20}" fill="#777">{time + 1}</text></g>'
        )
    y = top + last * (height + 4)
    name = animation.name("t", {count}, 1, 0.7, 0.3)
    lines.append(
        f'<g class="{name}"><rect x="{right}" y="{y}" width="190" height="{height}" rx="4"'
        f' fill="{colour(last, 0, 2)}" stroke="#e80" stroke-width="2"/><text x="{right + 95}"'
        f' y="{y + 20}" font-size="13">combines all {count} partials</text></g>'
    )
    title = (
        "A bar is a group at work, and a box is its arrival. Only the order of the arrivals is"
        " recorded, not their times."
    )
    words = (
        f"One run of step 11 with {count} groups on an H200. The groups arrive in the order"
        f" {', '.join(map(str, groups))}. Group {last} finds that the counter is {count - 1}, so"
        f" it is the last one, and combines all {count} partials."
    )
    return wrap_svg(right + 196, bottom + 30, title, words, animation, lines)


PICTURES = {"access": draw_access, "trees": draw_trees, "arrival": draw_arrival}


def main(arguments):
    """Draws all moving pictures, or records the arrivals."""
    command_line = CommandLine(__doc__)
    command_line.add_argument("FOLDER", nargs="?", default=HERE / "pictures", type=Path)
    command_line.add_argument("--record", action="store_true")
    options = command_line.parse_args(arguments)
    if options.record:
        for group in read_arrivals(["STEP=11", "N=4096", "GROUP=32", "GROUPS=8"]):
            print(f"group {group} arrives")
        return
    for name, draw in PICTURES.items():
        replace_file(options.FOLDER / f"{name}.svg", draw())


if __name__ == "__main__":
    start(main)
