#!/usr/bin/env python3
"""How exact a float sum is: uniform floats, one variant for each order of additions, each over n; then the chart.

    plots/accuracy.py [RESULTS DEVICE]

Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that folder
too. The data goes into accuracy/ in there. Nothing is timed with care: the error is what counts.
"""
from data import ROOT, fail, start
from measure import Call, devices, made, pictures

ORDERS = ("01", "host"), ("02", "blocked"), ("03", "associative"), ("05", "commutative"), ("06", "commutative")  # accuracy.gp's


def main(arguments):
    """All devices; a variant that cannot run here says why, and has no curve."""
    if len(arguments) not in (0, 2):
        fail("usage: plots/accuracy.py [RESULTS DEVICE]")
    for facts, folder in devices(*arguments):
        into = made(folder / "accuracy", emptied=True)
        for step, variant in ORDERS:
            print(Call(ROOT / f"step{step}", "--device", facts["number"], "--variant", variant, "--type", "float", "--uniform",
                       "--sweep", "2^10..2^26", "--reps", 3, "--seconds", 0, "--warm", into=into).must(0, 77).said, flush=True)
        print(f"data: {into}\n{pictures(folder, 'accuracy.svg')}")


if __name__ == "__main__":
    start(main)
