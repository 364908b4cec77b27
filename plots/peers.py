#!/usr/bin/env python3
"""Our fastest variants against other people's reductions, in turn: sum of int and minimum of float over a range of n,
for each the wall time, and how many times as long as our fastest a peer takes.

    plots/peers.py [RESULTS DEVICE]        as sweep.py; the data goes into RESULTS/peers/
    plots/peers.py --table RESULTS         prints the tables of what was measured again

Set N (2^10..2^28, on fewer than 8 compute units 2^10..2^24; every STRIDEth power of two of it, 2), ROUNDS (3),
ROW_SECONDS (0.1: how long a row is repeated; 5 times at least), LIMIT_SECONDS (10: longer rows are left out),
PEERS (names, or paths of programs; without: what is built, but for the floors), OURS (such as "10:streams 11:tiles";
without: those that a trial finds the fastest).

A process takes four sizes of one program, because it starts in a second and measures a small n in a tenth of one;
then the next program takes the same sizes, then come the next sizes, then the next round. So what is compared was
measured within a minute or two of each other, once in each round.
"""
import os
import re
from pathlib import Path

from data import ROOT, Data, fail, figures, header, known, median, output_of, power, start, text, write_whole
from measure import STEPS, Call, chosen_of_ours, count, devices, made, pictures, say, setting, show

ON_HOST = {"openmp", "serial", "std_reduce", "tbb"}  # that read the elements on the host
KINDS = ("sum", "int"), ("min", "float")
TRIAL_MOST = 2**24  # above it the check of a minimum takes longer than all the rest
AT_ONCE = 4


def time(value):
    """1.23us, as narrow as it can be."""
    value, unit = (1e6 * value, "us") if value < 1e-3 else (1e3 * value, "ms") if value < 1 else (value, "s")
    return figures(value) + unit


def table(path):
    """A line for each n: our fastest and its wall time, and how many times as long each peer takes."""
    file = Data(path, "kind", "program", "variant", "wall", "ratio", "verdict")
    peers = list(dict.fromkeys(row["program"] for row in file.rows if row["kind"] == "peer"))
    lines = {n: ["-", "-", *["-" for _ in peers]] for n in sorted({row.number("n") for row in file.rows})}
    for row in file.rows:
        cells = lines[row.number("n")]
        if row["kind"] == "peer":
            cells[2 + peers.index(row["program"])] = "wrong" if row["verdict"] == "wrong" else f"x{figures(row.number('ratio'))}"
        elif row["ratio"] == "1":
            cells[:2] = f"{row['program'][:2]} {row['variant']}", time(row.number("wall"))
    about, form = file.about, "{:5}{:14.14} {:>7}" + " {:>8.8}" * len(peers)
    yield f"{about['operator']} of {about['type']} on {about['device']}"[:80]
    if "note" in about:
        yield about["note"]
    yield form.format("n", "our fastest", "wall", *peers)
    for n, cells in lines.items():
        yield form.format(power(n), *cells)
    yield f"peers: wall time in that of our fastest, median of the rounds ({about['rounds']}), cold cache"


def tables(folder):
    """Of both operators."""
    return "\n\n".join("\n".join(table(folder / f"peers/{op}.{kind}.dat")) for op, kind in KINDS)


def chosen_peers():
    """Programs, each with what it must be started with to see this machine's devices: some runtimes bring a newer TBB than
    a peer is linked with; then that one serves both, or the platform is not there."""
    if "PEERS" in os.environ:
        programs = [Path(name) if "/" in name else ROOT / f"build/peer_{name}" for name in os.environ["PEERS"].split()]
    else:
        programs = sorted(path for path in (ROOT / "build").glob("peer_*") if not re.search(r"\.|peer_floor_", path.name))
    devices_here, found = output_of(ROOT / "step01", "--list"), {}
    for program in programs:
        if not (program.is_file() and os.access(program, os.X_OK)):
            say(f"{program.name} left out: it did not compile, see above")
            continue
        libraries = [Path(icd.read_text(encoding="utf-8").split("\n")[0]).parent / "libtbb.so.12"
                     for icd in Path(os.environ.get("OCL_ICD_VENDORS", "/etc/OpenCL/vendors")).glob("*.icd")]
        for environment in [{}] + [{"LD_PRELOAD": str(path)} for path in libraries if path.is_file()]:
            if Call(program, "--list", environment=environment).said == devices_here:
                found[program] = environment
                break
        else:
            say(f"{program.name[5:]}: left out: it does not see this device")
    return found


class Comparison:
    """On one device."""

    def __init__(self, facts, peers, sizes, rounds):
        self.facts, self.peers, self.sizes, self.rounds = facts, peers, sizes, rounds
        self.rows, self.about, self.told = {}, {}, set()

    def tell(self, line):
        """Once."""
        if line not in self.told:
            say(line)
        self.told.add(line)

    def collect(self, call, kind):
        """Adds the rows of a call, by what they are of."""
        for file in call.files:
            self.about = self.about or file.about
            name = file.about["step"]
            key = (kind, *((name.replace(" ", "_"), file.about["variant"]) if kind == "ours" else (name.split()[1], "-")))
            for row in file.rows:
                self.rows.setdefault((*key, int(row["n"])), []).append(row)

    def wrong(self, name, n):
        """A peer's wrong result is a row without a number."""
        self.rows[("peer", name, "-", n)] = None

    def measure(self, kind, program, variant, what, sizes, environment=None):
        """One program over some sizes. After a wrong result it goes on with the sizes behind it."""
        name, limit = program.name.removeprefix("peer_"), setting("LIMIT_SECONDS", 10)
        of = f"{name} {what[0]} {what[1]}"
        while sizes:
            call = Call(program, "--device", self.facts["number"], "--variant", variant, "--op", what[0], "--type", what[1],
                        "--n", ",".join(map(str, sizes)), "--seconds", setting("ROW_SECONDS", 0.1), "--limit-seconds", limit,
                        environment=environment)
            self.collect(call, kind)
            for n in re.findall(r" n = (\d+) left out: ", call.said):
                self.tell(f"{of}: n = {n} left out: more than {limit} s (LIMIT_SECONDS)")
            wrong = re.search(r"^WRONG: .* at n = (\d+): .*", call.said, re.MULTILINE)
            if call.status == 77:
                self.tell(f"{of}: left out: {call.reason()}")
            elif call.status and kind == "ours":
                call.must(0)
            elif call.status and not wrong:
                self.tell(f"{of}: failed: {call.reason()}")
            if not wrong:
                return
            self.tell(f"{of}: {wrong[0]}")
            at = int(wrong[1])
            trusted = call.files or at == sizes[0]  # else it was wrong in the check before all rows
            for n in sizes:
                if n == at or not trusted:
                    self.wrong(name, n)
            sizes = [n for n in sizes if n > at] if trusted else []

    def choose_ours(self, what):
        """Which of our variants can be the fastest here: all are tried at three sizes, the best three of each take part."""
        ours = chosen_of_ours()
        if ours:
            return ours
        trial = sorted({min(n, TRIAL_MOST) for n in (self.sizes[0], self.sizes[len(self.sizes) // 2], self.sizes[-1])})
        found = {n: [] for n in trial}
        for program in STEPS[1:]:
            show(f"trying {program.name}, {what[0]} of {what[1]}")
            call = Call(program, "--device", self.facts["number"], "--variant", "all", "--op", what[0], "--type", what[1], "--n",
                        ",".join(map(str, trial)), "--reps", 9, "--seconds", 0, "--limit-seconds", setting("TRIAL_SECONDS", 1))
            call.must(0)
            for file in call.files:
                for row in file.rows:
                    found[int(row["n"])].append((row.number("wall_med"), program, file.about["variant"]))
        ours = sorted({(program, variant) for rows in found.values() for _, program, variant in sorted(rows)[:3]})
        say(f"ours, {what[0]} of {what[1]}: " + ", ".join(f"{program.name[4:]} {variant}" for program, variant in ours))
        return ours

    def run(self, what, into):
        """One operator and type; a run that ends early leaves the rounds and sizes that it has measured."""
        ours, self.rows = self.choose_ours(what), {}
        for number in range(1, self.rounds + 1):
            for at in range(0, len(self.sizes), AT_ONCE):
                sizes = self.sizes[at : at + AT_ONCE]
                show(f"{what[0]} of {what[1]}, round {number} of {self.rounds}, n = {sizes[0]} …")
                for program, variant in ours:
                    self.measure("ours", program, variant, what, sizes)
                if not self.rows:
                    fail(f"OURS: none of these does the {what[0]} of {what[1]}; what was measured before is in {into}")
                for program, environment in self.peers.items():
                    if self.facts["kind"] == "GPU" and program.name[5:] in ON_HOST:
                        self.tell(f"{program.name[5:]}: left out: the elements are the GPU's, it is for those of a CPU")
                        continue
                    floats = program.name == "peer_clblast" and what == ("sum", "int")
                    self.measure("peer", program, "all", ("sum", "float") if floats else what, sizes, environment)
                write_whole(into / f"{what[0]}.{what[1]}.dat", self.text(what, number))

    def text(self, what, rounds):
        """Medians over the rounds, programs one below the other as gnuplot draws them, ratios to the fastest of ours."""
        lines = [header(self.about, operator=what[0], type=what[1], rounds=rounds).rstrip()]
        if what == ("sum", "int") and any(name == "clblast" for _, name, *_ in self.rows):
            lines.append("# note: clblast: the sum of floats, as it knows no sum of ints")
        lines += ["# seconds of wall time: median of the rounds, lowest, highest; ratio: to the fastest of ours at that n; "
                  "span: of the kernels, likewise; floor: an empty launch and the bytes at the read limit, measured beside it",
                  "kind program variant n wall wall_low wall_high ratio verdict span span_low span_high floor"]
        of = lambda rows, column: [row.number(column) for row in rows]
        best = {}
        for (kind, _, _, n), rows in self.rows.items():
            if kind == "ours":
                best[n] = min(best.get(n, 1e99), median(of(rows, "wall_med")))
        for key in sorted(self.rows):
            rows, n = self.rows[key], key[3]
            words = [*key[:3], str(n)]
            if rows is None:
                lines.append(" ".join(words + ["nan nan nan nan wrong nan nan nan nan"]))
                continue
            wall, span = sorted(of(rows, "wall_med")), known(of(rows, "span_med"))
            spans = [median(span), span[0], span[-1]] if len(span) == len(rows) else [float("nan")] * 3
            ratio = median(wall) / best[n] if n in best else float("nan")
            lines.append(" ".join(words + [text(value) for value in (median(wall), wall[0], wall[-1], ratio)] + ["right"]
                                  + [text(value) for value in (*spans, median(of(rows, "floor_seconds")))]))
        return "\n".join(lines) + "\n"


def sizes_for(facts):
    """As far as the device's largest buffer goes."""
    wanted, stride = setting("N", "2^10..2^28"), count("STRIDE", 2)
    found = re.fullmatch(r"2\^([0-9]+)(?:\.\.2\^([0-9]+))?", wanted)
    if not found:
        fail(f"N={wanted}: must be a range such as 2^10..2^20, or one such as 2^10")
    least, most = int(found[1]), int(found[2] or found[1])
    if not least <= most <= 40:
        fail(f"N={wanted}: must go up, to 2^40 at most")
    if not setting("N", "") and int(facts["compute_units"]) < 8:
        most = 24
        say(f"up to 2^24, not 2^28: only {facts['compute_units']} compute units (N={wanted} measures them, and takes long)")
    fit = [2**p for p in range(least, most + 1, stride) if 4 * (2**p + 4096) <= int(facts["buffer_bytes"])]
    if not fit:
        fail(f"N={wanted}: too much for this device")
    return fit


def main(arguments):
    """All devices."""
    if arguments[:1] == ["--table"] and len(arguments) == 2:
        print(tables(Path(arguments[1])))
        return
    if len(arguments) not in (0, 2):
        fail("usage: plots/peers.py [RESULTS DEVICE] | --table RESULTS")
    rounds = count("ROUNDS", 3)
    count("STRIDE", 2)
    chosen_of_ours()
    chosen, peers = devices(*arguments), chosen_peers()
    for facts, folder in chosen:
        comparison = Comparison(facts, peers, sizes_for(facts), rounds)
        into = made(folder / "peers")
        for what in KINDS:
            comparison.run(what, into)
    for _, folder in chosen:
        print(f"\n{tables(folder)}\ndata: {folder}/peers\n{pictures(folder, 'peers_*.svg')}")


if __name__ == "__main__":
    start(main)
