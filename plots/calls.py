"""What measuring takes: settings from the environment, devices, and calls of programs."""
import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from data import ROOT, Data, fail, number_of, output_of, write_whole

STEPS = [ROOT / f"step{source.name[:2]}" for source in sorted(ROOT.glob("steps/**/[0-9][0-9]_*.c"), key=lambda path: path.name)
         if "step_main(" in source.read_text(encoding="utf-8")]  # those of the ladder
os.environ.setdefault("REDUCE_KERNELS", str(ROOT / "kernels"))
os.environ["OMP_WAIT_POLICY"] = "passive"  # OpenMP's threads would spin on, and slow the kernels that come next


def setting(name, default=""):
    """From the environment, where an empty one is as good as none."""
    return os.environ.get(name) or str(default)


def number(name, default):
    """Likewise a number of at least 1, such as 1000, 2^24 or 16Mi."""
    return number_of(setting(name, default)) or fail(f"{name}={setting(name)}: must be a number from 1 on, as 1000, 2^24 or 16Mi")


def ours(default=""):
    """OURS, such as 11:tiles: programs and variants."""
    return [(ROOT / f"step{word[:2]}", word[3:]) for word in setting("OURS", default).split()]


def devices():
    """That of DEVICE, else every CPU: what --facts says of it, and the folder of its results."""
    wanted = setting("DEVICE")
    if setting("RESULTS") and not wanted:
        fail("RESULTS is for one device: say which by DEVICE (./step01 --list shows them)")
    chosen = []
    for device in [wanted] if wanted else re.findall("^[0-9]+", output_of(ROOT / "step01", "--list"), re.MULTILINE):
        facts = dict(line.split("=", 1) for line in output_of(ROOT / "step01", "--facts", "--device", device).splitlines())
        platform, _, name = facts["name"].partition(" / ")
        words = [re.sub(r".*\[(.+)].*", r"\1", platform), name, os.uname().nodename]  # Long Name [SHORT]
        own = "-".join(re.sub("[^a-z0-9]+", "-", word.lower()).strip("-") for word in words)
        facts["folder"] = Path(setting("RESULTS", ROOT / "results" / own))
        if wanted or facts["kind"] == "CPU":
            chosen.append(facts)
    return chosen or fail("no CPU among the OpenCL devices: DEVICE= one of ./step01 --list; ./step00 says what is missing")


@functools.cache
def variants(program):
    """What a step lists, the main one first: name, kernel, and what articles call it, or ''."""
    return [(*line.split(maxsplit=2), "")[:3] for line in output_of(program, "--variants").splitlines()]


@functools.cache
def say(text, to=sys.stderr):
    """Each line once."""
    print(text, file=to, flush=True)


class Call:
    """One call of a program on a device: its status, what it said, its rows. People are told what it cannot do, or left out."""

    def __init__(self, facts, program, *options, into=None, expected=(0, 77)):
        words = [str(word) for word in (program, "--device", facts["number"], *options)]
        called = f"{program.name} {' '.join(words[3:])}"
        print(called[:79], file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([*words, "--out", folder], text=True, check=False, capture_output=True)
            self.status, self.said = done.returncode, (done.stdout + done.stderr).strip()
            written = sorted(Path(folder).glob("*.dat"), key=lambda path: path.stat().st_mtime_ns)  # in the order of measuring
            files = [Data(path) for path in written]
            self.rows = [row for file in files for row in file.rows]
            for file in files if into else []:
                write_whole(into / file.path.name, file.path.read_text())
        if self.status not in expected:
            say(self.said)
            sys.exit(self.status)
        for line in done.stderr.splitlines() if self.status != 2 else []:
            say(line)
        for file, key in ((file, key) for file in files for key in file.about if key.endswith(" left out")):
            say(f"{program.name}: {file.path.name}: {key}: {file[key]}")
        if not self.rows and not self.status:
            say(f"{called}: left out, all of it: longer than --limit-seconds")
