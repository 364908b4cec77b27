#!/usr/bin/env python3
"""Writes numbers, listings, diffs, tables and transcripts into the texts, from the repository's
files and the output of its programs. README.md beside this file describes the markers.

    plots/book/docs.py [--fast | --all]  renews all texts; --fast: runs nothing; --all: times too
    plots/book/docs.py --run TEXT…        runs the texts' commands here, compares their output
"""

import math
import os
import re
import shlex
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
import table  # noqa: E402
from data import ROOT, WORDS, Data, fail, median, number_of, power, start, write_whole  # noqa: E402

RESULTS = ROOT / "plots/results"
MARKER = re.compile(r"<!-- (listing|diff|table|number) (.*?) ?-->(.*?)(<!-- /\1 -->|\Z)", re.DOTALL)
# Transcripts, and commands within sentences.
COMMANDS = re.compile(
    r"(?<=^```console\n).*?(?=^```$)|`([^`]+)`\s*<!-- run(?:, (exit status \d+))? -->",
    re.DOTALL | re.MULTILINE,
)
LANGUAGES = {".cl": "opencl", ".clh": "opencl", ".c": "c", ".h": "c", ".py": "python", ".sh": "sh"}
HEADS = {
    "GBps": "GB/s",
    "percent_of_limit": "% of limit",
    "wall_med": "wall",
    "kernel_med": "kernels",
    "span_med": "span",
}
line_of = lambda path, text, found: f"{path.name}, line {text[:found.start()].count(chr(10)) + 1}"


def options(words, *known):
    """{"from": "…"} for from="…"."""
    found = dict(word.partition("=")[::2] for word in words)
    if set(found) <= set(known):
        return found
    raise ValueError(f"knows {', '.join(known)}, but not {', '.join(set(found) - set(known))}")


def listing(name, *words):
    """Lines of a file, in a fenced block."""
    path, asked = ROOT / name, options(words, "from", "to", "numbers")
    lines = path.read_text(encoding="utf-8").splitlines()

    def find(what, begin, otherwise):
        found = [at for at in range(begin, len(lines)) if asked.get(what, "") in lines[at]]
        if what in asked and not found:
            raise ValueError(
                f"{name} has no line with {asked[what]!r}{' from there on' * (what == 'to')}"
            )
        return found[0] if what in asked else otherwise

    first = find("from", 0, 0)
    last = find("to", first, first if "from" in asked else len(lines) - 1)
    shown = textwrap.dedent("\n".join(lines[first : last + 1])).split("\n")
    if "numbers" in asked:
        shown = [f"{number:3}  {line}".rstrip() for number, line in enumerate(shown, first + 1)]
    return [f"```{LANGUAGES.get(path.suffix, '')}", *shown, "```"]


def diff(number):
    """make diffNN, folded away."""
    done = subprocess.run(
        ["steps/diff.sh", number], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise ValueError(done.stderr.strip())
    header, *parts = done.stdout.strip().split(
        "\n\n"
    )  # a part is a line of words, with or without a diff
    blocks = "\n\n".join(
        re.sub(r"\A(.*)\n+((?:.*\n?)+)\Z", r"\1\n\n```diff\n\2\n```", part) for part in parts
    )
    against = re.search(r"^Change +\(against (.*?)\)", header, re.MULTILINE)
    return [
        "<details>",
        (
            f"<summary><code>make diff{number}</code>: what changes against"
            f" {against and against[1]}</summary>"
        ),
        "",
        blocks,
        "",
        "</details>",
    ]


def find_numbers(device, kernel, n):
    """The header of a kernel's data file, and its numbers at n (medians, if they come from a
    bench). {} for one that is missing."""
    found = re.fullmatch(r"(\d\d)(?:_(\w+))?(?:\.(\w+\.\w+))?(?::(\d+))?", kernel)
    if not found or not (RESULTS / device).is_dir():
        raise ValueError(
            f"{kernel} on {device}: must be like 06, 02_blocked, 07_vector:8, 06.min.float; a"
            " folder of plots/results"
        )
    step, variant, what, width = found.groups("")
    paths = sorted((RESULTS / device).glob(f"{step}_{variant or '*'}.{what or 'sum.int'}.dat"))
    files = [file for file in map(Data, paths) if variant or file.about.get("main") == "yes"]
    about = files[0].about if files else {}
    rows = [
        row
        for file in files
        for row in file.rows
        if float(row["n"]) == n and width in ("", row["width"])
    ]
    if not rows and (RESULTS / device / "bench.dat").is_file() and not what + width:
        bench, key = Data(RESULTS / device / "bench.dat"), (
            step,
            variant or about.get("variant"),
            n,
        )
        rows = [row for row in bench.rows if (row["step"], row["variant"], float(row["n"])) == key]
        about = bench.about | {"step": f"{step} {rows[0]['name']}"} if rows else about
    numbers = [column for column in rows[0] if column not in WORDS] if rows else []
    return about, {column: median(float(row[column]) for row in rows) for column in numbers}


def format_number(numbers, column):
    """A number as the texts show it: 55.4, or 88.1 ms, or - if it is missing."""
    if numbers and column not in numbers:
        raise ValueError(f"no column {column}: there are {' '.join(numbers)}")
    value = numbers.get(column, math.nan)
    if math.isnan(value):
        return "-"
    if "percent" in column:
        return f"{value:.1f}"
    if column.endswith("GBps"):
        return f"{value:#.3g}".rstrip(".") if value < 1000 else f"{value:.0f}"
    if re.search(r"_(min|med|p90|seconds)$", column):
        unit, scale = next(
            pair
            for pair in (("s", 1), ("ms", 1e-3), ("us", 1e-6))
            if value >= 0.9995 * pair[1] or pair[0] == "us"
        )
        return f"{value / scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{value:.0f}" if value == int(value) else f"{value:.2g}"


def data_table(*words):
    """A table with a row for each step, and a column for each device and each column of its
    data."""
    asked = options(words, "steps", "columns", "devices", "n")
    kernels, columns, devices = (
        asked.get(key, "").split() for key in ("steps", "columns", "devices")
    )
    each = asked.get("n") == "largest"
    largest = lambda device: max(
        int(row["n"])
        for path in (RESULTS / device).glob("06_*.sum.int.dat")
        for row in Data(path).rows
    )
    sizes = {
        device: largest(device) if each else number_of(asked.get("n", "")) for device in devices
    }
    heads = [
        f"{device}{f', n = {power(sizes[device])}' * each}: {HEADS.get(column, column)}"
        for device in devices
        for column in columns
    ]
    yield table.line("step" if each else f"step, n = {asked['n']}", *heads)
    yield table.line("---", *["---:"] * len(heads))
    for kernel in kernels:
        found = [find_numbers(device, kernel, sizes[device]) for device in devices]
        if not any(numbers for _, numbers in found):
            raise ValueError(f"{kernel}: none of {', '.join(devices)} has it at n = {asked['n']}")
        name = next(about["step"] for about, _ in found if about) + kernel[2:].replace(
            "_", " ", 1
        ).replace(":", ", width ")
        yield table.line(
            name, *(format_number(numbers, column) for _, numbers in found for column in columns)
        )


def data_number(device, kernel, *words):
    """One number, or its ratio to another one; or, without n, a line of the file's header."""
    if len(words) == 1:
        yield find_numbers(device, kernel, 0)[0].get(words[0].replace("_", " "), "")
        return
    n, column, *over = words
    found = [
        find_numbers(device, which, number_of(n))[1]
        for which in [kernel, *options(over, "over").values()]
    ]
    if {} in found:
        raise ValueError(
            f"plots/results/{device} has no row of {' or '.join([kernel, *over])} at n = {n}"
        )
    ratio = found[0].get(column, 0) / found[-1].get(column, 1)
    yield f"{ratio:.{2 if ratio < 100 else 3}g}" if over else format_number(found[0], column)


MAKERS = {"listing": listing, "diff": diff, "table": data_table, "number": data_number}


def fill_markers(path, text):
    """A text with new contents between its markers."""

    def marked(found):
        kind, words, _, end = found.groups()
        try:
            if not end or kind == "number" and text[: found.start()].endswith("\n"):
                raise ValueError(
                    "begins a line, which ends the paragraph"
                    if end
                    else f"no <!-- /{kind} --> after it"
                )
            body = "\n".join(MAKERS[kind](*shlex.split(words)))
        except (OSError, ValueError, TypeError) as error:  # TypeError: too few words, or too many
            fail(f"{line_of(path, text, found)}: {kind} {words}: {error}")
        around = "" if kind == "number" else "\n"
        return f"<!-- {kind} {words} -->{around}{body}{around}{end}"

    return MARKER.sub(marked, text)


def copy_repository(folder):
    """Copies the files of a clone, and the built programs, so that nothing is compiled again."""
    script = (
        'git ls-files -coz --exclude-standard | xargs -0 cp -a --parents -t "$0" && cp -a build'
        ' step[0-9][0-9] "$0"'
    )
    if subprocess.run(["sh", "-c", script, folder], cwd=ROOT, check=False).returncode:
        fail("could not copy the repository: is this a git repository, and is it built (make all)?")


def run(where, folder, command):
    """What a command prints. Fails with one line if the exit status is not the expected one."""
    wanted = int((re.search(r"# exit status (\d+)\s*$", command) or [0, 0])[1])
    clean = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("REDUCE_", "MAKE", "MFLAGS"))
    }
    done = subprocess.run(
        ["timeout", "200", "sh", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        env=clean | {"MAKEFLAGS": "-s"},
    )
    if done.returncode == 77 and "--races" in command:
        return None  # Oclgrind is missing here, as on Debian 13: the transcript stays
    if done.returncode != wanted:
        fail(
            f"{where}: exit status {done.returncode}, not {wanted}: {command}:"
            f" {done.stdout.strip().rpartition(chr(10))[2]}"
        )
    # On a busy machine a step prints this line after five seconds.
    return "".join(
        line.rstrip() + "\n"
        for line in done.stdout.splitlines()
        if "still waiting for the kernel" not in line
    )


def mask(output):
    """The lines of an output without the parts that differ from run to run: times, rates after
    them, the processor's name."""
    lines = [
        re.sub(r"^(on \d+ |\s*device \d+: |One reduction on ).*", r"\1", line)
        for line in output.splitlines()
    ]
    lines = [
        re.sub(r"\b(seed|median of) \d+|[\d.]+ GB/s", "", line)
        for line in lines
        if line[:1] not in ("~", "?")
    ]
    return [
        re.sub(r" [~?]$|[\s(]+(-|[\d.]+(e[-+]\d+)?) ?(ns|us|ms|s)\b.*", "", line) for line in lines
    ]


def renew_transcripts(path, text, folder, how):
    """A text with new outputs. With --run the text stays, and on the machine that it names each
    output must equal the text's."""
    named = lambda output: re.findall(r"^(?:on|\s*device) \d+[: ].*", output, re.MULTILINE)
    found_here, known, devices = [], set(named(text)), set()

    def block(found):
        if found[1]:  # within a sentence, so the text shows no output
            if how == "--run":
                run(
                    line_of(path, text, found),
                    folder,
                    f"{found[1]} # {found[2]}" if found[2] else found[1],
                )
            return found[0]
        first, *parts = re.split(r"^(\$ (?:.*\\\n)*.*\n)", found[0], flags=re.MULTILINE)
        for at in range(0, len(parts), 2):
            fixed, old = "plots/results/" in parts[at] and "./step" not in parts[at], parts[at + 1]
            where, command = line_of(path, text, found), parts[at][2:].rstrip()
            new = (fixed or how != "--fast") and run(where, folder, command) or old
            devices.update(named(new))
            found_here.append(
                (f"{where}: {command}", *([*named(output), *mask(output)] for output in (new, old)))
            )
            if fixed or how == "--all" or mask(new) != mask(old):
                parts[at + 1] = new
        return first + "".join(parts)

    text = COMMANDS.sub(block, text)
    same = len(os.sched_getaffinity(0)) == 2 and devices and devices <= known
    for where, new, old in found_here if how == "--run" and same else []:
        if new != old:
            line = next((line for line in new if line not in old), "less")
            fail(f"{where}: prints {line.strip()!r}, which the text does not show: make docs")
    if how == "--run" and devices and not same:
        print(f"{path.name}: from another machine, so outputs are not compared")
    return text


def main(arguments):
    """Does what the command line asks for."""
    how, *names = arguments or [""]
    for path in map(Path, names if how == "--run" else []):
        renew_transcripts(path, path.read_text(encoding="utf-8"), ROOT, how)
    if how == "--run":
        return
    if how not in ("", "--fast", "--all") or names:
        fail("usage: plots/book/docs.py [--fast | --all | --run TEXT…]")
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        if how != "--fast":
            copy_repository(folder)
        for path in [
            ROOT / "README.md",
            ROOT / "TUTORIAL.md",
            *ROOT.glob("plots/*/README.md"),
            *ROOT.glob("steps/exercises/*.md"),
        ]:
            text = fill_markers(
                path, table.renew_tables(path)
            )  # with new tables and new words at its pictures
            texts[path] = renew_transcripts(
                path, text, ROOT if how == "--fast" else folder, how
            )  # all texts, before the first one is written
    for path, text in texts.items():
        if text != path.read_text(encoding="utf-8"):
            write_whole(path, text)
            print(f"renewed: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    start(main)
