#!/usr/bin/env python3
"""The main job: every step's main variant over a range of sizes, then the pictures and the ladder table.

    plots/sweep.py [RESULTS DEVICE] [FROM..TO]       2^10..2^26, unless said otherwise

Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that
folder too. Set OP (sum), TYPE (int): the pictures show sums of int, the others are data only.
ROW_SECONDS (0.3) is how long a row is repeated; at least 5 times, a very slow one 3 times.
"""
from data import PLOTS, fail, output_of, start
from measure import STEPS, Call, devices, made, pictures, say, setting, show


def sweep(program, number, sizes, folder):
    """One step; what it says besides its rows is passed on."""
    call = Call(program, "--device", number, "--sweep", sizes, "--op", setting("OP", "sum"), "--type", setting("TYPE", "int"),
                "--seconds", setting("ROW_SECONDS", 0.3), into=folder).must(0, 77)
    if call.status == 77:
        say(f"{program.name} left out: {call.reason()}")
    for line in call.said.splitlines():
        if "left out" in line:
            say(f"{program.name}: {line}")


def main(arguments):
    """All devices, all steps."""
    results, device = arguments[:2] if len(arguments) >= 2 else ("", "")
    rest = arguments[2:] if len(arguments) >= 2 else arguments
    if len(rest) > 1:
        fail("usage: plots/sweep.py [RESULTS DEVICE] [FROM..TO]")
    sizes = rest[0] if rest else "2^10..2^26"
    chosen = devices(results, device)
    output_of(STEPS[0], "--sweep", sizes, "--list")  # says what is wrong with it
    for d, (facts, folder) in enumerate(chosen):
        made(folder.parent)  # a step makes the last folder, with its first row
        for s, program in enumerate(STEPS):
            show(f"{program.name} on {facts['name']}", d * len(STEPS) + s, len(chosen) * len(STEPS))
            sweep(program, facts["number"], sizes, folder)
    for _, folder in chosen:
        say(f"data: {folder}\n{pictures(folder, '*.svg')}")
    print(output_of(PLOTS / "table.py", *(folder for _, folder in chosen)), end="")


if __name__ == "__main__":
    start(main)
