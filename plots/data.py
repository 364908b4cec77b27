"""Measured data: reading and writing it, medians, and the machine's devices.

A data file has lines `# key: value`, one line with the names of its columns, then rows of words, in
any order of columns. A number that is missing is nan.
"""
import math
import os
import signal
import statistics
import subprocess
import sys
from pathlib import Path

PLOTS = Path(__file__).resolve().parent
ROOT = PLOTS.parent
WORDS = {"step", "name", "variant", "kind", "program", "backend", "verdict", "by"}  # columns of text


def fail(message):
    """Ends the program: usage or set-up."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


class Row(dict):
    """The words of one line, by the names of their columns."""

    def number(self, column):
        """That word as a number; nan if it is missing."""
        return float(self[column])


class About(dict):
    """The lines `# key: value` of a file."""

    def __init__(self, path):
        super().__init__()
        self.path = path

    def __missing__(self, key):
        return fail(f"{self.path}: no line '# {key}: …' in it: was it measured by this version?")


class Data:
    """A data file: what it says about itself (about), and its rows."""

    def __init__(self, path, *needed):
        self.path, self.about, self.columns, self.rows = Path(path), About(path), [], []
        try:
            lines = self.path.read_text(encoding="utf-8").splitlines()
        except (OSError, UnicodeDecodeError) as error:
            fail(f"{path}: cannot be read: {getattr(error, 'strerror', None) or 'no text'}")
        for number, line in enumerate(lines, 1):
            if line.startswith("# "):
                key, _, text = line[2:].partition(": ")
                self.about[key] = text
            elif line and not self.columns:
                self.columns = line.split()
                missing = [name for name in needed if name not in self.columns]
                if missing:
                    fail(f"{path}, line {number}: no column {missing[0]}: was it measured by this version?")
            elif line and not line.startswith("#"):
                self.rows.append(self._row(number, line.split()))
        if not self.rows:
            fail(f"{path}, line {len(lines)}: no row in it: was it cut short?")

    def _row(self, number, words):
        if len(words) != len(self.columns):
            fail(f"{self.path}, line {number}: {len(words)} words, not {len(self.columns)}: was it cut short?")
        row = Row(zip(self.columns, words))
        for column in set(row) - WORDS:
            try:
                row.number(column)
            except ValueError:
                fail(f"{self.path}, line {number}: {column} is {row[column]}, which is no number")
        return row

    def is_main(self):
        """Is it of its step's main variant?"""
        return self.about.get("main") == "yes"

    def largest(self):
        """The row of the largest n."""
        return max(self.rows, key=lambda row: row.number("n"))

    def device(self):
        """The short name of its platform, as [POCL] has it, else its folder's."""
        name = self.about["device"]
        return name[name.find("[") + 1 : name.find("]")] if "[" in name else self.path.parent.name

    def machine(self):
        """What it was measured on."""
        return f"{self.about['device']}, driver {self.about['driver']}"


def steps(folder, what="sum.int", *needed):
    """The files of all steps in a folder, of one operator and type, in order."""
    return [Data(path, "n", *needed) for path in sorted(Path(folder).glob(f"[0-9][0-9]_*.{what}.dat"))]


def main_files(folder, what="sum.int", *needed):
    """Those of main variants."""
    return [file for file in steps(folder, what, *needed) if file.is_main()]


def at_largest(files):
    """The largest n of any of them, and those that have it, each with its row of it."""
    pairs = [(file, file.largest()) for file in files]
    n = max((row.number("n") for _, row in pairs), default=0)
    return n, [(file, row) for file, row in pairs if row.number("n") == n]


def folders(results, name="*"):
    """A folder for each device, of those that have such a file."""
    return [path for path in sorted(results.iterdir()) if path.is_dir() and any(path.glob(name))]


def header(about, keys="", **others):
    """The first lines of a file that is made of others: what these say of the machine, and further keys; then what is new."""
    common = "date,device,driver,opencl,compute units,last-level cache,seed,evicted bytes"
    lines = {key: about[key] for key in filter(None, [*keys.split(","), *common.split(",")])} | others
    return "".join(f"# {key}: {value}\n" for key, value in lines.items())


def write_whole(path, text):
    """All of it or nothing: a reader never sees half a file."""
    part = Path(f"{path}.{os.getpid()}.part")
    try:
        part.write_text(text, encoding="utf-8")
        part.replace(path)
    except OSError as error:
        part.unlink(missing_ok=True)
        fail(f"{path}: cannot be written: {error.strerror}")


def known(values):
    """Those that are not missing, in order."""
    return sorted(value for value in values if not math.isnan(value))


def median(values):
    """Of those that are known; nan if none is."""
    values = known(values)
    return statistics.median(values) if values else math.nan


def text(value, form=".4g"):
    """As a file has it."""
    return "nan" if math.isnan(value) else format(value, form)


def shown(value, form=".1f"):
    """As a table has it."""
    return "-" if math.isnan(value) else format(value, form)


def figures(value):
    """Three digits or so."""
    return format(value, ".3f" if value < 0.1 else ".2f" if value < 10 else ".1f")


def power(n):
    """2^26 for 67108864, else the number itself."""
    exponent = round(math.log2(n))
    return f"2^{exponent}" if 2**exponent == n else f"{n:.0f}"


def output_of(*command):
    """What a program prints; fails if it does."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode:
        sys.stderr.write(done.stderr)
        sys.exit(done.returncode)
    return done.stdout


def start(main):
    """Runs main(arguments); an interrupt is no traceback, and leaves no temporary folder."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as in a pipe to head
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    try:
        sys.exit(main(sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(130)
