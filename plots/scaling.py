"""Measures step 13 and, where PyTorch is installed, PyTorch with NCCL in turn over the number of
ranks. Writes RESULTS/scaling/own.dat, where each rank has a GPU of its own (on a CPU a core), and
RESULTS/scaling/shared.dat, where all ranks share one device. Models the time of step 13 for more
ranks than the machine has devices."""

import importlib.util
import math
import os
import re
import shutil

from calls import Call, Progress, get_number, get_setting, print_once
from data import (
    NEEDED,
    OTHER_VERSION,
    PLOTS,
    ROOT,
    Data,
    fail,
    format_value,
    get_output,
    make_header,
    parse_number,
    replace_file,
    summarise,
)
from peers import choose_sizes

STEP, PEER = ROOT / "step13", PLOTS / "peers/nccl.py"
SMALLEST = 2**10  # elements; reading them takes no time, so the rest of the reduction does


def choose_ranks(facts, place):
    """Returns the numbers of ranks that RANKS names, by default 1, 2 and 4, but at most one rank
    for each core. If each rank needs its own GPU or core, larger numbers are skipped."""
    cores = len(os.sched_getaffinity(0))
    default = " ".join(str(ranks) for ranks in (1, 2, 4) if ranks <= cores)
    numbers = [parse_number(word) for word in get_setting("RANKS", default).split()]
    if None in numbers or numbers[:1] != [1] or sorted(set(numbers)) != numbers:
        fail(f"RANKS={get_setting('RANKS')}: must begin with 1 and increase, such as 1 2 4")
    devices = re.findall(r"^\d+ +GPU ", get_output(ROOT / "step01", "--list"), re.MULTILINE)
    most, what = (len(devices), "GPUs") if facts["kind"] == "GPU" else (cores, "cores")
    for ranks in numbers if place == "own" else []:
        if ranks > most:
            print_once(f"{ranks} ranks are skipped: they need as many {what}, but here are {most}")
    return [ranks for ranks in numbers if ranks <= most or place == "shared"]


def call_step(facts, place, ranks, options):
    """Returns a call of step 13 with this number of ranks."""
    is_gpu, is_own = facts["kind"] == "GPU", place == "own"
    device = "gpu" if is_gpu and is_own else facts["number"]  # gpu: each rank takes another one
    launcher = ["mpirun", "-n", ranks, "--bind-to", "core" if is_own and not is_gpu else "none"]
    # mpirun may cut this list of OpenCL's drivers to its first entry before it starts the ranks.
    drivers = os.environ.get("OCL_ICD_FILENAMES")
    launcher += ["env", f"OCL_ICD_FILENAMES={drivers}"] if drivers else []
    options = [*options, "--type", "float"]
    return Call({"number": device}, STEP, *options, launcher=launcher, allowed_statuses=[0])


def call_peer(ranks, options, evicted_bytes):
    """Returns a call of PyTorch with this number of ranks."""
    options = [*options, "--ranks", ranks, "--evict", evicted_bytes]
    call = Call({"number": ""}, PEER, *options, allowed_statuses=range(-64, 256))
    if call.status:
        print_once(f"nccl: {call.output or f'ended with status {call.status}'}")
    return call


def measure_place(facts, place):
    """Measures all numbers of ranks round after round. Writes the file again after each round, so
    an interrupted measurement keeps its rounds. Only the last time the file ends with `# end`.
    rows: program, n and ranks -> round -> row."""
    numbers, rounds, rows = choose_ranks(facts, place), get_number("ROUNDS", 3), {}
    is_small = facts["kind"] == "CPU" and int(facts["compute_units"]) < 8
    fixed = choose_sizes(facts, "2^22..2^26" if is_small else "2^26..2^32")
    growing = [n for n in fixed if n * numbers[-1] <= fixed[-1]] if place == "own" else []
    has_peer = place == "own" and get_setting("PEERS") != "0"
    if has_peer and not importlib.util.find_spec("torch"):
        has_peer = False
        print_once("peer nccl is skipped: it needs the Python package torch")
    Progress.begin(rounds * len(numbers) * (1 + has_peer))
    for turn in range(1, rounds + 1):
        for ranks in numbers:
            sizes = sorted({SMALLEST, *fixed, *(n * ranks for n in growing)})
            options = ["--n", ",".join(map(str, sizes))]
            options += ["--seconds", get_setting("ROW_SECONDS", 0.3)]
            found = call_step(facts, place, ranks, options).rows
            file = found[0].file
            found += call_peer(ranks, options, file["evicted bytes"]).rows if has_peer else []
            for row in found:
                program = "step13" if row.file is file else row["step"]
                rows.setdefault((program, int(row.n), ranks), {})[turn] = row
        head = make_header(file, "operator,type", rounds=turn, place=place)
        replace_file(
            facts["folder"] / f"scaling/{place}.dat",
            [head, *format_rows(rows), *["# end"] * (turn == rounds)],
        )


def format_rows(rows):
    """Yields the lines of a data file: median, lowest and highest value over the rounds. speedup
    and weak are ratios to step 13 with one rank in the same round."""
    yield "# seconds; speedup: over one rank for n; weak: percent of one rank for n / ranks"
    yield NEEDED["scaling/*.dat"]["columns"]
    for (program, n, ranks), found in sorted(rows.items()):
        same, part = (rows.get(("step13", count, 1), {}) for count in (n, n // ranks))
        ratios = [
            [base[turn].wall_med / row.wall_med for turn, row in found.items() if turn in base]
            for base in (same, part)
        ]
        numbers = [
            *summarise(row.wall_med for row in found.values()),
            *summarise(float(row.get("collective_med", "nan")) for row in found.values()),
            *summarise(ratios[0]),
            *summarise(100 * ratio for ratio in ratios[1]),
        ]
        verdict = "wrong" if "wrong" in [row["verdict"] for row in found.values()] else "right"
        yield " ".join([program, f"{n} {ranks} {4 * n}", *map(format_value, numbers), verdict])


def measure_scaling(facts):
    """Measures the ranks first on GPUs or cores of their own, then on one device for all."""
    _ = shutil.which("mpirun") or fail("mpirun is missing; make deps MPI=1 installs it")
    # Open MPI refuses more ranks than cores without the first variable, and from release 5 on
    # without the second one. MPICH needs neither.
    os.environ["OMPI_MCA_rmaps_base_oversubscribe"] = "1"
    os.environ["PRTE_MCA_rmaps_default_mapping_policy"] = ":oversubscribe"
    places = get_setting("PLACES", "own shared").split()
    _ = {*places} <= {"own", "shared"} or fail(f"PLACES={' '.join(places)}: knows own and shared")
    for place in places:
        measure_place(facts, place)


class Model:
    """A model of the wall time of step 13: launch + bytes / ranks / limit + log2(ranks) * latency.
    The launch is the time of one rank for the smallest n, the limit follows from its time for the
    largest n, and the latency from MPI's own time for the smallest n and the most ranks. If the
    largest n does not take longer than the smallest one, the limit is nan."""

    def __init__(self, path):
        self.rows = Data(path).rows
        ours = [row for row in self.rows if row["program"] == "step13"]
        alone = sorted((row for row in ours if row.ranks == 1), key=lambda row: row.n)
        _ = alone or fail(f"{path}: no row of step13 with one rank: {OTHER_VERSION}")
        most = max(ours, key=lambda row: (row.ranks, -row.n))
        self.ranks = most.ranks
        self.launch_seconds = alone[0].wall_med
        seconds = alone[-1].wall_med - self.launch_seconds
        self.limit_GBps = 1e-9 * alone[-1].bytes / seconds if seconds > 0 else math.nan
        self.latency_seconds = most.collective_med / max(1, math.log2(most.ranks))

    def predict(self, n, ranks):
        """Returns the seconds for n floats."""
        reading = 1e-9 * 4 * n / ranks / self.limit_GBps
        return self.launch_seconds + reading + math.log2(ranks) * self.latency_seconds

    def find(self, n, ranks, program="step13"):
        """Returns a measured row, or None."""
        names = program, n, ranks
        return next((row for row in self.rows if (row["program"], row.n, row.ranks) == names), None)
