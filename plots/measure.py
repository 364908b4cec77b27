#!/usr/bin/env python3
"""Measures, writes data files into a results folder, and draws the pictures of this folder.

    plots/measure.py steps|bench|accuracy|peri|jin|catz|eigen|tune|peers|scaling
                   The make targets plots, bench, article-peri … call this program.

Settings come from the environment:

    DEVICE         the number of a device or a part of its name; default: every CPU in turn
    RESULTS        the results folder; default: results/<platform>-<device>-<host>, with -2 for the
                   second device of one name
    N              the number of elements; default: steps and accuracy 2^10..2^26, bench 2^27,
                   tune 2^26, an article its own n, peers 2^10..2^28, scaling 2^26..2^32; fewer on
                   a small machine
    ROW_SECONDS    for how long each row repeats its reduction; default: bench and scaling
                   0.3, others 0.1
    ROUNDS         default: 3; for bench 5 if n is at least 2^20
    OP, TYPE       of steps and bench; default: the sum of int, which the pictures show
    STEP           of tune: the number of the step
    OURS           of bench and peers: variants of our steps, such as "10:block 11:word"
    PEERS          of peers: names of peers; if make does not call this program, paths too;
                   of scaling: 0 leaves PyTorch with NCCL out
    STRIDE         of peers and scaling; default: 2, which is every second power of two
    RANKS          of scaling; default: "1 2 4", but at most one rank for each core
    PLACES         of scaling; default: "own shared", a device for each rank, and one for all ranks
    LIMIT_SECONDS  of peers; default: 10. Rows that would take longer are skipped."""

import shutil
import sys

import peers
import scaling
from calls import (
    STEPS,
    Call,
    Progress,
    find_devices,
    get_number,
    get_setting,
    list_our_variants,
    list_variants,
    print_once,
)
from data import (
    NEEDED,
    PLOTS,
    ROOT,
    CommandLine,
    fail,
    format_value,
    get_output,
    make_header,
    median,
    read_ini,
    replace_file,
    start,
    summarise,
    warn,
)

BENCH, TUNE = (NEEDED[name]["columns"] for name in ("bench.dat", "tune/*.dat"))
# The settings that an experiment uses, besides DEVICE and RESULTS
SETTINGS = {
    "steps": "N OP TYPE ROW_SECONDS",
    "bench": "N OP TYPE ROW_SECONDS ROUNDS OURS",
    "accuracy": "N",
    "peri": "N",
    "jin": "N",
    "catz": "N",
    "eigen": "N",
    "tune": "STEP N ROW_SECONDS ROUNDS",
    "peers": "N ROW_SECONDS ROUNDS OURS PEERS STRIDE LIMIT_SECONDS",
    "scaling": "N ROW_SECONDS ROUNDS RANKS PLACES PEERS STRIDE",
}
EXPERIMENTS = read_ini(PLOTS / "experiments.ini")


def measure_steps(facts):
    """Measures every step's main variant over a range of sizes."""
    Progress.begin(len(STEPS))
    for program in STEPS:
        Call(
            facts,
            program,
            "--sweep",
            get_setting("N", "2^10..2^26"),
            "--op",
            get_setting("OP", "sum"),
            "--type",
            get_setting("TYPE", "int"),
            "--seconds",
            get_setting("ROW_SECONDS", 0.1),
            data_folder=facts["folder"],
        )


def measure_bench(facts):
    """Measures all variants of all steps at one n, round after round. On a CPU the peer openmp
    takes part. Writes the file again after each program, so an interrupted measurement keeps its
    rows. Only the last time the file ends with `# end`."""
    n, lines, columns, file = get_number("N", "2^27"), [], BENCH.split()[4:], None
    is_short = n < 2**20  # a reduction takes microseconds
    rounds = get_number("ROUNDS", 3 if is_short else 5)
    options = [
        "--n",
        n,
        "--op",
        get_setting("OP", "sum"),
        "--type",
        get_setting("TYPE", "int"),
        "--limit-seconds",
        600,
        "--seconds",
        get_setting("ROW_SECONDS", 0.03 if is_short else 0.3),
    ]
    programs = list_our_variants() or [(program, "all") for program in STEPS]
    if facts["kind"] == "CPU":  # openmp reads the elements in the host's memory
        programs.append((ROOT / "build/peer_openmp", "all"))
    Progress.begin(rounds * len(programs))
    for turn in range(1, rounds + 1):
        for number, (program, variant) in enumerate(programs, 1):
            rows = Call(facts, program, "--variant", variant, *options).rows
            lines += [
                " ".join([row["step"], row["variant"], str(turn), *(row[name] for name in columns)])
                for row in rows
            ]
            file = rows[0].file if rows else file
            if lines:
                head = make_header(file, "operator,type,repetitions", rounds=turn, n=n)
                is_complete = turn == rounds and number == len(programs)
                replace_file(
                    facts["folder"] / "bench.dat",
                    [head, "# seconds; GB = 1e9 B; percent 0-100", BENCH, *lines]
                    + ["# end"] * is_complete,
                )
    if not lines:
        fail(
            "nothing to measure: no chosen variant supports this operator and type on this device;"
            " choose other values of OURS, OP or TYPE"
        )
    print(get_output(PLOTS / "table.py", "--bench", facts["folder"]), end="")


def read_experiment(name):
    """Returns the options of an experiment in experiments.ini, and its calls: step, variant,
    further options."""
    experiment = EXPERIMENTS[name]
    options = experiment["options"].split()
    calls = [line.split() for line in experiment["calls"].strip().splitlines()]
    if len(options) < 2 or min(map(len, calls), default=0) < 2:
        fail(f"{PLOTS}/experiments.ini: {name}: must have options, and steps with a variant")
    return options, calls


def measure_accuracy(facts):
    """Measures the rounding error of a sum of floats over n for several orders of additions. The
    program of each step, build/accuracyNN, is compiled from plots/accuracy/accuracy.c."""
    options, chosen = read_experiment("accuracy")
    options[1] = get_setting("N", options[1])
    for step, variant in chosen:
        program, data_folder = ROOT / f"build/accuracy{step}", facts["folder"] / "accuracy"
        for row in Call(
            facts, program, "--variant", variant, *options, data_folder=data_folder
        ).rows:
            print(
                f"{step} {variant:15} {row.n:9.0f}  error {row.error:8.2g}  bound"
                f" {format_value(row.bound, '8.2g', 'none')}"
            )


def measure_article(facts, name):
    """Measures the experiment of an article, which experiments.ini lists, and prints its rows."""
    options, chosen = read_experiment(name)
    data_folder, published, units, cannot = (
        facts["folder"] / f"article-{name}",
        options[1],
        int(facts["compute_units"]),
        [],
    )
    options[1] = n = get_number("N", published)
    if not get_setting("N") and (
        4 * (n + 4096) > int(facts["buffer_bytes"]) or n > 2**26 and units < 8
    ):
        options[1] = n = 2**24
        print(
            f"n = 2^24 instead of {published}, because this machine is small; set N={published} to"
            " measure the published size"
        )

    def fill_in(word, group_size):
        key, _, count = word.partition(":")
        return {
            "largest": group_size,
            "wgs": 256 if facts["kind"] == "GPU" else 512,
            "units": int(count or 1) * units,
            "each": -(-n // (int(count or 1) * group_size)),
        }.get(key, word)

    Progress.begin(
        0 if any("largest" in words for words in chosen) else len(chosen)
    )  # a row with "largest" may need several calls
    for step, variant, *further in chosen:
        # The largest group of a kernel may be smaller than that of the device, because the kernel
        # uses local memory. So smaller groups are tried until one call succeeds.
        for group_size in (
            [int(facts["group_limit"]) >> i for i in range(5)] if "largest" in further else [256]
        ):
            call = Call(
                facts,
                ROOT / f"step{step}",
                "--variant",
                variant,
                *options,
                *(fill_in(word, group_size) for word in further),
                data_folder=data_folder,
            )
            if call.status == 0:
                break
        if call.status == 77:
            cannot += [f"[{step}_{variant}]", f"reason = {' '.join(call.output.split())}"]
        for row in call.rows:
            label = f"{step} {variant} x{row['width']}".removesuffix(" x1")
            print(
                f"{label:18} {row.n:9.0f} {1e3 * row.wall_med:9.3f} ms {row.GBps:7.2f} GB/s"
                f" {row.percent_of_limit:5.1f} %limit"
            )
    if cannot:  # draw.py fails if the data of any other kernel is missing
        replace_file(data_folder / "cannot.ini", cannot)


def measure_eigen(facts):
    """Measures step 12 over n, the number of rows of its matrix: first all versions with the stop
    test of the article, then our version until its two bounds differ by at most 1e-5 of the larger
    bound."""
    program, data_folder = ROOT / "step12", facts["folder"] / "article-eigen"
    sizes = get_setting("N", ",".join(str(2**k) for k in range(7, 14)))
    get_output(program, "--n", sizes, "--list")  # fails if the sizes are wrong
    print_once(
        Call(
            facts,
            program,
            "--n",
            sizes,
            "--version",
            "all",
            "--stop",
            "article",
            data_folder=data_folder,
            allowed_statuses=(0, 1),
        ).output,
        sys.stdout,
    )
    Call(
        facts,
        program,
        "--n",
        sizes,
        "--max-rounds",
        40,
        data_folder=data_folder / "bounds",
        allowed_statuses=(0, 1),
    )


def list_geometries(facts, program):
    """Yields the calls of the tuner. The first word is "step" for the step's own geometry,
    otherwise "tuner". The variant and its options follow."""
    accepts = (
        lambda variant, *options: Call(
            facts,
            program,
            "--variant",
            variant,
            "--n",
            1,
            "--reps",
            3,
            "--seconds",
            0,
            *options,
            allowed_statuses=(0, 2, 77),
        ).status
        == 0
    )  # 2: the variant does not use these options
    # On a CPU useful groups have one work-item to thousands. Powers of four keep the list short.
    smallest, factor = (1, 4) if facts["kind"] == "CPU" else (32, 2)
    sizes = [smallest * factor**i for i in range(9)]
    sizes = ["--group", ",".join(str(size) for size in sizes if size <= int(facts["group_limit"]))]
    names = [
        name for name, _, _ in list_variants(program) if name not in ("fmin", "min")
    ]  # for a sum they are the same kernel as vector
    with_group_sizes = [name for name in names if accepts(name, "--groups", 1, "--group", 64)]
    chosen = with_group_sizes or [name for name in names if accepts(name, "--groups", 1)]
    for name in chosen:
        widths = (
            ["--width", "1,2,4,8,16"] if name == chosen[0] and accepts(name, "--width", 1) else []
        )
        yield "step", name
        if widths:
            yield "step", name, *widths
        for per_unit in (1, 2, 4, 8, 16, 32):
            yield (
                "tuner",
                name,
                "--groups",
                per_unit * int(facts["compute_units"]),
                *widths,
                *(sizes if with_group_sizes else []),
            )


def tune_step(facts):
    """Measures the variants of a step over group sizes and numbers of groups, in turn with the
    step's own geometry, and the main variant over widths too. A row of the data file has medians
    over the rounds. Its shares of the best are computed within each round, because a slow moment of
    the machine slows both numbers."""
    program = ROOT / f"step{get_setting('STEP').zfill(2)}"
    if program not in STEPS:
        fail(f"STEP={get_setting('STEP')}: must be the number of a step, such as 07")
    n, rounds, rows_of = get_number("N", "2^26"), get_number("ROUNDS", 3), {}
    options = ["--n", n, "--reps", 3, "--seconds", get_setting("ROW_SECONDS", 0.1)]
    get_output(program, *options, "--list")  # fails if an option is wrong
    calls = list(list_geometries(facts, program)) or fail(
        f"STEP={get_setting('STEP')}: no variant of this step uses --groups on this device"
    )
    Progress.begin(rounds * len(calls))
    for turn in range(rounds):
        for by, variant, *geometry in calls:
            for row in Call(facts, program, "--variant", variant, *geometry, *options).rows:
                key = variant, row["width"], by, row["group"], row["groups"]
                rows_of.setdefault(key, {})[turn] = row
    if not rows_of:
        fail(f"device {facts['number']}: no call of this step printed a row")
    speed = {
        key: float(format_value(median(row.GBps for row in rows.values())))
        for key, rows in rows_of.items()
    }
    best = max(speed, key=speed.get)
    lines = []
    for key, rows in rows_of.items():
        _, low, high = summarise(row.GBps for row in rows.values())
        _, least, most = summarise(
            100 * row.GBps / rows_of[best][turn].GBps
            for turn, row in rows.items()
            if turn in rows_of[best]
        )
        limit, per_unit = median(row.percent_of_limit for row in rows.values()), int(key[-1]) / int(
            facts["compute_units"]
        )
        lines.append(
            " ".join(
                [
                    *key,
                    f"{per_unit:g}",
                    str(len(rows)),
                    *map(
                        format_value,
                        (speed[key], low, high, limit, 100 * speed[key] / speed[best], least, most),
                    ),
                ]
            )
        )
    sizes = " ".join(
        map(str, sorted({int(group) for _, _, by, group, _ in rows_of if by == "tuner"}))
    )
    head = make_header(
        next(iter(rows_of[best].values())).file,
        "step,operator,type,repetitions",
        rounds=rounds,
        n=n,
    )
    path = facts["folder"] / f"tune/{program.name}.dat"
    replace_file(
        path,
        [
            head,
            f"# group sizes: {sizes}",
            "# GB = 1e9 B; percent 0-100; nan: missing",
            TUNE,
            *lines,
            "# end",
        ],
    )
    print(get_output(PLOTS / "table.py", "--tune", path), end="")


def main(arguments):
    """Measures an experiment on all chosen devices. Without gnuplot it writes the data, but no
    picture."""
    experiments = {name: lambda facts: measure_article(facts, chosen) for name in EXPERIMENTS} | {
        "steps": measure_steps,
        "bench": measure_bench,
        "accuracy": measure_accuracy,
        "tune": tune_step,
        "peers": peers.measure_peers,
        "scaling": scaling.measure_scaling,
        "eigen": measure_eigen,
    }
    command_line = CommandLine(__doc__)
    command_line.add_argument("EXPERIMENT", choices=experiments, metavar="EXPERIMENT")
    chosen = command_line.parse_args(arguments).EXPERIMENT
    used = SETTINGS[chosen].split()
    for name in sorted(set(" ".join(SETTINGS.values()).split()) - set(used)):
        if get_setting(name):  # make may have other targets that use it
            warn(f"{name} has no effect on {chosen}, which uses {', '.join(used)}")
    devices = find_devices()
    # The pictures and the table of the ladder show the sum of int only.
    is_sum_of_int = get_setting("OP", "sum") + get_setting("TYPE", "int") == "sumint"
    for facts in devices:
        experiments[chosen](facts)
        has_pictures = (
            is_sum_of_int
            if chosen == "steps"
            else chosen != "bench" or (facts["folder"] / "bars.svg").exists()
        )
        can_draw = shutil.which("gnuplot")
        if has_pictures and can_draw:
            get_output(PLOTS / "draw.py", facts["folder"])
        pictures = " and pictures" if can_draw else "; pictures need gnuplot"
        print(f"data{pictures if has_pictures else ''}: {facts['folder']}", flush=True)
    if chosen == "steps" and is_sum_of_int:
        print(get_output(PLOTS / "table.py", *(facts["folder"] for facts in devices)), end="")


if __name__ == "__main__":
    start(main)
