"""What the measuring programs share: settings from the environment, devices, and calls of steps and
peers."""

import functools
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from data import ROOT, Data, fail, number_of, output_of, write_whole

STEPS = [
    ROOT / f"step{source.name[:2]}"
    for source in [
        *sorted(ROOT.glob("steps/[0-9][0-9]_*.c")),
        *sorted(ROOT.glob("steps/beyond/[0-9][0-9]_*.c")),
    ]
    if "step_main(" in source.read_text(encoding="utf-8")
]  # the steps of the ladder
os.environ.setdefault("REDUCE_KERNELS", str(ROOT / "kernels"))
os.environ["OMP_WAIT_POLICY"] = (
    "passive"  # otherwise OpenMP's threads spin and slow the next kernels
)


def setting(name, default=""):
    """A setting from the environment. An empty one counts as not set."""
    return os.environ.get(name) or str(default)


def number(name, default):
    """A setting that is a number of at least 1, such as 1000, 2^24 or 16Mi."""
    return number_of(setting(name, default)) or fail(
        f"{name}={setting(name)}: must be a number from 1 on, such as 1000, 2^24 or 16Mi"
    )


def ours(default=""):
    """The programs and variants that OURS lists, such as 11:tiles."""
    return [(ROOT / f"step{word[:2]}", word[3:]) for word in setting("OURS", default).split()]


def devices():
    """The device that DEVICE names, otherwise every CPU. Each is a dictionary of what --facts
    prints and the folder of its results."""
    wanted = setting("DEVICE")
    if setting("RESULTS") and not wanted:
        fail("RESULTS is for one device only: set DEVICE too (./step01 --list shows the devices)")
    chosen = []
    for device in (
        [wanted]
        if wanted
        else re.findall("^[0-9]+", output_of(ROOT / "step01", "--list"), re.MULTILINE)
    ):
        facts = dict(
            line.split("=", 1)
            for line in output_of(ROOT / "step01", "--facts", "--device", device).splitlines()
        )
        platform, _, name = facts["name"].partition(" / ")
        words = [
            re.sub(r".*\[(.+)].*", r"\1", platform),
            name,
            os.uname().nodename,
        ]  # Long Name [SHORT]
        own = "-".join(re.sub("[^a-z0-9]+", "-", word.lower()).strip("-") for word in words)
        facts["folder"] = Path(setting("RESULTS", ROOT / "results" / own))
        if wanted or facts["kind"] == "CPU":
            chosen.append(facts)
    return chosen or fail(
        "no OpenCL device is a CPU: set DEVICE to one that ./step01 --list shows; ./step00 says"
        " what is missing"
    )


@functools.cache
def variants(program):
    """The variants that a step lists, the main one first: name, kernel, and the name in the
    articles or ''."""
    return [
        (*line.split(maxsplit=2), "")[:3] for line in output_of(program, "--variants").splitlines()
    ]


@functools.cache
def print_once(text, to=sys.stderr):
    """Prints a line, but only the first time."""
    print(text, file=to, flush=True)


class Progress:
    """How many calls were made, of how many; unless the number is known beforehand, nothing is
    shown."""

    done = total = 0

    @classmethod
    def begin(cls, total):
        """From here on this many calls are made."""
        cls.done, cls.total = 0, total

    @classmethod
    def step(cls):
        """The next one: '  (3 of 11)'."""
        cls.done += 1
        return f"  ({cls.done} of {cls.total})" if cls.done <= cls.total else ""


class Call:
    """One call of a program on a device: its exit status, its output, its rows. What the program
    cannot do or skips is printed on standard error."""

    def __init__(self, facts, program, *options, into=None, expected=(0, 77)):
        words = [str(word) for word in (program, "--device", facts["number"], *options)]
        called = f"{program.name} {' '.join(words[3:])}"
        counter = Progress.step()
        print(called[: 79 - len(counter)] + counter, file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(
                folder, into.name if into else "rows"
            )  # columns.ini knows some files by their folder
            done = subprocess.run(
                [*words, "--out", str(out)], text=True, check=False, capture_output=True
            )
            self.status, self.said = done.returncode, (done.stdout + done.stderr).strip()
            written = sorted(
                out.glob("*.dat"), key=lambda path: path.stat().st_mtime_ns
            )  # in the order of measuring
            files = [Data(path) for path in written]
            self.rows = [row for file in files for row in file.rows]
            for file in files if into else []:
                write_whole(into / file.path.name, file.path.read_text())
        if self.status not in expected:
            print_once(self.said)
            sys.exit(self.status)
        for line in done.stderr.splitlines() if self.status != 2 else []:
            print_once(line)
        for file, key in (
            (file, key) for file in files for key in file.about if key.endswith(" left out")
        ):
            print_once(f"{program.name}: {file.path.name}: {key}: {file[key]}")
        if not self.rows and not self.status:
            print_once(
                f"{called}: left out, because each row would take longer than --limit-seconds"
            )
