#!/usr/bin/env python3
"""All steps in turn, each with all its variants, and on a CPU the OpenMP peer, at one large n with a cold cache, several
rounds over: prints the median of the rounds and its spread, and what the best of steps 08, 10 and on and the read limit
come to.

    plots/bench.py [DEVICE]       without: every CPU, one after the other

Set N (2^27), OP (sum), TYPE (int), ROUNDS (5, below 2^20 3), ROW_SECONDS (0.3, below 2^20 0.03: how long a row is repeated;
5 times at least, a very slow one 3 times), OURS (such as "10:streams 11:tiles"; without: all), and RESULTS, the folder of
bench.dat for one device (results/<platform>-<device>-<host>).
"""
from data import PLOTS, ROOT, fail, header, output_of, start, write_whole
from measure import STEPS, Call, chosen_of_ours, count, devices, elements, made, one_n, say, setting, show, variants

SMALL = 2**20  # below it a row takes microseconds, and a round is over soon
OPENMP = ROOT / "build/peer_openmp"
COLUMNS = "n bytes wall_min wall_med wall_p90 GBps limit_GBps percent_of_limit kernel_percent verdict".split()


def bench(facts, folder, programs, n, rounds, done, of_all):
    """One device; the file has whole rounds only."""
    options = ["--device", facts["number"], "--n", n, "--op", setting("OP", "sum"), "--type", setting("TYPE", "int"),
               "--seconds", setting("ROW_SECONDS", 0.3 if elements(n) >= SMALL else 0.03), "--limit-seconds", 600]
    text = ""
    for number in range(1, rounds + 1):
        for program, variant in programs:
            if facts["kind"] == "GPU" and program == OPENMP:
                continue  # its elements lie with the host
            show(f"round {number} of {rounds}  {program.name} {variant}", done, of_all)
            call = Call(program, "--variant", variant, *options).must(0, 77)
            done += 1
            for line in call.said.splitlines() if number == 1 else []:
                if " is not supported here: " in line:
                    say(line)
            order = variants(program)  # the main one first
            for file in sorted(call.files, key=lambda file: order.index(file.about["variant"])):
                text = text or (header(file.about, "operator,type,repetitions", rounds=rounds, n=file.rows[-1]["n"])
                                + f"# seconds; GB = 1e9 B; percent 0-100\nstep name variant round {' '.join(COLUMNS)}\n")
                words = [file.about["step"], file.about["variant"], str(number)] + [file.rows[-1][column] for column in COLUMNS]
                text += " ".join(words) + "\n"
        if not text:
            fail("nothing to measure: none of the chosen variants does this")
        write_whole(folder / "bench.dat", text)


def main(arguments):
    """All devices."""
    if len(arguments) > 1:
        fail("usage: plots/bench.py [DEVICE]")
    n = one_n("2^27")
    rounds = count("ROUNDS", 5 if elements(n) >= SMALL else 3)
    if not OPENMP.exists():
        fail("build/peer_openmp is missing: make bench builds it")
    programs = (chosen_of_ours() or [(program, "all") for program in STEPS]) + [(OPENMP, "all")]
    chosen, each = devices(setting("RESULTS", ""), *arguments), rounds * len(programs)
    for d, (facts, folder) in enumerate(chosen):
        bench(facts, made(folder), programs, n, rounds, d * each, len(chosen) * each)
        say(f"data: {folder}/bench.dat")
    print(output_of(PLOTS / "table.py", "--bench", *(folder for _, folder in chosen)), end="")


if __name__ == "__main__":
    start(main)
