"""Step 12: each part of a round by version, the whole, and the bounds by round; and the words at its three charts."""
import sys

from calls import Call, say, setting
from data import ROOT, Data, output_of


def words(folder, name):
    """Alt text of a picture, and a sentence that reads it."""
    file = Data(folder / "article-eigen/12_solve.dat")
    where = f"on {file['device'].rpartition(' / ')[2]} ({file.device()})"
    wall = {(row["variant"], int(row["n"])): row.wall_med for row in file.rows}
    gain = {n: min(wall[v, n] for v in ("v0", "v1", "v2")) / wall[who, n] for who, n in wall if who == "ours"}
    n = max(gain)
    if name == "parts":
        rows = Data(folder / "article-eigen/12_parts.dat").rows
        share = {(row["variant"], row["kind"]): row.percent_of_limit for row in rows if int(row["n"]) == n}
        return (f"Lines: time of row sums, maximum, eigenvector, next matrix and stop test over n, by version, {where}",
                f"Lower is faster: at n = {n} two_pass takes row sums at {share['two_pass', 'row_sums']:.0f} % of the read limit, "
                f"ours the next matrix with its row sums at {share['ours', 'next_matrix']:.0f} % of that of reading and writing.")
    if name == "total":
        return (f"Lines: speed-up of row sums over v0, and the whole in percent of its machine's limit, published and {where}",
                f"Compare shapes, not machines: here ours is {gain[n]:.3g} times as fast as the best of v0 to v2 at n = {n}, and "
                f"{min(gain[m] for m in gain if m >= min(512, n)):.3g} times at least from n = 512 on.")
    bounds = Data(folder / "article-eigen/bounds/12_bounds.dat").rows
    last = {int(row["n"]): int(row["round"]) for row in bounds}
    return (f"Lines: distance of lambda's bounds over rounds, Hilbert's matrix, n = {min(last)} to {max(last)}, {where}",
            f"A straight line is the same factor in each round: the larger n, the more rounds, {last[min(last)]} to "
            f"{last[max(last)]}.")


def measure(facts):
    """The article's own run of all versions, and ours until the bounds meet; N=128,1024 takes those n."""
    program, into = ROOT / "step12", facts["folder"] / "article-eigen"
    sizes = setting("N", ",".join(str(2**k) for k in range(7, 14)))
    output_of(program, "--n", sizes, "--list")  # says what is wrong with them
    say(Call(facts, program, "--n", sizes, "--version", "all", "--stop", "article", into=into, expected=(0, 1)).said, sys.stdout)
    Call(facts, program, "--n", sizes, "--max-rounds", 40, into=into / "bounds", expected=(0, 1))
