#!/usr/bin/env python3
"""Writes numbers, listings, diffs, tables and transcripts into the texts. They come from the files
of the repository and from the output of its programs. README.md in this folder describes the
markers.

    plots/book/docs.py [--all]      renews all texts; --all: also executes the commands of the
                                    transcripts, and records their output again
    plots/book/docs.py --run TEXT…  executes the commands of the texts, compares their output

Without --all the texts do not depend on the machine: a transcript stays as it was recorded, unless
its command only reads plots/results/."""

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
from data import ROOT, WORDS, CommandLine, Data, fail, format_size, median  # noqa: E402
from data import parse_number, read_bench, replace_file, start, wrap_prose  # noqa: E402
from scaling import Model  # noqa: E402

RESULTS = ROOT / "plots/results"
# Matches the markers around a generated block.
MARKER = re.compile(
    r"^<!-- (listing|diff|table|gains|scaling) (.*?) ?-->(.*?)(^<!-- /\1 -->|\Z)",
    re.DOTALL | re.MULTILINE,
)
# Matches a paragraph, the indentation of the comment after the paragraph, and the comment.
CHECKED = re.compile(
    r"((?:^(?![ >]*(?:$|<|```|#)).*\n)*)^([ >]*)<!-- checked:\s((?:.|\n)*?) -->$", re.MULTILINE
)
LIST_MARK = r"([-*+]|\d+[.)]) +"
# Matches transcripts, and commands within sentences.
COMMANDS = re.compile(
    r"(?<=^```console\n).*?(?=^```$)|`([^`\n]+)` = run(?:, (exit status \d+|varies))?(?=;| -->)",
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
locate = lambda path, text, at: f"{path.name}, line {text[:at].count(chr(10)) + 1}"


def parse_options(words, *allowed):
    """Returns {"from": "…"} for from="…"."""
    found = dict(word.partition("=")[::2] for word in words)
    if set(found) <= set(allowed):
        return found
    raise ValueError(f"knows {', '.join(allowed)}, but not {', '.join(set(found) - set(allowed))}")


def make_listing(name, *words):
    """Returns lines of a file, in a fenced block."""
    path, options = ROOT / name, parse_options(words, "from", "to", "numbers")
    lines = path.read_text(encoding="utf-8").splitlines()

    def find(what, begin, otherwise):
        found = [at for at in range(begin, len(lines)) if options.get(what, "") in lines[at]]
        if what in options and not found:
            raise ValueError(
                f"{name} has no line with {options[what]!r}{' from there on' * (what == 'to')}"
            )
        return found[0] if what in options else otherwise

    first = find("from", 0, 0)
    last = find("to", first, first if "from" in options else len(lines) - 1)
    shown = textwrap.dedent("\n".join(lines[first : last + 1])).split("\n")
    if "numbers" in options:
        shown = [f"{number:3}  {line}".rstrip() for number, line in enumerate(shown, first + 1)]
    return [f"```{LANGUAGES.get(path.suffix, '')}", *shown, "```"]


def make_diff(number):
    """Returns the output of make diffNN, folded away."""
    finished = subprocess.run(
        ["steps/diff.sh", number], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if finished.returncode:
        raise ValueError(finished.stderr.strip())
    header, *parts = finished.stdout.strip().split(
        "\n\n"
    )  # a part is a line of words; a diff may follow the line
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
    """Returns the header of a kernel's data file, and the kernel's numbers at n. For n = 2^27 they
    come from bench.dat, where all variants were measured in turn, and are medians over the rounds.
    If the header or the numbers are missing, {} replaces them."""
    found = re.fullmatch(r"(\d\d)(?:_(\w+))?(?:\.(\w+\.\w+))?(?::(\d+))?", kernel)
    if not found or not (RESULTS / device).is_dir():
        raise ValueError(
            f"{kernel} on {device}: the kernel must be like 06, 02_blocked, 07_vector:8 or"
            " 06.min.float, and the device a folder of plots/results"
        )
    step, variant, what, width = found.groups("")
    paths = sorted((RESULTS / device).glob(f"{step}_{variant or '*'}.{what or 'sum.int'}.dat"))
    files = [file for file in map(Data, paths) if variant or file.header.get("main") == "yes"]
    header = files[0].header if files else {}
    rows = [
        row
        for file in files
        for row in file.rows
        if float(row["n"]) == n and width in ("", row["width"])
    ]
    if (RESULTS / device / "bench.dat").is_file() and not what + width:
        bench = read_bench(RESULTS / device)
        key = (step, variant or header.get("variant"), n)
        benched = [
            row for row in bench.rows if (row["step"], row["variant"], float(row["n"])) == key
        ]
        if benched:
            rows = benched
            header |= bench.header | {"step": f"{step} {benched[0]['name']}"}
    numbers = [column for column in rows[0] if column not in WORDS] if rows else []
    medians = {column: median(float(row[column]) for row in rows) for column in numbers}
    return header, medians


def format_number(numbers, column):
    """Returns a number as the texts show it, such as 55.4 or 88.1 ms, or - if the number is
    missing."""
    if numbers and column not in numbers:
        raise ValueError(f"no column {column}: there are {' '.join(numbers)}")
    value = numbers.get(column, math.nan)
    if math.isnan(value):
        return "-"
    if "percent" in column:
        return f"{value:.1f}"
    if column.endswith("GBps"):
        return f"{value:#.3g}".rstrip(".") if value < 1000 else f"{value:.0f}"
    if re.search(r"_(min|med|p90|seconds|wall|kernel)$", column):
        unit, scale = next(
            pair
            for pair in (("s", 1), ("ms", 1e-3), ("us", 1e-6))
            if value >= 0.9995 * pair[1] or pair[0] == "us"
        )
        return f"{value / scale:#.3g}".rstrip(".") + f" {unit}"
    return f"{value:.0f}" if value == int(value) else f"{value:.2g}"


def format_seconds(seconds):
    """Returns a time as a column of times shows it, such as 18.0 us."""
    return format_number({"wall_med": seconds}, "wall_med")


def format_ratio(ratio):
    return f"{ratio:.{2 if ratio < 100 else 3}g}"


def make_data_table(*words):
    """Yields a table with a row for each step, and a column for each device and each column of its
    data."""
    options = parse_options(words, "steps", "columns", "devices", "n")
    kernels, columns, devices = (
        options.get(key, "").split() for key in ("steps", "columns", "devices")
    )
    each = options.get("n") == "largest"
    largest = lambda device: max(
        int(row["n"])
        for path in (RESULTS / device).glob("06_*.sum.int.dat")
        for row in Data(path).rows
    )
    sizes = {
        device: largest(device) if each else parse_number(options.get("n", ""))
        for device in devices
    }
    heads = [
        f"{device}{f', n = {format_size(sizes[device])}' * each}: {HEADS.get(column, column)}"
        for device in devices
        for column in columns
    ]
    yield table.format_row("step" if each else f"step, n = {options['n']}", *heads)
    yield table.format_row("---", *["---:"] * len(heads))
    for kernel in kernels:
        found = [find_numbers(device, kernel, sizes[device]) for device in devices]
        if not any(numbers for _, numbers in found):
            raise ValueError(f"{kernel}: none of {', '.join(devices)} has it at n = {options['n']}")
        name = next(header["step"] for header, _ in found if header) + kernel[2:].replace(
            "_", " ", 1
        ).replace(":", ", width ")
        yield table.format_row(
            name, *(format_number(numbers, column) for _, numbers in found for column in columns)
        )


def make_gains(*words):
    """Yields a table of the steps: on a GPU the wall time, the rate, and how many times as fast the
    step is as the step that it changes and as the first step. If it does not change the line above,
    the number of the other step follows. On a CPU, whose memory is not equally fast at all times,
    the share of the read limit."""
    options = parse_options(words, "gpu", "cpu", "n")
    gpu, cpu, n = (options.get(key, "") for key in ("gpu", "cpu", "n"))
    heads = [f"{gpu}: {head}" for head in ("time", "GB/s", "times the line above", "times 01")]
    heads.append(f"{cpu}: % of limit")
    yield table.format_row(f"step, n = {n}", "idea", *heads)
    yield table.format_row("---", "---", *["---:"] * len(heads))
    walls = {}
    for number, name, idea in table.list_chapters():
        (header, numbers), (_, of_cpu) = (
            find_numbers(device, number, parse_number(n)) for device in (gpu, cpu)
        )
        if not numbers:  # the chapter is about something else
            continue
        base, above = header["compared with"], list(walls)[-1:]
        walls[number] = numbers["wall_med"]
        gains = [format_ratio(walls[start] / walls[number]) for start in (base, min(walls))]
        if above != [base]:
            gains[0] += f" ({base})"
        yield table.format_row(
            f"{number} {name}",
            idea,
            format_seconds(walls[number]),
            format_number(numbers, "GBps"),
            *(gains if above else "--"),
            format_number(of_cpu, "percent_of_limit"),
        )


def make_data_number(device, kernel, *words):
    """Yields a number, or the ratio of two numbers, or, without n, a line of the file's header."""
    if len(words) == 1:
        yield find_numbers(device, kernel, 0)[0].get(words[0].replace("_", " "), "")
        return
    n, column, *over = words
    found = [
        find_numbers(device, which, parse_number(n))[1]
        for which in [kernel, *parse_options(over, "over").values()]
    ]
    if {} in found:
        raise ValueError(
            f"plots/results/{device} has no row of {' or '.join([kernel, *over])} at n = {n}"
        )
    ratio = found[0].get(column, 0) / found[-1].get(column, 1)
    yield format_ratio(ratio) if over else format_number(found[0], column)


def make_claim(device, experiment, case):
    """Yields the ratio of a case of an experiment to the first case, from claims.txt."""
    path = RESULTS / device / "claims.txt"
    _, _, text = path.read_text(encoding="utf-8").partition(f"\n{experiment}, n = ")
    ratios = re.findall(r"^  .* ms +([\d.]+) \(", text.partition("\n\n")[0], re.MULTILINE)
    if not case.isdecimal() or not 2 <= int(case) <= len(ratios):
        raise ValueError(f"{path.name} of {device} has no case {case} of {experiment}")
    yield ratios[int(case) - 1]


def make_count(kernel, n, column, launch="1"):
    """Yields a number of counts.dat."""
    for row in Data(RESULTS / "counts.dat").rows:
        names = row["step"], f"{row['step']}_{row['variant']}"  # the main variant comes first
        if kernel in names and (row["n"], row["launch"]) == (n, launch) and column in row:
            yield f"{getattr(row, column):.10g}"
            return
    raise ValueError("counts.dat has no such variant, n, column or launch")


def make_tune_number(device, step, variant, width, group, groups, column):
    """Yields a number of a geometry that the tuner measured. If each work-item always waits for one
    load, `in_flight` are the bytes that all of them wait for, and `load_time` is the time that the
    memory takes to deliver these bytes."""
    data = Data(RESULTS / device / f"tune/step{step}.dat")
    names = [variant, width, group, groups]
    rows = [
        row
        for row in data.rows
        if [row[key] for key in ("variant", "width", "group", "groups")] == names
    ]
    if not rows:
        raise ValueError(f"{data.path.name} of {device} has no such geometry")
    row = min(rows, key=lambda row: row["by"] != "step")  # the maps show this row of the default
    bytes_in_flight = 4 * row.width * row.group * row.groups  # int: 4 bytes
    if column == "in_flight":
        yield f"{bytes_in_flight / 1000:.3g} KB"
    elif column == "load_time":
        yield f"{bytes_in_flight / row.GBps:.3g} ns"
    else:
        yield format_number({key: getattr(row, key) for key in set(row) - WORDS}, column)


def make_scaling_table(device):
    """Yields a table with a row for each n and number of ranks: the measured and the modelled time
    of step 13, the part of it that MPI needs, and the time of PyTorch with NCCL."""
    model = Model(RESULTS / device / "scaling/own.dat")
    peers = sorted({row["program"] for row in model.rows} - {"step13"})
    yield table.format_row("n", "ranks", "measured", "model", "measured / model", "MPI", *peers)
    yield table.format_row(*["---:"] * (6 + len(peers)))
    for row in (row for row in model.rows if row["program"] == "step13"):
        modelled = model.predict(row.n, row.ranks)
        others = [model.find(row.n, row.ranks, peer) for peer in peers]
        yield table.format_row(
            format_size(row.n),
            row["ranks"],
            format_seconds(row.wall_med),
            format_seconds(modelled),
            f"{row.wall_med / modelled:.2f}",
            format_seconds(row.collective_med),
            *(format_seconds(other.wall_med) if other else "-" for other in others),
        )


def make_rank_number(device, n, ranks, column, program="step13"):
    """Yields a number of scaling/own.dat."""
    row = Model(RESULTS / device / "scaling/own.dat").find(parse_number(n), int(ranks), program)
    if not row:
        raise ValueError(f"plots/results/{device}/scaling/own.dat has no such row")
    yield format_number({key: getattr(row, key) for key in set(row) - WORDS}, column)


def make_model_number(device, *words):
    """Yields a number of the model, such as limit_GBps, or the modelled time for n and ranks."""
    model = Model(RESULTS / device / "scaling/own.dat")
    if len(words) == 2:
        yield format_seconds(model.predict(parse_number(words[0]), int(words[1])))
    else:
        yield format_number({key: vars(model)[key] for key in vars(model) if key != "rows"}, *words)


BLOCKS = {
    "listing": make_listing,
    "diff": make_diff,
    "table": make_data_table,
    "gains": make_gains,
    "scaling": make_scaling_table,
}
SOURCES = {
    "number": make_data_number,
    "claim": make_claim,
    "count": make_count,
    "tune": make_tune_number,
    "ranks": make_rank_number,
    "model": make_model_number,
}


def make_text(makers, kind, words):
    """Returns what a marker or a source asks for."""
    try:
        return "\n".join(makers[kind](*shlex.split(words)))
    except (OSError, ValueError, TypeError) as error:  # TypeError: wrong number of words
        raise ValueError(f"{kind} {' '.join(words.split())}: {error}") from error


def fill_markers(path, text):
    """Returns a text with new contents between its markers."""

    def fill_marker(found):
        kind, words, _, end = found.groups()
        try:
            if not end:
                raise ValueError(f"{kind} {words}: no <!-- /{kind} --> after it")
            return f"<!-- {kind} {words} -->\n{make_text(BLOCKS, kind, words)}\n{end}"
        except ValueError as error:
            return fail(f"{locate(path, text, found.start())}: {error}")

    return MARKER.sub(fill_marker, text)


def find_places(words, value):
    """Returns where a paragraph contains a value. A part of a longer number, of a power or of a
    code span does not count."""
    if "`" not in value:
        words = re.sub(r"`[^`]*`", lambda code: "`" * len(code[0]), words)
    whole = rf"(?<![\w.^]){re.escape(value)}(?![\w^]|\.\d| [mu]?s\b)"
    return [found.start() for found in re.finditer(whole, words)]


def renew_values(words, entries):
    """Returns a paragraph and the entries of its comment with new values. If a new value is also
    elsewhere in the paragraph, the comment gets an entry for that place."""
    pairs = [entry.rpartition(" = ")[::2] for entry in entries]
    found, renewed, text, end = [], {}, "", 0
    for value in dict(pairs):
        sources = [source for shown, source in pairs if shown == value]
        places = find_places(words, value)
        if len(places) != len(sources):
            raise ValueError(
                f"{value!r} occurs {len(places)} times in the paragraph, but {len(sources)} times"
                " in its comment: correct one of them, or list a typed number as typed"
            )
        found += [(place, value, source) for place, source in zip(places, sources)]
    for place, value, source in sorted(found):
        kind, _, arguments = source.partition(" ")
        if kind not in ("run", "run,", "typed", *SOURCES):
            raise ValueError(f"{kind!r} is no source: {', '.join(SOURCES)}, run or typed")
        text += words[end:place]
        end = place + len(value)
        new = make_text(SOURCES, kind, arguments) if kind in SOURCES else value
        renewed[len(text)] = new, source
        text += new
    text += words[end:]
    for value, _ in list(renewed.values()):
        for place in find_places(text, value):
            renewed.setdefault(place, (value, "typed"))
    return text, [" = ".join(renewed[place]) for place in sorted(renewed)]


def renew_paragraph(above, indent, comment):
    """Returns the lines above a comment and the comment with new values, wrapped again. These lines
    end with a paragraph, an item of a list, or a table."""
    lines, before = above.splitlines(), []
    entries = re.sub(r"\n[ >]*", " ", comment).strip().split("; ")
    if lines and lines[-1].startswith(f"{indent}|"):
        body, entries = renew_values(above, entries)
        lines = body.splitlines()
    else:
        begin = max((at for at, line in enumerate(lines) if not line.startswith(indent)), default=0)
        before, lines = lines[:begin], lines[begin:]
        first = lines[0][: len(indent)] if lines else ""
        texts = [line[len(indent) :] for line in lines]
        if not re.fullmatch(rf"[ >]*({LIST_MARK})?", first) or any(
            re.match(rf"{LIST_MARK}|!\[", text) for text in texts
        ):
            raise ValueError("indent the comment like the lines of its paragraph")
        body, entries = renew_values(" ".join(texts), entries)
        lines = wrap_prose(body, first, indent)
    joined = "; ".join(entry.replace(" ", "\0") for entry in entries)
    end = wrap_prose(f"<!--\0checked: {joined}\0-->", indent, f"{indent}     ")
    return "\n".join([*before, *lines, *end])


def renew_paragraphs(path, text):
    """Returns a text with new values in each paragraph that a comment follows."""

    def renew(found):
        try:
            return renew_paragraph(*found.groups())
        except ValueError as error:
            return fail(f"{locate(path, text, found.start(2))}: {error}")

    return CHECKED.sub(renew, text)


def copy_repository(folder):
    """Copies the files that git tracks, and the built programs, so that the commands need not
    compile them again."""
    script = (
        'git ls-files -coz --exclude-standard | xargs -0 cp -a --parents -t "$0" && cp -a build'
        ' step[0-9][0-9] "$0"'
    )
    if subprocess.run(["sh", "-c", script, folder], cwd=ROOT, check=False).returncode:
        fail("could not copy the repository: is it a git repository? Has make all built it?")


def execute(where, folder, command):
    """Returns the output of a command. Fails with one line if the exit status is not as
    expected. A command that ends with "# varies" may have any."""
    wanted = int((re.search(r"# exit status (\d+)(?:, varies)?\s*$", command) or [0, 0])[1])
    environment = {
        key: value
        for key, value in os.environ.items()
        if not key.startswith(("REDUCE_", "MAKE", "MFLAGS"))
    }
    finished = subprocess.run(
        ["timeout", "200", "sh", "-c", command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
        env=environment | {"MAKEFLAGS": "-s"},
    )
    if finished.returncode == 77 and "--races" in command:
        return None  # Oclgrind is missing: keep the transcript
    if finished.returncode != wanted and not command.endswith("# varies"):
        fail(
            f"{where}: exit status {finished.returncode}, not {wanted}: {command}:"
            f" {finished.stdout.strip().rpartition(chr(10))[2]}"
        )
    # On a busy machine a step prints "still waiting" after five seconds.
    return "".join(
        line.rstrip() + "\n"
        for line in finished.stdout.splitlines()
        if "still waiting for the kernel" not in line
    )


def mask_times(output):
    """Returns the lines of an output without the parts that differ each time: times, the rates that
    follow the times, and the name of the processor."""
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


def find_devices(output):
    """Returns the lines that name a device."""
    return re.findall(r"^(?:on|\s*device) \d+[: ].*", output, re.MULTILINE)


def renew_transcripts(path, text, folder, how):
    """Returns a text with new outputs, of all commands if `how` is --all, and for each command that
    does not vary from run to run: its name, and its new and old output."""
    outputs = []

    def renew_block(found):
        if found[1]:  # a command within a sentence, whose output the text does not show
            if how == "--run":
                execute(
                    locate(path, text, found.start()),
                    folder,
                    f"{found[1]} # {found[2]}" if found[2] else found[1],
                )
            return found[0]
        first, *parts = re.split(r"^(\$ (?:.*\\\n)*.*\n)", found[0], flags=re.MULTILINE)
        for at in range(0, len(parts), 2):
            is_fixed, old = (
                "plots/results/" in parts[at] and "./step" not in parts[at],
                parts[at + 1],
            )
            where, command = locate(path, text, found.start()), parts[at][2:].rstrip()
            new = (is_fixed or how) and execute(where, folder, command) or old
            if not re.search(r"# (.*, )?varies$", command):  # with a race, for example
                outputs.append((f"{where}: {command}", new, old))
            if is_fixed or how == "--all":
                parts[at + 1] = new
        return first + "".join(parts)

    return COMMANDS.sub(renew_block, text), outputs


def compare_transcripts(paths):
    """Executes all commands of some texts. If this machine has two processors and only devices that
    the texts name, each output must equal the text, except times. All texts are from one machine,
    so a device that one text does not name shows that this is another machine."""
    outputs = []
    for path in paths:
        outputs += renew_transcripts(path, path.read_text(encoding="utf-8"), ROOT, "--run")[1]
    here, named = (
        {device for output in outputs for device in find_devices(output[k])} for k in (1, 2)
    )
    if here and not (here <= named and len(os.sched_getaffinity(0)) == 2):
        print("the outputs in the texts are from another machine, so they are not compared")
        return
    for where, *new_and_old in outputs:
        new, old = ([*find_devices(output), *mask_times(output)] for output in new_and_old)
        if new != old:
            line = next((line for line in new if line not in old), "less").strip()
            fail(f"{where}: prints {line!r}, which the text does not show; make docs renews it")


def main(arguments):
    """Renews all texts, or compares some texts with the output of their commands."""
    command_line = CommandLine(__doc__)
    group = command_line.add_mutually_exclusive_group()
    group.add_argument("--all", action="store_true")
    group.add_argument("--run", nargs="+", metavar="TEXT", type=Path)
    options = command_line.parse_args(arguments)
    if options.run:
        compare_transcripts(options.run)
        return
    how = "--all" if options.all else ""
    texts = {}
    with tempfile.TemporaryDirectory() as folder:
        if how == "--all":
            copy_repository(folder)
        for path in [
            ROOT / "README.md",
            ROOT / "TUTORIAL.md",
            *ROOT.glob("plots/*/README.md"),
            ROOT / "INSTRUCTORS.md",
            ROOT / "steps/README.md",
            *ROOT.glob("steps/beyond/*/README.md"),
            *ROOT.glob("steps/exercises/*.md"),
        ]:
            text = fill_markers(path, renew_paragraphs(path, table.renew_tables(path)))
            texts[path], _ = renew_transcripts(
                path, text, folder if how == "--all" else ROOT, how
            )  # no text is written before all texts are renewed
    for path, text in texts.items():
        if text != path.read_text(encoding="utf-8"):
            replace_file(path, text)
            print(f"renewed: {path.relative_to(ROOT)}")


if __name__ == "__main__":
    start(main)
