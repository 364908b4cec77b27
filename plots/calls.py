"""Functions that the measuring programs share: they read settings from the environment, find
devices, and call steps and peers."""

import functools
import os
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from data import ROOT, Data, fail, get_output, parse_number, replace_file

STEPS = [
    ROOT / f"step{source.name[:2]}"
    for source in [
        *sorted(ROOT.glob("steps/[0-9][0-9]_*.c")),
        *sorted(ROOT.glob("steps/beyond/[0-9][0-9]_*.c")),
    ]
    if "step_main(" in source.read_text(encoding="utf-8")
]  # the steps of the ladder
os.environ.setdefault("REDUCE_KERNELS", str(ROOT / "kernels"))
# Otherwise OpenMP's threads spin and slow the next kernels.
os.environ["OMP_WAIT_POLICY"] = "passive"


def get_setting(name, default=""):
    """Returns a setting from the environment. An empty setting counts as not set."""
    return os.environ.get(name) or str(default)


def get_number(name, default):
    """Returns a setting that is a number of at least 1, such as 1000, 2^24 or 16Mi."""
    return parse_number(get_setting(name, default)) or fail(
        f"{name}={get_setting(name)}: must be a number from 1 on, such as 1000, 2^24 or 16Mi"
    )


def list_our_variants(default=""):
    """Returns the programs and variants that OURS lists, such as 11:word."""
    return [(ROOT / f"step{word[:2]}", word[3:]) for word in get_setting("OURS", default).split()]


def name_folders():
    """Returns the name of the results folder of each device, by the number of the device. If
    several devices have the same name, their folders are name, name-2 and so on."""
    found = re.findall(
        "^([0-9]+) +[A-Z]+ +(.*), [0-9]+ compute units",
        get_output(ROOT / "step01", "--list"),
        re.MULTILINE,
    )
    names, counts = {}, Counter()
    for number, description in found:
        platform, _, device = description.partition(" / ")
        words = [
            re.sub(r".*\[(.+)].*", r"\1", platform),
            device,
            os.uname().nodename,
        ]  # a platform's name: Long Name [SHORT]
        name = "-".join(re.sub("[^a-z0-9]+", "-", word.lower()).strip("-") for word in words)
        counts[name] += 1
        names[number] = f"{name}-{counts[name]}" if counts[name] > 1 else name
    return names


def find_devices():
    """Returns the device that DEVICE names, otherwise every CPU. Each device is a dictionary of the
    facts that --facts prints, and of its results folder."""
    wanted = get_setting("DEVICE")
    if get_setting("RESULTS") and not wanted:
        fail("RESULTS is for one device only: set DEVICE too; ./step01 --list shows the devices")
    chosen, folders = [], name_folders()
    for device in [wanted] if wanted else folders:
        facts = dict(
            line.split("=", 1)
            for line in get_output(ROOT / "step01", "--facts", "--device", device).splitlines()
        )
        folder = ROOT / "results" / folders[facts["number"]]
        facts["folder"] = Path(get_setting("RESULTS", folder))
        if wanted or facts["kind"] == "CPU":
            chosen.append(facts)
    return chosen or fail(
        "there is no CPU among the OpenCL devices: set DEVICE to a device that ./step01 --list"
        " shows; ./step00 tells you what is missing"
    )


@functools.cache
def list_variants(program):
    """Returns the variants that a step lists, the main variant first: name, kernel, and the
    kernel's name in the articles or ''."""
    return [
        (*line.split(maxsplit=2), "")[:3] for line in get_output(program, "--variants").splitlines()
    ]


@functools.cache
def print_once(text, to=sys.stderr):
    """Prints a text, unless this program has already printed the same text."""
    print(text, file=to, flush=True)


class Progress:
    """Counts the calls of a measurement. Shows nothing if the total is 0, because it is not known
    beforehand."""

    done = total = 0

    @classmethod
    def begin(cls, total):
        """Starts the count of a measurement that makes this many calls."""
        cls.done, cls.total = 0, total

    @classmethod
    def count(cls):
        """Counts one call more. Returns a text such as '  (3 of 11)'."""
        cls.done += 1
        return f"  ({cls.done} of {cls.total})" if cls.done <= cls.total else ""


class Call:
    """One call of a program on a device: its exit status, its output and its rows. Prints a line on
    standard error for everything that the program does not support or skips. A program that
    chooses its devices itself gets no number. launcher: a command that starts the program, such as
    mpirun -n 2"""

    def __init__(
        self, facts, program, *options, launcher=(), data_folder=None, allowed_statuses=(0, 77)
    ):
        device = ["--device", facts["number"]] if facts["number"] else []
        words = [str(word) for word in (*launcher, program, *device, *options)]
        called = " ".join(map(str, [*launcher[:3], program.name, *options]))
        counter = Progress.count()
        print(called[: 79 - len(counter)] + counter, file=sys.stderr)
        with tempfile.TemporaryDirectory() as folder:
            out = Path(
                folder, data_folder.name if data_folder else "rows"
            )  # columns.ini recognises some files by the name of their folder
            finished = subprocess.run(
                [*words, "--out", str(out)], text=True, check=False, capture_output=True
            )
            self.status, self.output = (
                finished.returncode,
                (finished.stdout + finished.stderr).strip(),
            )
            written = sorted(
                out.glob("*.dat"), key=lambda path: path.stat().st_mtime_ns
            )  # the oldest file was measured first
            files = [Data(path) for path in written]
            self.rows = [row for file in files for row in file.rows]
            for file in files if data_folder else []:
                replace_file(data_folder / file.path.name, file.path.read_text())
        if self.status not in allowed_statuses:
            print_once(self.output)
            sys.exit(self.status)
        for line in finished.stderr.splitlines() if self.status != 2 else []:
            print_once(line)
        for file, key in (
            (file, key) for file in files for key in file.header if key.endswith(" left out")
        ):
            print_once(f"{program.name}: {file.path.name}: {key}: {file[key]}")
        if not self.rows and not self.status:
            print_once(
                f"{called}: skipped, because each row would take longer than --limit-seconds"
            )
