#!/usr/bin/env python3
"""Draws every picture of a results folder from its .dat files alone: no OpenCL, no clock, no host.

    plots/draw.py RESULTS [INTO]        INTO: another folder for the pictures, for a comparison
    plots/draw.py --all-devices [INTO]  the same steps on all published devices: plots/results/all_devices.svg

There a bar is in percent of the device's own read limit, at the largest n that it was given: what is compared is how
well a step suits a device, not how fast the devices are.
"""
import os
import subprocess
import tempfile
from pathlib import Path

from data import PLOTS, Data, at_largest, fail, folders, main_files, median, power, start, text, write_whole
from table import best, by_variant
from measure import made


def draw(folder, into, name, script, tables=None, **settings):
    """One picture; gnuplot is started in the folder, so that no path needs quoting inside its scripts. Tables are handed
    over as files."""
    with tempfile.TemporaryDirectory() as temporary:
        values = {"results": ".", **settings}
        for key, lines in (tables or {}).items():
            values[key] = Path(temporary, key) if lines else ""
            Path(temporary, key).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        quoted = "; ".join(f"{key}={value}" if isinstance(value, int) else "{}='{}'".format(key, str(value).replace("'", "''"))
                           for key, value in values.items())
        scripts = [PLOTS / "style.gp"] * (script != "all_devices") + [PLOTS / f"{script}.gp"]
        done = subprocess.run(["gnuplot", "-e", quoted, *scripts], cwd=folder, stdout=subprocess.PIPE, text=True, check=False,
                              env={**os.environ, "LC_ALL": "C.UTF-8"})  # the same picture whatever the locale
    if done.returncode:
        fail(f"{name}.svg could not be drawn")
    write_whole(into / f"{name}.svg", done.stdout)


def medians(files):
    """Each step measured the read limit and the floor in turn with itself, at a time of its own: the charts that show all
    steps show the median over them, for each n."""
    at = {}
    for file in files:
        for row in file.rows:
            at.setdefault(row.number("n"), []).append(row)
    yield "n limit_GBps floor_seconds"
    for n in sorted(at):
        limit, floor = (median(row.number(column) for row in at[n]) for column in ("limit_GBps", "floor_seconds"))
        yield f"{n:.0f} {text(limit, 'g')} {text(floor, 'g')}"


def better(folder, mains):
    """The best variants of steps whose main one is not the best: number of the bar, percent, name."""
    shares = by_variant(folder, at_largest(mains)[0])
    found = [(i, best(shares, file.path.name[:2], file.about["variant"])) for i, file in enumerate(mains, 1)]
    return [f"{i} {text}" for i, text in found if text] or ['1 0 ""']  # no line at all is too few for gnuplot


def ratio(this, mains):
    """How many times as fast it is as the step it is compared with, for each n that both have."""
    other = [file for file in mains if file.path.name[:2] == this.about["compared with"] and file is not this]
    speeds = {row.number("n"): row.number("GBps") for file in other for row in file.rows}
    return [f"{n:.0f} {row.number('GBps') / speeds[n]:.4g}" for row in this.rows if (n := row.number("n")) in speeds]


def extras(folder):
    """What stands in folders of its own: picture, script, settings."""
    for what in ("sum.int", "min.float"):
        if (folder / f"peers/{what}.dat").is_file():
            Data(folder / f"peers/{what}.dat", "kind", "program", "ratio", "wall", "wall_low", "wall_high")  # or it fails
            yield f"peers_{what.replace('.', '_')}", "peers", {"results": "peers", "files": f"{what}.dat"}
    for article in ("peri", "jin", "catz"):
        mains = [file for file in map(Data, sorted(folder.glob(f"article-{article}/*.dat"))) if file.is_main()]
        if mains:
            what = f"{mains[-1].about['operator']}.{mains[-1].about['type']}"
            settings = {"results": f"article-{article}", "published": PLOTS / "published", "what": what}
            yield f"article_{article}", f"article_{article}", settings
    for name in ("parts", "total", "bounds") if (folder / "article-eigen/12_parts.dat").is_file() else ():
        settings = {"results": "article-eigen", "published": PLOTS / "published", "files": "12_parts.dat"}
        yield f"eigen_{name}", f"eigen_{name}", settings
    if main_files(folder / "accuracy", "sum.float"):
        yield "accuracy", "accuracy", {"results": "accuracy", "what": "sum.float"}
    for path in sorted(folder.glob("tune/step*.dat")):
        Data(path, "variant", "width", "by", "group", "groups_per_unit", "percent_of_best")
        yield f"tune_{path.stem[4:]}", "tune", {"results": "tune", "files": path.name}


def results(folder, into):
    """Everything that there is data for."""
    mains = main_files(folder, "sum.int", "limit_GBps", "floor_seconds")
    for key in ("step", "variant", "operator", "type", "compared with", "device"):
        _ = [file.about[key] for file in mains]  # or it says which is missing
    others = list(extras(folder))
    if not mains and not others:
        fail(f"{folder}: no .dat file of a main variant of sum of int")
    for name, script, settings in others:
        draw(folder, into, name, script, **settings)
    if not mains:
        return
    draw(folder, into, "all", "all", {"medians": list(medians(mains))})
    draw(folder, into, "wall", "wall", {"medians": list(medians(mains))})
    draw(folder, into, "bars", "bars", {"best": better(folder, mains)})
    for file in mains:
        step = file.path.name[:2]
        draw(folder, into, f"pair_{step}", "pair", {"ratio": ratio(file, mains)}, step=int(step))


def all_devices(into):
    """A line for each device and step: folder, its largest n, device, step, percent; what was left out as too slow is nan."""
    lines = []
    for folder in folders(PLOTS / "results"):
        mains = main_files(folder, "sum.int", "percent_of_limit")
        n, _ = at_largest(mains)
        for file in mains:
            row = file.largest()
            device = file.about["device"].rpartition(" / ")[2].replace(" ", "-")
            share = row["percent_of_limit"] if row.number("n") == n else "nan"
            lines.append(f"{folder.name} {power(n)[2:]} {device} {file.about['step']} {share}")
    if not lines:
        fail("plots/results has no data of a main variant of sum of int")
    draw(PLOTS / "results", into, "all_devices", "all_devices", {"table": lines})


def main(arguments):
    """One folder, or all published devices together."""
    if not arguments or len(arguments) > 2:
        fail("usage: plots/draw.py RESULTS [INTO] | --all-devices [INTO]")
    try:
        subprocess.run(["gnuplot", "--version"], stdout=subprocess.DEVNULL, check=False)
    except FileNotFoundError:
        fail("gnuplot is missing: make deps installs it")
    together = arguments[0] == "--all-devices"
    folder = PLOTS / "results" if together else Path(arguments[0]).resolve()
    if not folder.is_dir():
        fail(f"{arguments[0]}: no such folder; make plots measures one")
    into = made(Path(arguments[-1]).resolve()) if len(arguments) == 2 else folder
    if together:
        all_devices(into)
    else:
        results(folder, into)


if __name__ == "__main__":
    start(main)
