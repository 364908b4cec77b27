#!/usr/bin/env python3
"""Draws every picture of a results folder from its .dat files alone: no OpenCL, no clock, no host.

    plots/draw.py RESULTS           as plots/results/pocl; of a folder of such folders, as plots/results: all_devices.svg

There a bar is in percent of the device's own read limit: what is compared is how well a step suits a device, not devices.
"""
import math
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from data import PLOTS, Data, at_largest, fail, files, folders, median, power, start, text, write_whole
from table import best, variants


def drawn(folder, name, script, **settings):
    """One picture, as text; gnuplot is started in the folder, so that no path needs quoting inside its scripts. A list of
    lines is handed over as a file."""
    with tempfile.TemporaryDirectory() as temporary:
        words = {"results": "'.'"}
        for key, value in settings.items():
            if isinstance(value, list):
                write_whole(f"{temporary}/{key}", value)
                value = f"{temporary}/{key}" if value else ""
            words[key] = value if isinstance(value, int) else "'{}'".format(value.replace("'", "''"))
        scripts = [PLOTS / "style.gp"] * (script != "all_devices") + [PLOTS / f"{script}.gp"]
        done = subprocess.run(["gnuplot", "-e", "; ".join(f"{key}={word}" for key, word in words.items()), *scripts], cwd=folder,
                              stdout=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})  # the same picture whatever the locale
    if done.returncode:
        fail(f"{name}.svg could not be drawn")
    return done.stdout


def medians(mains):
    """Each step measured the read limit and the floor in turn with itself, at a time of its own: the charts that show all
    steps show the median over them, for each n."""
    yield "n limit_GBps floor_seconds"
    rows = [row for file in mains for row in file.rows]
    for n in sorted({row.n for row in rows}):
        at_n = [row for row in rows if row.n == n]
        limit, floor = median(row.limit_GBps for row in at_n), median(row.floor_seconds for row in at_n)
        yield f"{n:.0f} {text(limit, 'g')} {text(floor, 'g')}"


def bars(folder, mains):
    """A line for each step: percent of the read limit and GB/s of its main variant; percent and name of one that is better."""
    (_, of_all), (_, speeds) = variants(folder), variants(folder, "GBps")
    for name, file in {f"{file.step} {file['variant']}": file for file in mains}.items():
        better = best(of_all, file.step, file["variant"]) or '0 ""'
        yield f"\"{file['step']}\" {of_all.get(name, math.nan):.1f} {speeds.get(name, math.nan):.4g} {better}"


def ratio(this, mains):
    """How many times as fast it is as the step it is compared with, for each n that both have."""
    speeds = {row.n: row.GBps for file in mains if file.step == this["compared with"] and file is not this for row in file.rows}
    if not speeds and this["compared with"] != this.step:
        fail(f"{this.path}: is compared with step {this['compared with']}, and there is no data of it")
    return [f"{row.n:.0f} {row.GBps / speeds[row.n]:.4g}" for row in this.rows if speeds.get(row.n)]


def all_devices(results):
    """A line for each device and step: folder, its largest n, device, step, percent; what was left out as too slow is nan."""
    for folder in folders(results, "*.sum.int.dat"):
        mains = files(folder)
        largest = {row.file: row for row in at_largest(mains)}
        n = power(next(iter(largest.values())).n)[2:]
        for file in mains:
            share = largest[file]["percent_of_limit"] if file in largest else "nan"
            yield f"{folder.name} {n} {file['device'].rpartition(' / ')[2].replace(' ', '-')} {file['step']} {share}"


def pictures(folder):
    """Everything that there is data for: picture, script, settings."""
    for path in sorted([*folder.glob("peers/*.dat"), *folder.glob("tune/*.dat")]):
        Data(path)  # or it says what is wrong with it
        kind, name = path.parent.name, path.stem.replace("step", "").replace(".", "_")
        yield f"{kind}_{name}", kind, {"results": kind, "files": path.name}
    for path in sorted([*folder.glob("article-[!e]*"), *folder.glob("accuracy")]):
        mains = [file for file in map(Data, sorted(path.glob("*.dat"))) if file.is_main]
        for file in mains[-1:] or fail(f"{path}: no data of a main variant"):
            yield path.name.replace("-", "_"), path.name.replace("-", "_"), {
                "results": path.name, "published": str(PLOTS / "published"), "what": f"{file['operator']}.{file['type']}"}
    for name in ("parts", "total", "bounds") if (folder / "article-eigen").is_dir() else ():
        Data(folder / "article-eigen" / {"parts": "12_parts.dat", "total": "12_solve.dat", "bounds": "bounds/12_bounds.dat"}[name])
        yield f"eigen_{name}", f"eigen_{name}", {
            "results": "article-eigen", "published": str(PLOTS / "published"), "files": "12_parts.dat"}
    mains = files(folder)
    for file in mains:
        yield f"pair_{file.step}", "pair", {"ratio": ratio(file, mains), "step": int(file.step)}
    if mains:
        yield from ((name, name, {"medians": list(medians(mains))}) for name in ("all", "wall"))
        yield "bars", "bars", {"table": list(bars(folder, mains)), "n": f"{variants(folder)[0]:.0f}"}
    elif folders(folder, "*.sum.int.dat"):
        yield "all_devices", "all_devices", {"table": list(all_devices(folder))}


def main(arguments):
    """All data is read, and all pictures are drawn, before the first one is written: there are all of them, or none."""
    if len(arguments) != 1:
        fail("usage: plots/draw.py RESULTS")
    if not shutil.which("gnuplot"):
        fail("gnuplot is missing: make deps installs it")
    folder = Path(arguments[0]).resolve()
    found = list(pictures(folder)) or fail(f"{folder}: no data of a main variant of sum of int; make plots measures")
    for name, svg in [(name, drawn(folder, name, script, **settings)) for name, script, settings in found]:
        write_whole(folder / f"{name}.svg", svg)


if __name__ == "__main__":
    start(main)
