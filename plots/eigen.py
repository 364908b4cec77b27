#!/usr/bin/env python3
"""Step 12 on this machine: each part of a round by version, the whole, and the bounds by round; then three charts, with the
published figures beside ours.

    plots/eigen.py [RESULTS DEVICE]

Without a device: every CPU, each into results/<platform>-<device>-<host>/. The data goes into article-eigen/ in there.
N=128,1024 takes those n, instead of 2^7 to 2^13; where a matrix has no room, nothing is measured.
"""
import os

from data import ROOT, Data, output_of, start


def words(folder, name):
    """Alt text of a picture, and a sentence that reads it."""
    file = Data(folder / "article-eigen/12_solve.dat", "variant", "n", "rounds", "wall_med")
    where = f"on {file.about['device'].rpartition(' / ')[2]} ({file.device()})"
    wall = {(row["variant"], int(row["n"])): row.number("wall_med") for row in file.rows}
    gain = {n: min(wall[v, n] for v in ("v0", "v1", "v2")) / wall[who, n] for who, n in wall if who == "ours"}
    n = max(gain)
    if name == "parts":
        rows = Data(folder / "article-eigen/12_parts.dat", "variant", "kind", "n", "percent_of_limit").rows
        share = {(row["variant"], row["kind"]): row.number("percent_of_limit") for row in rows if int(row["n"]) == n}
        return (f"Lines: time of row sums, maximum, eigenvector, next matrix and stop test over n, by version, {where}",
                f"Lower is faster: at n = {n} ours takes row sums at {share['two_pass', 'row_sums']:.0f} % of the read limit, the "
                f"next matrix with its row sums at {share['ours', 'next_matrix']:.0f} % of the limit of reading and writing.")
    if name == "total":
        return (f"Lines: speed-up of row sums over v0, and the whole in percent of its machine's limit, published and {where}",
                f"Compare shapes, not machines: here ours is {gain[n]:.3g} times as fast as the best of v0 to v2 at n = {n}, and "
                f"{min(gain[m] for m in gain if m >= min(512, n)):.3g} times at least from n = 512 on.")
    bounds = Data(folder / "article-eigen/bounds/12_bounds.dat", "n", "round", "least", "largest").rows
    last = {int(row["n"]): int(row["round"]) for row in bounds}
    return (f"Lines: distance of lambda's bounds over rounds, Hilbert's matrix, n = {min(last)} to {max(last)}, {where}",
            f"A straight line is the same factor in each round: the larger n, the more rounds, {last[min(last)]} to "
            f"{last[max(last)]}.")


def main(arguments):
    """All devices."""
    from measure import Call, devices, made, pictures  # not for the words
    sizes = os.environ.get("N") or ",".join(str(2**k) for k in range(7, 14))
    output_of(ROOT / "step12", "--n", sizes, "--list")  # says what is wrong with them
    for facts, folder in devices(*arguments):
        into, call = made(folder / "article-eigen"), [ROOT / "step12", "--device", facts["number"], "--n", sizes]
        print(Call(*call, "--version", "all", "--stop", "article", into=into).must(0, 1).said, flush=True)
        Call(*call, "--max-rounds", 40, into=made(into / "bounds")).must(0, 1)
        print(f"data: {into}\n{pictures(folder, 'eigen_*.svg')}")
    return 0


if __name__ == "__main__":
    start(main)
