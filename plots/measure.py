"""Measuring: which devices, what one call of a program brings, and progress on standard error."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from data import PLOTS, ROOT, Data, fail, output_of

STEPS = [ROOT / f"step{source.name[:2]}" for source in sorted(ROOT.glob("steps/[0-9][0-9]_*.c"))  # those of the ladder
         if "step_main(" in source.read_text(encoding="utf-8") and (ROOT / f"step{source.name[:2]}").exists()]
START = time.monotonic()
os.environ.setdefault("REDUCE_KERNELS", str(ROOT / "kernels"))
os.environ["OMP_WAIT_POLICY"] = "passive"  # OpenMP's threads would spin on, and slow the kernels that come next


def setting(name, default):
    """From the environment, where an empty one is as good as none."""
    return os.environ.get(name) or str(default)


def count(name, default):
    """Likewise a number of at least 1."""
    text = setting(name, default)
    if not re.fullmatch("[1-9][0-9]*", text):
        fail(f"{name}={text}: must be a number of at least 1")
    return int(text)


def elements(text):
    """1000, 2^24, 16Mi; None for anything else."""
    if found := re.fullmatch(r"2\^([0-9]|[1-5][0-9])", text):
        return 2 ** int(found[1])
    found = re.fullmatch("([1-9][0-9]{0,17})([KMG]i)?", text)
    return int(found[1]) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30}[found[2]] if found else None


def one_n(default):
    """N as it is given, if it is one number."""
    text = setting("N", default)
    if elements(text) is None:
        fail(f"N={text}: must be one number such as 2^24, 16Mi or 1000")
    return text


def facts(device):
    """What --facts says of one device, and the folder of a user's own results on it."""
    said = dict(line.split("=", 1) for line in output_of(ROOT / "step01", "--facts", "--device", device).splitlines())
    platform, _, name = said["name"].partition(" / ")
    short = re.search(r"\[[^]]+\]", platform)
    words = short[0] if short else platform, name, os.uname().nodename
    said["folder"] = ROOT / "results" / "-".join(re.sub("[^a-z0-9]+", "-", word.lower()).strip("-") for word in words)
    return said


def devices(results="", wanted=""):
    """The one that is wanted, or every CPU: its facts, and the folder of its results, which may be given."""
    if not STEPS:
        fail("the programs are not built yet: make all")
    if results and not wanted:
        fail("RESULTS is for one device: say which (./step01 --list shows them)")
    numbers = [wanted] if wanted else [line.split()[0] for line in output_of(ROOT / "step01", "--list").splitlines()]
    if not numbers[0].isdigit() and not wanted:
        fail("no OpenCL device: ./step00 says what is missing")
    chosen = [found for found in map(facts, numbers) if wanted or found["kind"] == "CPU"]
    if not chosen:
        fail("no CPU among the OpenCL devices: name one of ./step01 --list")
    return [(found, Path(results or found["folder"])) for found in chosen]


def made(folder, emptied=False):
    """A folder that is there now; emptied: without data of another n, or device."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("*.dat") if emptied else []:
            old.unlink()
    except OSError as error:
        fail(f"{folder}: cannot be made: {error.strerror}")
    return folder


def variants(program):
    """Their names, the main one first."""
    return [line.split()[0] for line in output_of(program, "--variants").splitlines()]


def chosen_of_ours():
    """OURS: programs and variants such as 10:streams; None: not given."""
    chosen = []
    for word in os.environ.get("OURS", "").split():
        step, _, variant = word.partition(":")
        program = ROOT / f"step{step}"
        if program not in STEPS or variant not in variants(program):
            fail(f"OURS: {word}: must be a step and one of its variants, such as 11:tiles")
        chosen.append((program, variant))
    return chosen or None


class Call:
    """One call of a program: its exit status, what it said, and its data files, unless they go into a folder that is given."""

    def __init__(self, program, *options, into=None, environment=None):
        with tempfile.TemporaryDirectory() as folder:
            out = into or Path(folder, "out")
            done = subprocess.run([str(word) for word in (program, *options, "--out", out)], text=True, check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, env={**os.environ, **(environment or {})})
            self.status, self.said = done.returncode, done.stdout
            self.files = [] if into else [Data(path, "n", "wall_med", "GBps") for path in sorted(out.glob("*.dat"))]

    def must(self, *statuses):
        """Fails as the program did, unless its status is one of these."""
        if self.status not in statuses:
            say(self.said.strip())
            sys.exit(self.status)
        return self

    def reason(self):
        """Why it is left out, where its status is 77."""
        return self.said.strip().splitlines()[-1].partition("not supported here: ")[2] or self.said.strip()


def clock(seconds):
    """1:23"""
    return f"{seconds // 60:.0f}:{seconds % 60:02.0f}"


def show(what, done=0, of_all=0):
    """Progress, on a terminal all in one line: what is measured now, and the time left at the pace so far."""
    spent = time.monotonic() - START
    left = f", {clock(spent * (of_all - done) / done)} left" if done else ""
    line = f"{clock(spent):>6}{left:14} {what:.57}"
    print(f"\r{line:<79}" if sys.stderr.isatty() else line, end="" if sys.stderr.isatty() else "\n", file=sys.stderr, flush=True)


def say(text):
    """A line that stays."""
    print(("\n" if sys.stderr.isatty() else "") + text, file=sys.stderr)


def pictures(folder, what):
    """What was measured stays without its pictures where there is no gnuplot."""
    if shutil.which("gnuplot"):
        output_of(PLOTS / "draw.py", folder)
        return f"picture: {folder}/{what}"
    return f"no picture: that needs gnuplot; then make draw RESULTS={folder}"
