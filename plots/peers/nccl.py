#!/usr/bin/env python3
"""nccl: PyTorch adds the elements of each GPU, and NCCL adds the values of all GPUs

    value = x.sum(); dist.all_reduce(value); value.item()

Each rank is a process that has a GPU of its own and a contiguous part of the n floats. The wall
time begins at a barrier and ends when the value is on the host of every rank, and the time of the
slowest rank counts, as in step 13. Without a GPU of NVIDIA each rank is a thread of the processor,
and PyTorch's Gloo adds the values.

    plots/peers/nccl.py --ranks R --n N[,N…] --seconds S --evict BYTES --out DIR

Each row repeats its sum for S seconds. Before each repetition, each rank writes BYTES bytes, so
that the cache is cold. The result is DIR/nccl.sum.float.dat."""

import sys
import tempfile
from datetime import date
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import CommandLine, fail, replace_file  # noqa: E402

try:
    import torch
    import torch.distributed as dist
except ModuleNotFoundError:
    torch = None

HAS_GPU = torch and torch.cuda.is_available()


def combine(number, how, device):
    """Returns the sum or the maximum of the numbers of all ranks. It is a barrier, too."""
    value = torch.tensor([number], dtype=torch.float64, device=device)
    dist.all_reduce(value, how)
    return value.item()


def measure_size(rank, n, device, options):
    """Returns a row of the data file. The elements are small integers, so their sum is exact."""
    count, others = n * (rank + 1) // options.ranks - n * rank // options.ranks, options.evict
    x = torch.randint(-8, 9, (count,), dtype=torch.float32, device=device)
    in_double = sum(part.double().sum().item() for part in x.split(2**26))
    expected = combine(in_double, dist.ReduceOp.SUM, device)
    other_bytes = torch.empty(others, dtype=torch.uint8, device=device)
    wrong, walls = 0, []

    def reduce():
        """Appends the wall time of the slowest rank to `walls`. Returns the time of it all."""
        nonlocal wrong
        began = perf_counter()
        other_bytes.fill_(1)
        combine(0, dist.ReduceOp.SUM, device)
        start = perf_counter()
        value = x.sum()
        dist.all_reduce(value)
        value = value.item()
        seconds = perf_counter() - start
        wrong += value != expected
        walls.append(combine(seconds, dist.ReduceOp.MAX, device))
        return combine(perf_counter() - began, dist.ReduceOp.MAX, device)

    slowest = min(reduce() for _ in range(5))
    walls.clear()
    for _ in range(max(5, int(options.seconds / slowest))):
        reduce()
    walls.sort()
    times = [walls[0], walls[len(walls) // 2], walls[len(walls) * 9 // 10]]
    if combine(wrong, dist.ReduceOp.SUM, device):
        return f"{options.ranks} {n} {4 * n} nan nan nan wrong"
    return f"{options.ranks} {n} {4 * n} {' '.join(f'{time:.4g}' for time in times)} right"


def run_rank(rank, meeting_point, options):
    """Measures all sizes. The first rank writes the data file."""
    device = torch.device("cuda", rank) if HAS_GPU else torch.device("cpu")
    if HAS_GPU:
        torch.cuda.set_device(device)
    else:
        torch.set_num_threads(1)
    torch.manual_seed(1 + rank)
    name, address = "nccl" if HAS_GPU else "gloo", f"file://{meeting_point}"
    dist.init_process_group(name, init_method=address, rank=rank, world_size=options.ranks)
    rows = [measure_size(rank, int(n), device, options) for n in options.n.split(",")]
    dist.destroy_process_group()
    head = f"""# step: {name}
# operator: sum
# type: float
# date: {date.today()}
# device: {torch.cuda.get_device_name(device) if HAS_GPU else "CPU"}
# driver: PyTorch {torch.__version__}
# evicted bytes: {options.evict}
ranks n bytes wall_min wall_med wall_p90 verdict"""
    if rank == 0:
        replace_file(Path(options.out) / "nccl.sum.float.dat", [head, *rows, "# end"])


def main():
    """Starts the ranks, and waits for them."""
    command_line = CommandLine(__doc__)
    for name, kind in (("ranks", int), ("n", str), ("seconds", float), ("evict", int)):
        command_line.add_argument(f"--{name}", type=kind, required=True)
    command_line.add_argument("--out", required=True)
    options = command_line.parse_args()
    _ = torch or fail("the Python package torch is missing")
    if HAS_GPU and torch.cuda.device_count() < options.ranks:
        sys.stderr.write(f"nccl: {options.ranks} ranks need as many GPUs; exit 77\n")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        torch.multiprocessing.spawn(run_rank, (f"{folder}/ranks", options), options.ranks)
    if "wrong" in (Path(options.out) / "nccl.sum.float.dat").read_text(encoding="utf-8"):
        sys.stderr.write("WRONG: nccl: a sum differs from the sum in double\n")
        sys.exit(1)


if __name__ == "__main__":
    main()
