"""What the ladder's top was meant to reach, and what it reached on each published device: one table, made from
committed data alone. Ratios are of medians over the rounds, or over a run's repetitions; of several n the worst counts.
"""
import math
import re
import statistics

from data import Data, folders, known, median, power

OPERATIONS = ("sum.int", "sum of int"), ("min.float", "min of float")


def row(what, device, goal, measured, remark, reason="", below=False):
    """One goal; below: what is measured must not be above it. The reason is for one that is missed."""
    reached = (goal - measured if below else measured - goal) >= -0.0005  # as printed
    verdict = "yes" if reached else f"no: {reason}" if reason else "no"
    return f"| {what} | {device} | {goal} | {measured:.3f} ({remark}) | {verdict} |"


def share(device, what, steps, variant=""):
    """By wall time of the read limit, in rounds at large n: of the best that matches, at the n where it is least."""
    least = None
    for path in sorted(device.glob(f"large/{what}.2[678]/bench.dat")):
        file, rounds = Data(path, "step", "variant", "percent_of_limit", "kernel_percent"), {}
        for line in file.rows:
            if re.fullmatch(steps, line["step"]) and variant in ("", line["variant"]):
                rounds.setdefault(f"{line['step']} {line['variant']}", []).append(line)
        of = lambda name, column: median(line.number(column) / 100 for line in rounds[name])
        found = [(of(name, "percent_of_limit"), name, of(name, "kernel_percent")) for name in rounds]
        if found and (least is None or max(found)[0] < least[0]):
            wall, name, kernel = max(found)
            least = wall, f"{name} at {power(int(file.about['n']))}", kernel
    return least


def by_span(device, step, variant, what, n):
    """Of the read limit by span, from some n on: the lowest."""
    path = device / f"{step}_{variant}.{what}.dat"
    rows = [line for line in Data(path, "kernel_percent").rows if line.number("n") >= n] if path.is_file() else []
    shares = known(line.number("kernel_percent") / 100 for line in rows)
    return (shares[0], f"{variant}; {len(rows)} sizes, to {power(rows[-1].number('n'))}") if shares else None


def over_floor(path):
    """Our best wall time over the floor measured beside it: the worst n."""
    best = {}
    for line in Data(path, "kind", "wall", "floor").rows:
        if line["kind"] == "ours":
            best.setdefault(line.number("n"), []).append((line.number("wall"), line.number("wall") / line.number("floor")))
    over = {n: min(pairs)[1] for n, pairs in best.items()}
    worst = max(over, key=over.get)
    return over[worst], f"at {power(worst)}; {sum(x <= 1.2505 for x in over.values())} of {len(over)} sizes hold"


def against(peer, column, least, most, goal, *paths):
    """Theirs over our best, by wall time or span: the lowest over a range of n. Of an n in two files the first one counts."""
    ours, theirs, source = {}, {}, {}
    for file in (Data(path, "kind", "program", column) for path in paths if path.is_file()):
        has = {line.number("n") for line in file.rows if line["program"] == peer}
        for line in file.rows:
            n, time = line.number("n"), line.number(column)
            if n not in has or source.setdefault(n, file) is not file or not least <= n <= most or math.isnan(time):
                continue
            if line["program"] == peer:
                theirs[n] = time
            elif line["kind"] == "ours" and (column == "wall" or not re.match("0[348]_", line["program"])):  # these end on the host
                ours.setdefault(n, []).append((time, f"{line['program'][:2]} {line['variant']}"))
    ratio = {n: theirs[n] / min(ours[n])[0] for n in theirs if n in ours}
    n = min(ratio, key=ratio.get)
    held = sum(x >= goal - 0.0005 for x in ratio.values())
    return ratio[n], f"at {power(n)}, {min(ours[n])[1]}; {held} of {len(ratio)} sizes hold"


def right_at(path):
    """From `$ ./step02 --check …` and its TAP: for each n, what came out right, of how many steps."""
    steps, option = {}, {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("$ "):
            words = line.split()
            option = dict(zip(words, words[1:]), step=words[1][6:])
        elif line.startswith("ok ") and " # SKIP " not in line:
            kinds = steps.setdefault(option["--n"], {})
            kinds.setdefault(f"{option['--op']} of {option['--type']}", set()).add(option["step"])
    for n, kinds in steps.items():
        yield n, len(kinds), sorted(set.union(*kinds.values()))


def of_cpu(device, reasons):
    """The rows of a CPU, which has rounds at large n."""
    for what, name in OPERATIONS:
        for who, goal, steps, variant in (("best step", 0.97, "0[1-9]|1.", ""), ("step 10 streams", 0.95, "10", "streams"),
                                          ("step 11 streams", 0.95, "11", "streams")):
            found = share(device, what, steps, variant)
            if found:
                yield row(f"{who} / read limit, {name}, 2^26 to 2^28", device.name, goal, *found[:2],
                          reasons.get((device.name, who)))
        more = device / f"floor/peers/{what}.dat"  # more rounds, where they were measured
        worst, text = over_floor(more if more.is_file() else device / f"peers/{what}.dat")
        yield row(f"best step / (empty launch + bytes / limit), {name}", device.name, 1.25, worst, text,
                  reasons.get((device.name, f"floor {what[:3]}")), below=True)
        for peer in ("openmp", "std_reduce", "clblast"):
            low, text = against(peer, "wall", 2**26, 2**40, 1, device / f"large/peers/{what}.dat", device / f"peers/{what}.dat")
            yield row(f"{peer} / best step, {name}, from 2^26 on", device.name, 1, low, text, reasons.get((device.name, peer)))


def of_gpu(device, reasons):
    """The rows of a GPU, which was checked at large n and measured beside CUB."""
    for what, name in (*OPERATIONS, ("sum.float", "sum of float")):
        found = (by_span(device, "11", variant, what, 2**29) for variant in ("runs_word", "runs", "tiles", "streams"))
        best = max(filter(None, found))
        yield row(f"step 11 / read limit by span, {name}, from 2^29 on", device.name, 0.99, *best)
    for step in ("10", "11"):
        found = by_span(device, step, "streams", "sum.int", 2**27)
        if found:
            yield row(f"step {step} streams / read limit by span, sum of int, from 2^27 on", device.name, 0.95, *found)
    for what, name in OPERATIONS:
        for column in ("span", "wall"):
            for goal, most in ((1, 28), (1.15, 25)):
                paths = device / f"floor/peers/{what}.dat", device / f"cub/peers/{what}.dat"
                yield row(f"CUB / best step by {column}, {name}, 2^10 to 2^{most}", device.name, goal,
                          *against("cub", column, 2**10, 2**most, goal, *paths),
                          reasons.get((device.name, f"{column} {goal}")))
        yield row(f"CUB / best step by span, {name}, from 2^29 on", device.name, 1,
                  *against("cub", "span", 2**29, 2**40, 1, device / f"large/peers/{what}.dat"))
    for n, kinds, steps in right_at(device / "large/check.txt"):
        yield f"| right at {n} | {device.name} | - | {kinds} operators on types, steps {' '.join(steps)} | yes |"


def table(results):
    """All of it, line by line. A line of reasons: device, goal, then why it is missed there."""
    reasons = {}
    if (results / "reasons.txt").is_file():
        for line in (results / "reasons.txt").read_text(encoding="utf-8").splitlines():
            device, goal, reason = line.split("\t")
            reasons[device, goal] = reason
    shares = []
    yield "| what | device | goal | measured | reached |"
    yield "| --- | --- | ---: | --- | --- |"
    for device in folders(results):
        if (device / "large/sum.int.27/bench.dat").is_file():
            yield from of_cpu(device, reasons)
            shares.append(share(device, "sum.int", "11", "streams")[2])
        elif (device / "large/check.txt").is_file() and (device / "cub/peers").is_dir():
            yield from of_gpu(device, reasons)
            shares.append(by_span(device, "11", "streams", "sum.int", 2**27)[0])
    if shares:
        mean = statistics.harmonic_mean(shares)
        yield row("step 11 streams, harmonic mean of its kernel's shares", "all", 0.96, mean, f"{len(shares)} devices")
