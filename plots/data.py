"""Measured data: reading and writing it, and its numbers.

A data file has lines `# key: value`, a line with the names of its columns, then rows of words. A
missing number is nan. A text with spaces is in quotes. If a file lacks a key or a column that
columns.ini demands, the program ends with one line that names it.

Committed files say `# rows: N` in their header. Newer ones end with a line `# end`: without it the
measurement was interrupted."""

import configparser
import functools
import math
import os
import re
import signal
import statistics
import subprocess
import sys
from pathlib import Path

PLOTS = Path(__file__).resolve().parent
ROOT = PLOTS.parent
WORDS = set(
    "step name variant kind program backend verdict by device compiler kernel implementation ours"
    " verified".split()
)  # text
OTHER_VERSION = "was it measured by this version?"
NEEDED = configparser.ConfigParser()
NEEDED.read(PLOTS / "columns.ini")
median = lambda values: spread(values)[0]
text = lambda value, form=".4g", missing="nan": (
    missing if math.isnan(value) else format(value, form)
)
text_of = lambda path: path.read_text(
    encoding="utf-8", errors="replace"
)  # a byte that is no UTF-8 matches nothing
lines_of = lambda path: (
    whole.splitlines()
    if (whole := text_of(path)).endswith("\n")
    else fail(f"{path}: was it cut short?")
)
# The folders of the devices that have a file of this name.
folders = lambda results, name: [
    path for path in sorted(results.iterdir()) if path.is_dir() and any(path.glob(name))
]


def fail(message):
    """Prints a line on standard error and ends the program with exit status 2: wrong usage or
    set-up."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


@functools.cache
def warn(message):
    """Prints a line on standard error, once."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr, flush=True)


class Row(dict):
    """The words of one line by the names of their columns: row["GBps"] is "31.60". As an attribute
    a word is a number: row.GBps is 31.6. A name that is no column is looked up in the file's
    header."""

    def __init__(self, file, line, words):
        super().__init__(zip(file.columns, words))
        self.file, self.where = file, f"{file.path}, line {line}"
        if len(words) != len(file.columns):
            fail(f"{self.where}: {len(words)} words, not {len(file.columns)}: was it cut short?")
        for column in set(self) - WORDS:
            getattr(self, column)  # fails if the word is no number

    def __missing__(self, column):
        return self.file.about.get(column) or fail(
            f"{self.where}: no column {column}: {OTHER_VERSION}"
        )

    def __getattr__(self, column):
        try:
            value = float(self[column])
            return (
                value
                if not math.isinf(value) and (column != "n" or value >= 1)
                else float("too large, or no n")
            )
        except ValueError:
            return fail(f"{self.where}: {column} is {self[column]}, which is no number")


class Data:
    """A data file: its rows, and the lines `# key: value` of its header, as file["device"]."""

    def __init__(self, path):
        self.path, self.about, self.columns, self.rows = Path(path), {}, [], []
        self.step = self.path.name[:2]
        needed = next(
            (NEEDED[files] for files in NEEDED.sections() if self.path.match(files)),
            {"columns": "", "head": ""},
        )
        content, wanted = text_of(self.path), needed["columns"].split()
        lines = content.splitlines()
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                key, _, self.about[key] = line[2:].partition(": ")
            elif line and not self.columns:
                self.columns = line.split()
                for column in [column for column in wanted if column not in self.columns]:
                    fail(f"{path}, line {number}: no column {column}: {OTHER_VERSION}")
                if [
                    column for column in self.columns if column in wanted
                ] != wanted:  # gnuplot's scripts for the articles count them
                    fail(
                        f"{path}, line {number}: columns in another order than columns.ini has:"
                        f" {OTHER_VERSION}"
                    )
            elif line:
                self.rows.append(Row(self, number, re.findall(r'"[^"]*"|\S+', line)))
        if not self.rows or not content.endswith("\n"):
            fail(
                f"{path}, line {len(lines)}: {'no end of line' if self.rows else 'no row in it'}:"
                " was it cut short?"
            )
        _ = [self[key] for key in needed["head"].split(", ") if key]  # fails if one is missing
        if self.about.get("rows", str(len(self.rows))) != str(len(self.rows)):
            fail(
                f"{path}, line {len(lines)}: {len(self.rows)} rows, not {self['rows']}: was it cut"
                " short?"
            )
        if "rows" not in self.about and lines[-1] != "# end":
            warn(
                f"{path} has no line '# end': the measurement was interrupted after"
                f" {len(self.rows)} row{'s' if len(self.rows) > 1 else ''}, which are used"
            )
        self.is_main = self.about.get("main") == "yes"

    def __getitem__(self, key):
        return (
            self.about[key]
            if key in self.about
            else fail(f"{self.path}: no line '# {key}: …' in it: {OTHER_VERSION}")
        )


def files(folder, what="sum.int", main=True):
    """The data files of all steps in a folder for one operator and type, in order: those of the
    main variants, or all."""
    found = [Data(path) for path in sorted(Path(folder).glob(f"[0-9][0-9]_*.{what}.dat"))]
    found = [file for file in found if file.is_main or not main]
    for file in found if main else []:
        if file["compared with"] not in [other.step for other in found]:
            fail(
                f"{file.path}: is compared with step {file['compared with']}, but this folder has"
                " no data of that step"
            )
    return found


def shares(rows, column="percent_of_limit"):
    """A column, such as percent of the read limit, by n and name, such as "11 streams": the median
    over the rounds of a bench."""
    found = {}
    for row in rows:
        found.setdefault((row.n, f"{row['step'][:2]} {row['variant']}"), []).append(
            getattr(row, column)
        )
    return {key: median(values) for key, values in found.items()}


def header(file, keys="", **others):
    """The header of a file that is computed from a data file: the lines that describe the machine,
    the lines of further keys of that file, then the keys and values in `others`."""
    keys = filter(
        None,
        f"{keys},date,device,driver,opencl,compute units,last-level cache,seed,evicted bytes".split(
            ","
        ),
    )
    return "\n".join(
        f"# {key}: {value}" for key, value in ({key: file[key] for key in keys} | others).items()
    )


def write_whole(path, lines):
    """Replaces a file at once, so a reader never sees half of it."""
    part = Path(f"{path}.{os.getpid()}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(lines if isinstance(lines, str) else "\n".join([*lines, ""]), encoding="utf-8")
    part.replace(path)


def spread(values):
    """Median, lowest and highest value without the missing ones. All three are nan if every value
    is missing."""
    values = sorted(value for value in values if not math.isnan(value)) or [math.nan]
    return statistics.median(values), values[0], values[-1]


def number_of(written):
    """1024 for "2^10", "1Ki" or "1024"; None if the text is not a number of at least 1."""
    found = re.fullmatch(r"2\^([0-9]|[1-5][0-9])|([1-9][0-9]{0,17})([KMG]i)?", written)
    return found and (
        2 ** int(found[1])
        if found[1]
        else int(found[2]) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30}[found[3]]
    )


def power(n):
    """ "2^26" for 67108864, and the digits for a number that is no power of two."""
    exponent = round(math.log2(n))
    return f"2^{exponent}" if 2**exponent == n else f"{n:.0f}"


def output_of(*command):
    """What a program prints. If the program fails, this one ends with the same exit status."""
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def start(main):
    """Runs main(arguments). An expected failure prints one line, not a traceback, and leaves no
    temporary folder."""
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # as in a pipe to head
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda got, _: sys.exit(128 + got))
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)  # it has said why
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    except (
        LookupError,
        ArithmeticError,
        TypeError,
        ValueError,
        RuntimeError,
        StopIteration,
    ) as error:  # checked nowhere else
        fail(
            f"{type(error).__name__} {error}: is a row missing in the data, or a field in a list"
            " beside it?"
        )
