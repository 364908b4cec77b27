#!/usr/bin/env python3
"""Draws every picture of a results folder from its .dat files alone: no OpenCL, no clock, no host.

    plots/draw.py RESULTS           such as plots/results/pocl; or a folder of such folders, such
                                    as plots/results: all_devices.svg

In all_devices.svg a bar is in percent of the device's own read limit, so the chart compares how
well a step suits a device, not the devices. gnuplot reads the data files. Strings and tables that
gnuplot cannot compute are computed here, and given to its script."""

import math
import os
import re
import shutil
import subprocess
from pathlib import Path

from data import PLOTS, Data, fail, files, folders, median, power, start, text, text_of, write_whole
from table import best, largest


def define_for_gnuplot(name, value):
    """A definition in gnuplot's language: of a string, or of a table, which is a list of lines."""
    table = isinstance(value, list)
    return (
        "\n".join([f"${name} << END", *value, "END\n"])
        if table
        else "{} = '{}'\n".format(name, value.replace("'", "''"))
    )


def draw_picture(folder, name, script, settings):
    """The text of one picture. gnuplot runs in the folder, so paths of data files are short."""
    scripts = [PLOTS / "style.gp"] * (script != "all_devices") + [PLOTS / f"{script}.gp"]
    done = subprocess.run(
        ["gnuplot", "-", *scripts],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        input="".join(define_for_gnuplot(*setting) for setting in settings.items()),
        env={**os.environ, "LC_ALL": "C.UTF-8"},
    )  # the same picture whatever the locale
    said = re.sub(r"Warning: empty .*|.*adjusting.*", "", done.stderr).split(
        "\n"
    )  # gnuplot warns of curves without a point, which are no mistake
    if done.returncode or any(said):
        fail(f"{name}.svg could not be drawn: {next(filter(None, said), 'gnuplot failed').strip()}")
    return done.stdout


def describe_files(folder, *chosen):
    """The strings that a script gets: paths and steps of the files to draw, and every line `# key:
    value` of the last file."""
    head = {re.sub("[ -]", "_", key): value for key, value in chosen[-1].about.items()}
    return {key: value for key, value in head.items() if key.isidentifier()} | {
        "files": " ".join(str(file.path.relative_to(folder)) for file in chosen),
        "steps": " ".join(f"\"{file.about.get('step', '')}\"" for file in chosen),
    }


def medians(mains):
    """The read limit and the floor for charts of all steps. Each step measured both in turn with
    itself, so a chart shows the median over all steps for each n."""
    yield "n limit_GBps floor_seconds"
    rows = [row for file in mains for row in file.rows]
    for n in sorted({row.n for row in rows}):
        at_n = [row for row in rows if row.n == n]
        limit, floor = median(row.limit_GBps for row in at_n), median(
            row.floor_seconds for row in at_n
        )
        yield f"{n:.0f} {text(limit, 'g')} {text(floor, 'g')}"


def bars(mains, of_all, speeds):
    """A line for each step: percent of the read limit and GB/s of its main variant; percent and
    name of a better variant."""
    for name, file in {f"{file.step} {file['variant']}": file for file in mains}.items():
        better = best(of_all, file.step, file["variant"]) or '0 ""'
        yield f"\"{file['step']}\" {of_all.get(name, -1):.1f} {speeds.get(name, -1):.4g} {better}"


def pair(this, mains):
    """A step, the step it is compared with, and their ratio of speeds for each n that both have."""
    others = [file for file in mains if file.step == this["compared with"] and file is not this]
    speeds = {row.n: row.GBps for other in others for row in other.rows}
    ratio = [
        f"{row.n:.0f} {row.GBps / speeds[row.n]:.4g}" for row in this.rows if speeds.get(row.n)
    ]
    return describe_files(this.path.parent, this, *others[:1] * bool(ratio)) | {"ratio": ratio}


def all_devices(results):
    """Name, folder and largest n of each device, and a line for each step: its number and percent,
    nan if it was too slow."""
    devices, table = [], []
    for folder in folders(results, "*.dat"):
        mains = files(folder) or fail(f"{folder}: no data of a main variant of sum of int")
        n, _, of_all = largest(folder, mains, "percent_of_limit")
        devices.append(
            f"\"{mains[0]['device'].rpartition(' / ')[2]:.45} ({folder.name[-45:]}), n ="
            f' {power(n)}"'
        )
        shares = (
            (file.step, of_all.get(f"{file.step} {file['variant']}", math.nan)) for file in mains
        )
        table += [*(f"{step} {share}" for step, share in shares), "", ""]
    return {"devices": " ".join(devices), "table": table}


def article(folder, name, mains):
    """The published table, with a further column for the same kernel and width on this device; nan
    if it cannot run there."""
    cannot = text_of(folder / "cannot.txt") if (folder / "cannot.txt").is_file() else ""
    column, here, table = (
        "percent_of_limit" if name == "catz" else "wall_med",
        {},
        Data(PLOTS / f"published/{name}.dat"),
    )
    for row in (row for file in mains for row in file.rows):
        kernel = row.file.path.name.partition(".")[0]
        here[kernel] = here[f"{kernel}:{row['width']}"] = row[column]
    for ours in {row["ours"] for row in table.rows} - {*here}:
        if ours.partition(":")[0] not in cannot.split():
            fail(
                f"{folder}: no data of {ours}, and no line in cannot.txt that says why: make"
                f" article-{name} measures it"
            )
    return {
        "n": power(mains[-1].rows[-1].n),
        "table": [
            " ".join([*table.columns, "here"]),
            *(" ".join([*row.values(), here.get(row["ours"], "nan")]) for row in table.rows),
        ],
    }


def list_pictures(folder):
    """Every picture that the folder has data for: its name, its script, the script's strings and
    tables."""
    for data in map(Data, sorted([*folder.glob("peers/*.dat"), *folder.glob("tune/*.dat")])):
        kind, name = data.path.parent.name, data.path.stem.replace("step", "").replace(".", "_")
        groups = (
            {row["group"] for row in data.rows} if kind == "tune" else {}
        )  # with the default's, which may differ from all others
        yield (
            f"{kind}_{name}",
            kind,
            describe_files(folder, data) | {"group_sizes": " ".join(sorted(groups, key=int))},
        )
    for path in sorted([*folder.glob("article-[!e]*"), *folder.glob("accuracy")]):
        chosen = [Data(name) for name in sorted(path.glob("*.dat"))] or fail(
            f"{path}: no data in it"
        )
        name, more = path.name.replace("-", "_"), (
            {} if path.name == "accuracy" else article(path, path.name[8:], chosen)
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
            describe_files(folder, parts) | {
                "whole": str(whole.path),
                "rowsum": rowsum,
                "total": total,
            },
        )
        yield "eigen_bounds", "eigen_bounds", describe_files(folder, bounds) | {"total": total}
    mains = files(folder)
    for file in (file for file in mains if file["compared with"] != file.step):
        yield f"pair_{file.step}", "pair", pair(file, mains)
    if mains:
        common, (n, _, *of_all) = describe_files(folder, *mains), largest(
            folder, mains, "percent_of_limit", "GBps"
        )
        yield from (
            (name, name, common | {"medians": list(medians(mains))}) for name in ("all", "wall")
        )
        yield "bars", "bars", common | {"table": list(bars(mains, *of_all)), "n": f"{n:.0f}"}
    elif folders(folder, "*.sum.int.dat") and not any(
        folder.glob("article-*")
    ):  # a folder of devices
        yield "all_devices", "all_devices", all_devices(folder)


def main(arguments):
    """Reads all data and draws all pictures before it writes the first one, so either all are
    written or none."""
    _ = len(arguments) == 1 or fail("usage: plots/draw.py RESULTS")
    _ = shutil.which("gnuplot") or fail("gnuplot is missing: make deps installs it")
    folder = Path(arguments[0]).resolve()
    found = list(list_pictures(folder)) or fail(
        f"{folder}: no data of a main variant of sum of int; make plots measures"
    )
    for old in sorted({*folder.glob("*.svg")} - {folder / f"{name}.svg" for name, *_ in found}):
        fail(f"{old}: there is no data for it any more: measure again, or delete it")
    for name, svg in [
        (name, draw_picture(folder, name, script, settings)) for name, script, settings in found
    ]:
        write_whole(folder / f"{name}.svg", svg)


if __name__ == "__main__":
    start(main)
