#!/usr/bin/env python3
"""An article's own experiment on this machine: its kernels in its order, its n, type, operator and group sizes, 16
repetitions with a cold cache; then its chart, with the published figures in plots/published/ beside ours.

    plots/article.py peri|jin|catz [RESULTS DEVICE]

Without a device: every CPU, each into results/<platform>-<device>-<host>/. An empty RESULTS means that folder too.
The data goes into article-NAME/ in there. N=2^24 takes that n; without, a small machine takes fewer, and says so.
"""
from data import ROOT, fail, start
from measure import Call, devices, elements, made, one_n, pictures, setting

# n, operator, type; then step, variant, widths, group size, and what a work-item or the whole launch takes: as the
# articles have it, "-" leaves it to the step. "largest" is the largest group that the kernel can have; "256 each" means
# 256 elements for each work-item, whatever n is, "4 unit" four groups for each compute unit.
ARTICLES = {
    "peri": ("2^29", "sum", "int", """
        02 global        - -       -
        02 blocked       - 256     1024 each
        02 strided       - 256     512 each
        04 atomic_finish - largest -
        09 work_group    - 256     1 each
        10 vector_tree   - largest 256 each
        07 local         - largest -"""),
    "jin": ("2^25", "sum", "int", """
        02 global        - -       -
        02 local         - wgs     -
        07 local   2,4,8,16 wgs    -
        05 baseline      - wgs     -"""),
    "catz": ("2^25", "min", "float", """
        05 associative   - 256     -
        05 commutative   - 256     -
        06 commutative   - 256     4 unit
        07 vector        - 256     4 unit
        08 one_group     - -       -
        08 groups        - -       1 unit
        08 vectorised    - -       1 unit"""),
}


def choose_n(article, published, facts):
    """The article's n, or another that was asked for, or as many as there is room or patience for."""
    n, units, most = elements(one_n(published)), int(facts["compute_units"]), int(facts["buffer_bytes"])
    why = ""
    if 4.04 * n > most:
        why = f"a buffer here holds {most / 2**30:.2f} GiB at most"
    elif not setting("N", "") and n > 2**26 and units < 8:
        why = f"only {units} compute units; N={published} measures it nevertheless"
    if why and setting("N", ""):
        fail(f"N={setting('N', '')}: {why}")
    if why:
        n = 2**24
        print(f"scaled down: n = 2^24, not {published}: {why}")
    if n < elements(published) and article == "peri":
        print("scaled down: work-items of blocked, strided and vector_tree, each with as many elements as in the article")
    return n


def measure(facts, into, n, kind, words):
    """One row of the experiment."""
    step, variant, widths, size, *launch = words
    named = {"-": 0, "wgs": 256 if facts["kind"] == "GPU" else 512, "largest": int(facts["group_limit"])}
    group = named[size] if size in named else int(size)
    while True:
        options = ["--group", group] if group else []
        if launch[1:]:
            each = int(launch[0])
            options += ["--groups", -(-n // (each * group)) if launch[1] == "each" else each * int(facts["compute_units"])]
        options += ["--width", widths] if widths != "-" else []
        call = Call(ROOT / f"step{step}", "--device", facts["number"], "--variant", variant, *kind, "--n", n, "--reps", 16,
                    "--seconds", 0, "--limit-seconds", 600, *options, into=into).must(0, 77)
        if size != "largest" or call.status == 0 or group < 64:
            break
        group //= 2  # a kernel may take less than the device: its local memory decides
    if call.status == 77:
        print(f"{step} {variant} left out: {call.reason()}")
    for line in call.said.splitlines():
        if line.startswith(f"{variant} ") and call.status == 0:
            print(f"{step} {line}")


def main(arguments):
    """All devices."""
    if len(arguments) not in (1, 3) or arguments[0] not in ARTICLES:
        fail("usage: plots/article.py peri|jin|catz [RESULTS DEVICE]")
    article = arguments[0]
    published, op, kind, rows = ARTICLES[article]
    one_n(published)
    for facts, folder in devices(*arguments[1:]):
        print(f"{article} on device {facts['number']}, {facts['kind']}, {facts['compute_units']} compute units")
        n = choose_n(article, published, facts)
        into = made(folder / f"article-{article}", emptied=True)
        print("   variant                 n    groups  x group    kernels      wall   GB/s %limit", flush=True)
        for words in rows.split("\n")[1:]:
            measure(facts, into, n, ["--op", op, "--type", kind], words.split())
        print(f"data: {into}\n{pictures(folder, f'article_{article}.svg')}")


if __name__ == "__main__":
    start(main)
