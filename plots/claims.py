#!/usr/bin/env python3
"""Measures the claims of the texts about performance. Each experiment changes one thing.

    plots/claims.py [NAME…]     measures some experiments, or all that fit the device

DEVICE=NAME  the device, as in --device; default: every CPU in turn
N=2^24       the number of elements
ROUNDS=5     in each round, all cases of an experiment are measured in turn

An experiment has two or more cases. For each case the program prints the median time of the kernels
over the rounds, and the ratio of this time to that of the first case: the median of the ratios of
the rounds, the lowest and the highest one."""

import tempfile
from pathlib import Path

from calls import Call, Progress, find_devices, get_number
from data import ROOT, CommandLine, fail, median, start

FIRST, GLOBAL = "steps/exercises/first.cl", "kernels/02_global.cl"
NEIGHBOURS, TREE = "kernels/03_local_tree.cl", "kernels/04_commutative_tree.cl"
LOOP = "kernels/06_two_stage.cl"
BATCHES, VECTORS = "kernels/10_block_reads.cl", "kernels/07_float4.cl"
SEVEN_STORES = "volatile local value *own = scratch + id;" + "*own = *own; BARRIER" * 7
BEFORE = "    barrier(CLK_LOCAL_MEM_FENCE);                   // all"
COMBINE = "combine_global(out, load(in, i))"
RED = (
    'asm volatile("red.global.add.{0} [%0], %1;" :: "l"((ulong)out), "{1}"(load(in, i)) :'
    ' "memory")'
)


def write_trees(count):
    """Returns the changes by which each group of step 04 executes its tree several times."""
    fill, publish = "    scratch[id] = all;\n", "    if (id == 0)\n        out["
    loop = f"    for (int tree = 0; tree < {count}; tree++) {{\n"
    again = f"{loop}    barrier(CLK_LOCAL_MEM_FENCE);\n"
    return fill, again + fill, publish, f"    }}\n{publish}"


def compact_tree(place):
    """Returns the changes by which work-item k of step 03 combines its k-th pair of neighbours.

    `place` is the place of value k in local memory. Local memory has 32 banks on NVIDIA's GPUs."""
    values = f"places[{place}]".format
    return (
        "    scratch[id] = all;",
        f"    local value places[1056]; {values('id')} = all;",
        "if ((id & (2 * offset - 1)) == 0 && id + offset < group_size)",
        "uint left = 2 * offset * id, right = left + offset; if (right < group_size)",
        "scratch[id] = combine(scratch[id], scratch[id + offset])",
        f"{values('left')} = combine({values('left')}, {values('right')})",
        "scratch[0]",
        values("0"),
    )


# Each case: its words; the step with its options; and, if it has another kernel, the kernel's file,
# and pairs of an old and a new text in it.
EXPERIMENTS = {
    "tree": {
        "first.cl: work-item 0 of each group combines": ("03", FIRST),
        "03": ("03",),
    },
    "barriers": {
        "7 further stores to scratch": (
            "03",
            FIRST,
            BEFORE,
            SEVEN_STORES.replace("BARRIER", "") + BEFORE,
        ),
        "... and a barrier after each": (
            "03",
            FIRST,
            BEFORE,
            SEVEN_STORES.replace("BARRIER", "barrier(CLK_LOCAL_MEM_FENCE);") + BEFORE,
        ),
    },
    "trees": {
        "04 with one tree": ("04", TREE, *write_trees(1)),
        "04 with two trees": ("04", TREE, *write_trees(2)),
    },
    "merged": {  # does the device combine the values of several lanes before an atomic?
        "02 local, sum of int": ("02 --variant local",),
        "02 local, sum of float": ("02 --variant local --type float",),
    },
    "banks": {
        "03": ("03",),
        "03 with its active work-items side by side": ("03", NEIGHBOURS, *compact_tree("{0}")),
        "... and a place left free after every 32": (
            "03",
            NEIGHBOURS,
            *compact_tree("{0} + {0} / 32"),
        ),
        "04": ("04",),
    },
    "groups": {
        "06": ("06",),
        "the kernel of 06 in as many groups as 04": ("04", LOOP),
        "04": ("04",),
    },
    "stride": {
        f"06 with a stride of {groups} groups": (f"06 --groups {groups}",)
        for groups in (1, 2, 4, 8, 16, 17, 32, 64)
    },
    "chunks": {
        "09": ("09",),
        "10 with a load() by each lane": (
            "10 --width 1",
            BATCHES,
            "block_read(in, ",
            "load(in, lane() + ",
        ),
        "10 with a block_read() of width 1": ("10 --width 1",),
        "10 with a block_read() of width 4": ("10 --width 4",),
    },
    "batches": {
        "10 with a chunk for each sub-group": ("10", BATCHES, "BATCH ? BATCH : ", ""),
        "10 with batches of four rows": ("10", BATCHES, "BATCH ? BATCH : ", "true ? 4 : "),
    },
    "vload4": {
        "07": ("07",),
        "07 with vload4()": (
            "07",
            VECTORS,
            "load_values(in, i)",
            "vload4(i, (global const uint *)in)",
        ),
    },
    "atomics": {  # NVIDIA's GPUs have this instruction
        "02 with red.global.add.s32": ("02", GLOBAL, COMBINE, RED.format("s32", "r")),
        "02 with red.global.add.f32": (
            "02 --type float",
            GLOBAL,
            COMBINE,
            RED.format("f32", "f"),
        ),
        "02 with atomic_add, which the compiler may merge": ("02",),
    },
}


def write_kernel(folder, file, *texts):
    """Writes a copy of a kernel with changes: pairs of an old and a new text. Returns its path."""
    text = (ROOT / file).read_text(encoding="utf-8")
    for old, new in zip(texts[::2], texts[1::2]):
        if old not in text:
            fail(f"{file} has no text {old.strip()!r}, which this experiment changes")
        text = text.replace(old, new)
    kernel = Path(folder, "changed.cl")
    kernel.write_text(text, encoding="utf-8")
    return kernel


def measure(facts, case, n):
    """Returns the time of the kernels of one case in seconds."""
    options, *change = case
    step, *words = options.split()
    words += ["--n", n, "--seconds", 0.2, "--limit-seconds", 60]
    with tempfile.TemporaryDirectory() as folder:
        if change:
            words += ["--kernel", write_kernel(folder, *change)]
        rows = Call(facts, ROOT / f"step{step}", *words, allowed_statuses=(0,)).rows
    return rows[0].kernel_med if rows else fail("choose a smaller N")


def main(arguments):
    """Measures experiments on all chosen devices, and prints a table of each."""
    command_line = CommandLine(__doc__)
    command_line.add_argument("NAME", nargs="*")
    names = command_line.parse_args(arguments).NAME
    n, rounds = get_number("N", "2^24"), get_number("ROUNDS", "5")
    for facts in find_devices():
        print(f"# device: {facts['name']}; lanes of a sub-group: {facts['lanes']}", flush=True)
        fitting = [name for name in EXPERIMENTS if name != "atomics" or "NVIDIA" in facts["name"]]
        for name in names or fitting:
            cases = EXPERIMENTS.get(name) or fail(
                f"{name}: must be one of {', '.join(EXPERIMENTS)}"
            )
            Progress.begin(rounds * len(cases))
            times = [[measure(facts, case, n) for case in cases.values()] for _ in range(rounds)]
            print(f"\n{name}, n = {n}, {rounds} rounds{'': <30}kernels   ratio (lowest … highest)")
            for number, words in enumerate(cases):
                ratios = sorted(one[number] / one[0] for one in times)
                print(
                    f"  {words:52}{1e3 * median(one[number] for one in times):8.3f} ms"
                    f"{median(ratios):8.3g} ({ratios[0]:.3g} … {ratios[-1]:.3g})",
                    flush=True,
                )


if __name__ == "__main__":
    start(main)
