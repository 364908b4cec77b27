"""Writes the alt text of a picture, and a sentence that explains how to read the picture. The words
come from pictures.ini, the numbers from the data of the picture."""

import re

from data import (
    PLOTS,
    Data,
    Ladder,
    choose_largest,
    fail,
    format_size,
    median,
    read_ini,
    summarise,
    wrap_prose,
)

PICTURES = read_ini(PLOTS / "pictures.ini")
RESIDENT = {"NVIDIA H200": 2048}  # work-items that a compute unit holds; OpenCL does not report it
format_device = lambda device: re.sub(
    r".*\[(.+)] / (.+)", r"\2 (\1)", device
)  # Markdown ends an alt text at a bracket


def name_processor(device):
    """Returns the name of a processor without the words in which pocl names its driver, such as
    pthread-skylake-avx512-AMD EPYC."""
    name = device.rpartition(" / ")[2]
    return re.sub(r"^(?:pthread|cpu|basic)-(?:[a-z0-9]+-)+(?=[A-Z])", "", name)


def name_twins(devices):
    """Returns a sentence about the folders that measured one CPU with several runtimes, if any."""
    folders = {}
    for row in devices:
        folder = row.file.path.parent.name
        folders.setdefault(name_processor(row["device"]), []).append(folder)
    twins = [names for names in folders.values() if len(names) == 2]
    return " ".join(f"{' and '.join(names)} are one CPU with two runtimes." for names in twins)


class Flight:
    """The bytes that each geometry of a tuner's file has in flight if each resident work-item waits
    for one load, and the rate in GB/s, which is bytes for each nanosecond. So bytes / rate is the
    time of a load in ns, unless the memory is the limit: where the rate is below a tenth of the
    read limit."""

    def __init__(self, rows):
        first = rows[0]
        self.resident = RESIDENT[first["device"].rpartition(" / ")[2]]
        self.points = [
            (
                row["width"],
                int(first["compute units"])
                * min(row.groups_per_unit * row.group, self.resident)
                * row.width
                * 4,
                row.GBps,
            )
            for row in rows
            if row["variant"] == first["variant"]
        ]
        self.limit = median(100 * row.GBps / row.percent_of_limit for row in rows)
        self.latency, self.least, self.most = summarise(
            size / rate for _, size, rate in self.points if rate < self.limit / 10
        )
        self.needed = 1e-6 * self.limit * self.latency  # MB
        self.units = first["compute units"]


class Facts:
    """The names that pictures.ini may use: those of COMPUTED, and the attributes of this class.
    `all` is all rows of a device, `rows` its rows at the largest n, from the best to the worst."""

    def __init__(self, rows, order, column):
        self.all, self.first = rows, rows[0]
        self.rows = sorted(
            choose_largest(rows),
            key=lambda row: getattr(row, column),
            reverse=order == "max",
        )
        self.best, self.worst = self.rows[0], self.rows[-1]
        self.n = format_size(self.best.n)
        self.at = {f"{row.get('variant')} {row.get('kind', '')}".strip(): row for row in self.rows}

    def __getitem__(self, name):
        return getattr(self, name, None) or COMPUTED[name](self)


COMPUTED = {
    "where": lambda of: f"on {format_device(of.best['device'])}",
    "place": lambda of: f"{of.best['operator']} of {of.best['type']} {of['where']}",
    "limit": lambda of: median(row.limit_GBps for row in of.rows),
    "nearest": lambda of: max(of.rows, key=lambda row: row.percent_of_limit),
    "number": lambda of: len(of.devices),
    "twins": lambda of: name_twins(of.devices),
    "count": lambda of: len(of.rows),
    "no_bound": lambda of: sum(row["bound"] == "nan" for row in of.rows),
    "kinds": lambda of: ", ".join(
        dict.fromkeys(f"{row['variant']} of width {row['width']}" for row in of.all)
    ),
    "over": lambda of: "group size and groups" if " " in of.best["group sizes"] else "groups",
    "programs": lambda of: ", ".join(dict.fromkeys(row["program"] for row in of.all)),
    "slower": lambda of: of.worst.wall_med / of.best.wall_med,
    "points": lambda of: len(of.all),
    "above": lambda of: sum(row.ratio > 1 for row in of.all),
    "width": lambda of: f" of width {of.best['width']}" if of.best["width"] != "1" else "",
    "times": (
        lambda of: next(row for row in of.all if row["variant"] == "global").wall_med
        / of.best.wall_med
    ),
    "gain": (
        lambda of: min(of.at[version].wall_med for version in ("v0", "v1", "v2"))
        / of.at["ours"].wall_med
    ),
    "most": lambda of: max(
        (row for row in of.all if row["program"] == "step13" and row["weak_percent"] != "nan"),
        key=lambda row: (row.ranks, row.n),
    ),
    "each": lambda of: format_size(of["most"].n / of["most"].ranks),
    "flight": lambda of: Flight(of.all),
    "ladder": lambda of: Ladder(of.best.file.path.parent),
    "least_rounds": lambda of: max(
        int(row["round"]) for row in of.all if row["n"] == of.first["n"]
    ),
}


def describe_picture(picture):
    """Returns the alt text and the sentence of a picture."""
    if (
        picture.parent.name == "pictures"
    ):  # plots/book/picture.py writes the words into a picture of an access order
        found = re.search(
            "<title>(.*)</title><desc>(.*)</desc>",
            picture.read_text(encoding="utf-8") if picture.is_file() else "",
        )
        return (found[2], found[1]) if found else fail(f"{picture}: no such picture")
    kind = next((kind for kind in PICTURES if re.fullmatch(kind, picture.stem)), None)
    section = PICTURES[
        kind or fail(f"{picture}: pictures.ini has no section whose name matches this picture")
    ]
    data = section["data"].format(*re.fullmatch(kind, picture.stem).groups())
    files = [Data(one) for one in sorted(picture.parent.glob(data))]
    files = [file for file in files if file.rows] or fail(
        f"{picture.parent / data}: no data for {picture.name}"
    )
    devices = {}
    for row in (row for file in files for row in file.rows):
        if (
            row.get("kind") != "ours"
            and row.get("verdict") != "wrong"
            and (row.file.is_main or "main" not in section)
        ):
            devices.setdefault(row.file.path.parent, []).append(row)
    try:
        found = [Facts(rows, *section["best"].split()) for rows in devices.values()]
        found[0].devices = [facts.first for facts in found]
        return [
            " ".join(section[what].split()).format_map(found[0]) for what in ("alt", "sentence")
        ]
    except (ArithmeticError, LookupError, StopIteration, ValueError) as error:
        return fail(
            f"{picture.parent / data}: no data, or a wrong value, for the words at {picture.name}:"
            f" {str(error) or 'a row'}"
        )


def renew_words(path, text):
    """Returns a text with new words at its pictures. A paragraph that begins with a picture
    contains only the picture and its sentence, so the whole paragraph is replaced."""

    def write_paragraph(found):
        alt, sentence = describe_picture((path.parent / found[1]).resolve())
        return "\n".join([f"![{alt}]({found[1]})", *wrap_prose(sentence), ""])

    return re.sub(
        r"^!\[[^]]*\]\(([^)]*\.svg)\)\n(?:.+\n)*", write_paragraph, text, flags=re.MULTILINE
    )
