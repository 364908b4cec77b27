#!/usr/bin/env python3
"""Draws every picture of a results folder from its .dat files alone. The pictures depend neither on
an OpenCL device nor on the time nor on the host.

    plots/draw.py RESULTS           RESULTS: a folder of data files, such as plots/results/pocl;
                                    or a folder of such folders, such as plots/results, from which
                                    all_devices.svg is drawn

In plots/results only those pictures are drawn that a text shows or links. Any other folder gets
every picture for which it has data.

In all_devices.svg the length of a bar is in percent of the device's own read limit. So the chart
compares how well a step suits a device, but it does not compare the devices. gnuplot reads the data
files. This program computes the strings and tables that gnuplot cannot compute, and passes them to
the gnuplot script."""

import math
import os
import re
import shutil
import subprocess
from pathlib import Path

from captions import RESIDENT, Flight, name_processor
from data import (
    PLOTS,
    ROOT,
    CommandLine,
    Data,
    Ladder,
    choose_comparison,
    fail,
    find_folders,
    format_size,
    format_value,
    median,
    read_files,
    read_ini,
    read_text,
    replace_file,
    start,
    warn,
)
from scaling import Model
from table import find_better_variant


def define_for_gnuplot(name, value):
    """Returns a definition in gnuplot's language. A list of lines becomes a table, a string a
    string."""
    is_table = isinstance(value, list)
    return (
        "\n".join([f"${name} << END", *value, "END\n"])
        if is_table
        else "{} = '{}'\n".format(name, value.replace("'", "''"))
    )


def draw_picture(folder, name, script, settings):
    """Returns the text of one picture. gnuplot starts in the folder, so paths of data files are
    short."""
    finished = subprocess.run(
        ["gnuplot", "-", PLOTS / "style.gp", PLOTS / f"{script}.gp"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        input="".join(define_for_gnuplot(*setting) for setting in settings.items()),
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )  # the picture must not depend on the locale
    # gnuplot warns of a curve without points, but such a curve is not a mistake.
    errors = re.sub(r"Warning: empty .*|.*adjusting.*", "", finished.stderr).split("\n")
    if finished.returncode or any(errors):
        fail(
            f"{name}.svg could not be drawn: {next(filter(None, errors), 'gnuplot failed').strip()}"
        )
    # The title that a browser and a screen reader show is the chart's heading, such as "Lower is
    # better: …". gnuplot itself writes "Gnuplot" there.
    texts = re.findall("<text>(.*?)</text>", finished.stdout, re.DOTALL)
    texts = (" ".join(re.sub("<[^>]*>", "", text).split()) for text in texts)
    heading = next(filter(re.compile(r"(\w+ ){1,2}is .*: |Above the line: ").match, texts), name)
    return finished.stdout.replace("<title>Gnuplot</title>", f"<title>{heading}</title>", 1)


def describe_files(folder, *chosen):
    """Returns the strings for a gnuplot script: the paths and steps of the files to draw, and every
    line `# key: value` of the last file."""
    head = {re.sub("[ -]", "_", key): value for key, value in chosen[-1].header.items()}
    return {key: value for key, value in head.items() if key.isidentifier()} | {
        "files": " ".join(str(file.path.relative_to(folder)) for file in chosen),
        "steps": " ".join(f"\"{file.header.get('step', '')}\"" for file in chosen),
    }


def compute_medians(mains):
    """Yields the read limit, as a rate and as a time, for charts of all steps. Each step measured
    it in turn with its own kernel, so a chart shows the median over all steps for each n."""
    yield "n limit_GBps read_wall"
    rows = [row for file in mains for row in file.rows]
    for n in sorted({row.n for row in rows}):
        at_n = [row for row in rows if row.n == n]
        limit, wall = (
            median(getattr(row, column) for row in at_n) for column in ("limit_GBps", "read_wall")
        )
        yield f"{n:.0f} {format_value(limit, 'g')} {format_value(wall, 'g')}"


def compute_timeline(mains):
    """Returns the strings and the table of the time line: the n nearest to 2^20 that all steps
    have, and for each step the wall time, the span of its kernels, and their sum; the last line is
    the program that only reads, as the median over all steps."""
    sizes = set.intersection(*({row.n for row in file.rows} for file in mains))
    n = min(sizes, key=lambda n: abs(math.log2(n) - 20), default=None)
    rows = [row for file in mains for row in file.rows if row.n == n]
    columns = "wall_med", "span_med", "kernel_med"
    read = [median(getattr(row, name) for row in rows) for name in ("read_wall", "read_kernel")]
    table = [
        f"\"{row.file['step']}\" "
        + " ".join(format_value(getattr(row, name), "g") for name in columns)
        for row in rows
        if not math.isnan(row.kernel_med)  # it has no kernel
    ]
    limit = f'"only reads" {read[0]:.4g} {read[1]:.4g} {read[1]:.4g}'
    return {"n": f"{n:.0f}", "table": [*table, limit]} if table else None


def compute_bars(mains, of_all, speeds):
    """Yields a line for each step: the percent of the read limit and the GB/s of its main variant;
    then the percent and the name of a better variant, if there is one."""
    for name, file in {f"{file.step} {file['variant']}": file for file in mains}.items():
        better = find_better_variant(of_all, file.step, file["variant"]) or '0 ""'
        yield f"\"{file['step']}\" {of_all.get(name, -1):.1f} {speeds.get(name, -1):.4g} {better}"


def describe_pair(this, mains):
    """Returns the strings for a step and the step that it is compared with, and the ratio of their
    speeds for each n at which both were measured."""
    others = [file for file in mains if file.step == this["compared with"] and file is not this]
    speeds = {row.n: row.GBps for other in others for row in other.rows}
    ratio = [
        f"{row.n:.0f} {row.GBps / speeds[row.n]:.4g}" for row in this.rows if speeds.get(row.n)
    ]
    return describe_files(this.path.parent, this, *others[:1] * bool(ratio)) | {"ratio": ratio}


def describe_flight(data):
    """Returns the strings of the chart of the bytes in flight, and a line for each geometry: its
    width, its bytes in flight and its GB/s."""
    flight = Flight(data.rows)
    return describe_files(data.path.parent, data) | {
        "latency": f"{flight.latency:.1f}",
        "limit": f"{flight.limit:.1f}",
        "table": [f"{width} {size:.0f} {rate:g}" for width, size, rate in flight.points],
    }


def describe_ladder(folder, mains):
    """Returns the strings of the ladder, and a line for each step: its name, the GB/s at which its
    bar begins and ends, and the factor. Returns None if bench.dat lacks a step."""
    ladder = Ladder(folder)
    if not ladder.is_in_turn:
        return None
    table, above = [], None
    for step, other, before, after in ladder.climbs:
        factor = max(after / before, before / after)
        words = f"{'×' if after >= before else '÷'} {factor:.{2 if factor < 10 else 1}f}"
        words += f" from {other}" if other not in (above, step[:2]) else ""
        table.append(f'"{step}" {before:.4g} {after:.4g} "{words if other != step[:2] else ""}"')
        above = step[:2]
    return describe_files(folder, *mains) | {
        "n": f"{ladder.n:.0f}",
        "limit": f"{ladder.limit:.1f}",
        "table": table,
    }


def describe_devices(results):
    """Returns the name and folder of each device, the names of the steps, and a line for each step:
    its place among them and its percent of the read limit, which is nan if the step was too slow to
    be measured. n is the largest n of all devices. The name of a device with another n is followed
    by that n."""
    found = {
        folder: read_files(folder) or fail(f"{folder}: no data of a main variant of sum of int")
        for folder in find_folders(results, "*.dat")
    }
    steps = sorted({file.step: file["step"] for files in found.values() for file in files}.items())
    places = {step: place for place, (step, _) in enumerate(steps, 1)}
    names, cpus, sizes, table = [], [], [], []
    for folder, mains in found.items():
        n, _, of_all = choose_comparison(folder, mains, "percent_of_limit")
        cpu = name_processor(mains[0]["device"])
        same = ": the same CPU, another runtime" * (cpu in cpus)
        names.append(f"{cpu:.45} ({folder.name[-45:]}){same}")
        cpus.append(cpu)
        sizes.append(n)
        shares = (
            (places[file.step], of_all.get(f"{file.step} {file['variant']}", math.nan))
            for file in mains
        )
        table += [*(f"{place} {share}" for place, share in shares), "", ""]
    largest = max(sizes)
    devices = (
        f'"{name}{"" if n == largest else f", n = {format_size(n)}"}"'
        for name, n in zip(names, sizes)
    )
    return {
        "files": "",
        "device": "",
        "devices": " ".join(devices),
        "names": " ".join(f'"{name}"' for _, name in steps),
        "n": format_size(largest),
        "table": table,
    }


def describe_article(folder, name, mains):
    """Returns the published table with a further column: the result of the same kernel and width on
    this device, or nan if the device does not support the kernel."""
    cannot = read_ini(folder / "cannot.ini") if (folder / "cannot.ini").is_file() else {}
    column, here, table = (
        "percent_of_limit" if name == "catz" else "wall_med",
        {},
        Data(PLOTS / f"published/{name}.dat"),
    )
    for row in (row for file in mains for row in file.rows):
        kernel = row.file.path.name.partition(".")[0]
        here[kernel] = here[f"{kernel}:{row['width']}"] = row[column]
    for ours in {row["ours"] for row in table.rows} - {*here}:
        if ours.partition(":")[0] not in cannot:
            fail(
                f"{folder}: no data of {ours}, and no section in cannot.ini that gives a reason:"
                f" make article-{name} measures it"
            )
    return {
        "n": format_size(mains[-1].rows[-1].n),
        "table": [
            " ".join([*table.columns, "here"]),
            *(" ".join([*row.values(), here.get(row["ours"], "nan")]) for row in table.rows),
        ],
    }


def list_pictures(folder):
    """Yields every picture for which the folder has data: the name of the picture, the name of its
    script, and the strings and tables of the script."""
    for data in map(Data, sorted([*folder.glob("peers/*.dat"), *folder.glob("tune/*.dat")])):
        kind, name = data.path.parent.name, data.path.stem.replace("step", "").replace(".", "_")
        # The step's own group size may differ from all those of the tuner, so it is included.
        groups = {row["group"] for row in data.rows} if kind == "tune" else {}
        yield (
            f"{kind}_{name}",
            kind,
            describe_files(folder, data) | {"group_sizes": " ".join(sorted(groups, key=int))},
        )
        # A work-item of steps 10 and 11 waits for several loads at a time, so a row of theirs does
        # not tell the time of a load.
        is_known = data["device"].rpartition(" / ")[2] in RESIDENT
        if kind == "tune" and name == "07" and is_known:
            yield "flight", "flight", describe_flight(data)
    for path in sorted([*folder.glob("article-[!e]*"), *folder.glob("accuracy")]):
        files = [Data(name) for name in sorted(path.glob("*.dat"))]
        chosen = [file for file in files if file.rows] or fail(f"{path}: no data in it")
        name, more = path.name.replace("-", "_"), (
            {} if path.name == "accuracy" else describe_article(path, path.name[8:], chosen)
        )
        yield name, name, describe_files(folder, *chosen) | more
    for path in folder.glob("article-eigen"):
        parts, whole, bounds = (
            Data(path / name) for name in ("12_parts.dat", "12_solve.dat", "bounds/12_bounds.dat")
        )
        rowsum, total = (
            str(Data(PLOTS / f"published/eigen_{name}.dat").path) for name in ("rowsum", "total")
        )
        yield "eigen_parts", "eigen_parts", describe_files(folder, parts)
        yield (
            "eigen_total",
            "eigen_total",
            describe_files(folder, parts)
            | {
                "whole": str(whole.path),
                "rowsum": rowsum,
                "total": total,
            },
        )
        yield "eigen_bounds", "eigen_bounds", describe_files(folder, bounds) | {"total": total}
    for path in folder.glob("scaling/own.dat"):
        own, shared, model = Data(path), folder.glob("scaling/shared.dat"), Model(path)
        facts = (1e6 * model.launch_seconds, model.limit_GBps, 1e6 * model.latency_seconds)
        more = describe_files(folder, own) | {"facts": " ".join(f"{fact:.4f}" for fact in facts)}
        yield "scaling_strong", "scaling_strong", describe_files(folder, own, *map(Data, shared))
        if any(row.ranks > 1 and row["weak_percent"] != "nan" for row in own.rows):
            yield "scaling_weak", "scaling_weak", more
        if model.ranks > 1 and math.isnan(model.limit_GBps):
            warn(
                f"{path}: no chart of the model, which needs two sizes, such as N=2^20..2^26: one"
                " rank must need more time for the larger one"
            )
        elif model.ranks > 1:
            yield "scaling_model", "scaling_model", more
    mains = read_files(folder)
    for file in (file for file in mains if file["compared with"] != file.step):
        yield f"pair_{file.step}", "pair", describe_pair(file, mains)
    if mains:
        common, (n, _, *of_all) = describe_files(folder, *mains), choose_comparison(
            folder, mains, "percent_of_limit", "GBps"
        )
        yield from (
            (name, name, common | {"medians": list(compute_medians(mains))})
            for name in ("all", "wall")
        )
        if timeline := compute_timeline(mains):
            yield "timeline", "timeline", common | timeline
        if ladder := describe_ladder(folder, mains):
            yield "ladder", "ladder", ladder
        yield (
            "bars",
            "bars",
            common
            | {
                "table": list(compute_bars(mains, *of_all)),
                "n": f"{n:.0f}",
            },
        )
    elif find_folders(folder, "*.sum.int.dat") and not any(
        folder.glob("article-*")
    ):  # a folder of devices
        yield "all_devices", "all_devices", describe_devices(folder)
    if (folder / "counts.dat").is_file():
        yield "counts", "counts", describe_files(folder, Data(folder / "counts.dat"))


def is_wanted(picture):
    """True if the picture belongs to a user's folder, or if a text shows or links it."""
    published = PLOTS / "results"
    if published not in picture.parents:
        return True
    texts = map(read_text, [*ROOT.glob("*.md"), *PLOTS.glob("*/README.md")])
    link = rf"[(/]{re.escape(str(picture.relative_to(published)))}\)"
    return any(re.search(link, text) for text in texts)


def main(arguments):
    """Reads all data and draws all pictures before it writes the first picture. So if anything
    fails, no picture is written."""
    command_line = CommandLine(__doc__)
    command_line.add_argument("RESULTS")
    folder = Path(command_line.parse_args(arguments).RESULTS).resolve()
    _ = shutil.which("gnuplot") or fail("gnuplot is missing; make deps installs it")
    found = list(list_pictures(folder)) or fail(
        f"{folder}: no data of a main variant of sum of int; make plots measures it"
    )
    wanted = [picture for picture in found if is_wanted(folder / f"{picture[0]}.svg")]
    for old in sorted({*folder.glob("*.svg")} - {folder / f"{name}.svg" for name, *_ in wanted}):
        fail(
            f"{old}: the folder has no data for this picture, or no text shows it: measure again,"
            " or delete the picture"
        )
    if not wanted:
        warn(f"{folder}: no text shows a picture of this folder, so no picture is drawn")
    for name, svg in [
        (name, draw_picture(folder, name, script, settings)) for name, script, settings in wanted
    ]:
        replace_file(folder / f"{name}.svg", svg)


if __name__ == "__main__":
    start(main)
