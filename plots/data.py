"""Reads, writes and summarises measured data.

A data file has a header of lines `# key: value`, a line with the names of its columns, and then
rows of words. A missing number is nan. A text with spaces is in quotes. If a file lacks a key or a
column that columns.ini requires, the program ends with one line that names the key or the column.

Older files have a line `# rows: N` in their header. Newer files end with a line `# end`. If a newer
file has no such line, its measurement was interrupted."""

import argparse
import configparser
import functools
import math
import os
import re
import signal
import statistics
import subprocess
import sys
import textwrap
from pathlib import Path

PLOTS = Path(__file__).resolve().parent
ROOT = PLOTS.parent
WORDS = set(
    "step name variant kind program backend verdict by device compiler kernel implementation ours"
    " verified".split()
)  # columns that hold text; all other columns hold numbers
OTHER_VERSION = "was it measured by another version?"
median = lambda values: summarise(values)[0]
format_value = lambda value, form=".4g", missing="nan": (
    missing if math.isnan(value) else format(value, form)
)
# Returns the folders of those devices that have a file whose name matches.
find_folders = lambda results, name: [
    path for path in sorted(results.iterdir()) if path.is_dir() and any(path.glob(name))
]


def fail(message):
    """Prints a line on standard error and ends the program with exit status 2, which means wrong
    usage or a wrong set-up."""
    # A user's text must not look like our line. Python reads other bytes than UTF-8 as \udc80 …
    message = re.sub(r"[\x00-\x1f\x7f-\x9f\udc80-\udcff]", "?", message)
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr)
    sys.exit(2)


def read_text(path):
    """Returns the text of a file. A byte that is not UTF-8 is replaced by a character that matches
    no word."""
    Row.last_used = (path,)
    return path.read_text(encoding="utf-8", errors="replace")


def read_lines(path):
    """Returns the lines of a text that a person wrote, such as differences.ini."""
    whole = read_text(path)
    if not whole.endswith("\n"):
        fail(f"{path}: no end of line: was it cut short?")
    return whole.splitlines()


@functools.cache
def warn(message):
    """Prints a line on standard error, once."""
    print(f"{Path(sys.argv[0]).name}: {message}", file=sys.stderr, flush=True)


def read_ini(path):
    """Returns the sections of an .ini file: the name of each, and a dictionary of its values. Each
    section has the values of [DEFAULT] too. Names keep their capitals, and only = ends a name."""
    parser = configparser.ConfigParser(interpolation=None, delimiters="=")
    parser.optionxform = str
    try:
        parser.read_string("\n".join(read_lines(path)), path.name)
    except configparser.Error as error:
        reason = " ".join(error.message.split())
        fail(f"{path}: a line is neither [section] nor name = value, or occurs twice: {reason}")
    return {name: dict(parser[name]) for name in parser.sections()}


class CommandLine(argparse.ArgumentParser):
    """Reads the command line of a program. --help prints the program's docstring. A mistake ends
    the program with one line."""

    def __init__(self, docstring):
        super().__init__(description=docstring, allow_abbrev=False)

    def format_help(self):
        return f"{self.description.strip()}\n"

    def error(self, message):
        fail(f"{message}; {' '.join(self.format_usage().split())}")


class Row(dict):
    """A row of a data file: row["GBps"] is the word in that column, such as "31.60", and row.GBps
    is the number 31.6. A name that is not a column is looked up in the header of the file.
    last_used: the file, or the line and the column, that the program used last."""

    last_used = ()

    def __init__(self, file, line, words):
        super().__init__(zip(file.columns, words))
        self.file, self.where = file, f"{file.path}, line {line}"
        if len(words) != len(file.columns):
            fail(f"{self.where}: {len(words)} words, not {len(file.columns)}: was it cut short?")
        for column in set(self) - WORDS:
            getattr(self, column)  # fails if the word is not a number

    def __missing__(self, column):
        return self.file.header.get(column) or fail(
            f"{self.where}: no column {column}: {OTHER_VERSION}"
        )

    def __getattr__(self, column):
        Row.last_used = self.where, f"column {column}"
        try:
            value = float(self[column])
        except ValueError:
            value = math.inf
        if math.isinf(value) or column == "n" and not value >= 1:
            least = " of at least 1" if column == "n" else ""
            fail(f"{self.where}: {column} is {self[column]}, which is not a number{least}")
        return value


NEEDED = read_ini(PLOTS / "columns.ini")


class Data:
    """A data file: file.rows are its rows, file["device"] is the value of the line `# device:
    …`."""

    def __init__(self, path):
        self.path, self.header, self.columns, self.rows = Path(path), {}, [], []
        self.step = self.path.name[:2]
        needed = next(
            (NEEDED[files] for files in NEEDED if self.path.match(files)),
            {"columns": "", "head": ""},
        )
        content, wanted = read_text(self.path), needed["columns"].split()
        lines = content.splitlines()
        for number, line in enumerate(lines, 1):
            if line.startswith("#"):
                key, _, self.header[key] = line[2:].partition(": ")
            elif line and not self.columns:
                self.columns = line.split()
                for column in [column for column in wanted if column not in self.columns]:
                    fail(f"{path}, line {number}: no column {column}: {OTHER_VERSION}")
                if [
                    column for column in self.columns if column in wanted
                ] != wanted:  # the .gp scripts of the articles use column numbers
                    fail(
                        f"{path}, line {number}: columns in another order than in columns.ini:"
                        f" {OTHER_VERSION}"
                    )
            elif line:
                self.rows.append(Row(self, number, re.findall(r'"[^"]*"|\S+', line)))
        is_whole = content.endswith("\n# end\n")  # and all rows may have been left out
        if not (self.rows or is_whole) or not content.endswith("\n"):
            mistake = "no end of line" if self.rows else "no row in the file"
            where = f"{path}, line {len(lines)}" if lines else path
            fail(f"{where}: {mistake}: was it cut short?")
        _ = [self[key] for key in needed["head"].split(", ") if key]  # fails if a key is missing
        if self.header.get("rows", str(len(self.rows))) != str(len(self.rows)):
            fail(
                f"{path}, line {len(lines)}: {len(self.rows)} rows, not {self['rows']}: was it cut"
                " short?"
            )
        if "rows" not in self.header and not is_whole:
            warn(
                f"{path} has no line '# end': the measurement was interrupted after"
                f" {len(self.rows)} row{'s' if len(self.rows) > 1 else ''}, which are used"
            )
        self.is_main = self.header.get("main") == "yes"

    def __getitem__(self, key):
        return (
            self.header[key]
            if key in self.header
            else fail(f"{self.path}: no line '# {key}: …' in the header: {OTHER_VERSION}")
        )


def read_files(folder, what="sum.int", main=True):
    """Reads the data files of all steps in a folder for one operator and type, in the order of the
    steps. Returns the files of the main variants, or of all variants if main is False."""
    found = [Data(path) for path in sorted(Path(folder).glob(f"[0-9][0-9]_*.{what}.dat"))]
    found = [file for file in found if file.rows and (file.is_main or not main)]
    for file in found if main else []:
        if file["compared with"] not in [other.step for other in found]:
            fail(
                f"{file.path}: is compared with step {file['compared with']}, but this folder has"
                " no data of that step"
            )
    return found


def choose_largest(rows):
    """Returns the rows at the largest n."""
    largest = max(row.n for row in rows)
    return [row for row in rows if row.n == largest]


def compute_shares(rows, column="percent_of_limit"):
    """Returns the median of a column, such as the percent of the read limit, over the rounds of a
    bench. The keys are n and a name such as "11 counter"."""
    found = {}
    for row in rows:
        found.setdefault((row.n, f"{row['step'][:2]} {row['variant']}"), []).append(
            getattr(row, column)
        )
    return {key: median(values) for key, values in found.items()}


def read_bench(folder):
    """Returns the bench.dat of a folder without the rows that were measured while the memory was
    slow.

    On some machines memory is much faster in some minutes than in others. Medians over such rounds
    belong to no state of the machine: one step would be slower than another, and nearer to the read
    limit. So a row counts only if its read limit is at least 0.7 of the highest one. If this leaves
    no row of a variant, all rows of this variant count."""
    file, variants, highest = Data(Path(folder) / "bench.dat"), {}, {}
    for row in file.rows:
        what = (row["operator"], row["type"], row.n)
        highest[what] = max(highest.get(what, 0), row.limit_GBps)
        variants.setdefault((*what, row["step"], row["variant"]), []).append(row)
    all_rows, file.rows = file.rows, [
        row
        for what, rows in variants.items()
        for row in [row for row in rows if row.limit_GBps >= 0.7 * highest[what[:3]]] or rows
    ]
    file.has_slow_rows = len(file.rows) < len(all_rows)
    return file


def choose_comparison(folder, mains, *columns):
    """Chooses the n at which the steps are compared. Returns n, whether bench.dat is used, and for
    each column its medians at n by name.

    bench.dat is used if it has all steps, the sum of int, and an n so large that the time for
    reading dominates. Otherwise n is the largest n of the files of the steps."""
    all_rows = read_bench(folder).rows if (Path(folder) / "bench.dat").is_file() else []
    bench = [
        row for row in all_rows if row["operator"] + row["type"] == "sumint" and row.n >= 2**24
    ]
    steps, benched = {file.step for file in mains}, {row["step"][:2] for row in bench}
    for step in benched - {"00", *steps}:
        fail(
            f"{folder}/bench.dat: has step {step}, but there is no file of its main variant"
            " beside it"
        )
    whole = bench if steps <= benched else []  # bench.dat is not used if a step is missing in it
    n = max(row.n for row in whole or (row for file in mains for row in file.rows))
    rows = [
        row
        for row in whole or (row for file in read_files(folder, main=False) for row in file.rows)
        if row.n == n
    ]
    return (
        n,
        bool(whole),
        *(
            {name: value for (_, name), value in compute_shares(rows, column).items()}
            for column in columns
        ),
    )


class Ladder:
    """The rates of the main variants in bench.dat. `climbs` has for each step its name, the step
    that it is compared with, and the GB/s of that step (or of itself, if there is none) and of the
    step. If bench.dat lacks a step, `is_in_turn` is False, and there is nothing else."""

    def __init__(self, folder):
        mains = read_files(folder)
        self.n, self.is_in_turn, *_ = choose_comparison(folder, mains)
        if not self.is_in_turn:
            return
        rows, rates, walls = read_bench(folder).rows, {}, []
        for file in mains:
            name = (self.n, file.step, file["variant"])
            own = [row for row in rows if (row.n, row["step"][:2], row["variant"]) == name]
            rates[file.step] = median(row.GBps for row in own)
            walls.append(1e3 * median(row.wall_med for row in own))
        self.percent = median(row.percent_of_limit for row in own)  # the last step's
        self.limit = median(row.limit_GBps for row in own)
        self.climbs = [
            (file["step"], file["compared with"], rates[file["compared with"]], rates[file.step])
            for file in mains
        ]
        self.largest = max(self.climbs, key=lambda climb: climb[3] / climb[2])
        self.factor = self.largest[3] / self.largest[2]
        self.start, self.end = mains[0].step, mains[-1]["step"]
        self.before, self.after = walls[0], walls[-1]  # ms


def make_header(file, keys="", **others):
    """Returns the header of a file that is computed from a data file: the lines with further keys
    of that file, the lines that describe the machine, then the keys and values in `others`."""
    keys = filter(
        None,
        f"{keys},date,device,driver,opencl,compute units,last-level cache,seed,evicted bytes".split(
            ","
        ),
    )
    return "\n".join(
        f"# {key}: {value}" for key, value in ({key: file[key] for key in keys} | others).items()
    )


def replace_file(path, lines):
    """Replaces a file in one operation, so a reader never sees a part of the new file."""
    part = Path(f"{path}.{os.getpid()}.part")
    part.parent.mkdir(parents=True, exist_ok=True)
    part.write_text(lines if isinstance(lines, str) else "\n".join([*lines, ""]), encoding="utf-8")
    part.replace(path)


def wrap_prose(words, first="", rest=""):
    """Returns the lines of a paragraph of Markdown: at most 100 columns, with the indentation
    `first` or `rest`. A code span stays in one line. No line begins with a word that would begin a
    list, a heading or a quotation there."""
    glued = re.sub(r"`[^`]*`", lambda code: code[0].replace(" ", "\0"), " ".join(words.split()))
    glued = re.sub(r" (?=([-+*=]+|#+|\d+[.)])( |$)|>)", "\0", glued)
    lines = textwrap.wrap(
        glued,
        100,
        initial_indent=first,
        subsequent_indent=rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace("\0", " ") for line in lines]


def summarise(values):
    """Returns the median, the lowest and the highest value. Ignores missing values. If all values
    are missing, all three are nan."""
    values = sorted(value for value in values if not math.isnan(value)) or [math.nan]
    return statistics.median(values), values[0], values[-1]


def parse_number(word):
    """Returns 1024 for "2^10", "1Ki" or "1024", and None if the text is not a number of at least
    1."""
    found = re.fullmatch(r"2\^([0-9]|[1-5][0-9])|([1-9][0-9]{0,17})([KMG]i)?", word)
    return found and (
        2 ** int(found[1])
        if found[1]
        else int(found[2]) << {None: 0, "Ki": 10, "Mi": 20, "Gi": 30}[found[3]]
    )


def format_size(n):
    """Returns "2^26" for 67108864, and the digits of a number that is not a power of two."""
    exponent = round(math.log2(n))
    return f"2^{exponent}" if 2**exponent == n else f"{n:.0f}"


def get_output(*command):
    """Returns the output of a program. If that program fails, this program ends with its status."""
    return subprocess.run(
        [str(word) for word in command], stdout=subprocess.PIPE, text=True, check=True
    ).stdout


def start(main):
    """Calls main(arguments). If an expected failure happens, prints one line instead of a
    traceback. After SIGINT or SIGTERM no temporary folder remains."""
    signal.signal(
        signal.SIGPIPE, signal.SIG_DFL
    )  # so that a pipe to head ends this program silently
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda signal_number, _: sys.exit(128 + signal_number))
    try:
        sys.exit(main(sys.argv[1:]))
    except subprocess.CalledProcessError as error:
        sys.exit(error.returncode)  # the other program has printed the reason
    except OSError as error:
        fail(f"{error.filename}: {error.strerror}")
    except (
        LookupError,
        ArithmeticError,
        TypeError,
        ValueError,
        RuntimeError,
        StopIteration,
    ) as error:  # mistakes in the data that no other code checks
        where = ", ".join(map(str, Row.last_used)) or "before any data was read"
        fail(f"{where}: {type(error).__name__}: {error}: is a value wrong there, or a row missing?")
