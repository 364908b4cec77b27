#!/usr/bin/env python3
"""Shows the loop in which a kernel reads its elements, as a compiler made it.

    plots/asm.py 10     compiles the kernel of step 10; VARIANT=, OP=, TYPE=, WIDTH=, SUBGROUPS=
    plots/asm.py FILE   shows a file of build/compile10 --binary, or a listing in one of LANGUAGES
    plots/asm.py --all DATA  compiles the main variants and Peri's kernels, and writes DATA

TARGET=tgllp  a GPU of Intel; ocloc compiles for it, so the machine needs no GPU
DEVICE=NAME   without TARGET=: a device of this machine, as in --device

The program marks the lines that access memory, exchange values between lanes or wait at a barrier.
For a CPU it marks the lines that access memory or use vector registers. Before each line it writes
what the line is for, if a rule of languages.ini applies."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from bisect import bisect
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from calls import STEPS, get_setting, list_variants
from data import NEEDED, PLOTS, ROOT, CommandLine, Data, fail, get_output, read_ini
from data import read_text, replace_file, start

DATA = PLOTS / "results/asm.dat"
COLUMNS = NEEDED["asm.dat"]["columns"].split()
TARGETS = {"bdw": "Iris Pro P6300", "kbl": "HD 630", "tgllp": "Iris Xe", "dg1": "Iris Xe MAX"}
NO_OCLOC = "no ocloc: install the package intel-opencl-icd of Debian 12 (Debian 13 has none)"
LANGUAGES = read_ini(PLOTS / "languages.ini")
# Committed outputs of this program, which the tutorial shows: devices and places, and steps.
SHOWN = {"CPU, pocl": "pocl/asm/", "Iris Xe": "tgllp_", "H200": "h200/asm/"}
SHOWN_STEPS = "06", "07", "10", "10_width_8"


def classify(rules, line):
    """Returns the kind and the note of a line, by the first rule of languages.ini that applies."""
    for rule in rules.strip().splitlines():
        pattern, words = re.split(" -> ?", rule)
        if found := re.search(pattern, line):
            return found.expand(words).partition(": ")[::2]
    return "", ""


def read_load(note):
    """Returns how many addresses a load has, and how many bytes each; 0 and 0 if it is no load."""
    return [int(word) for word in re.findall(r"\d+", note)] or [0, 0]


class Listing:
    """The assembly that a compiler made of a kernel. `lines`, `kinds` and `notes` have an item for
    each of its lines; the kind of a line that is not marked is empty. `loop` is the slice of the
    main loop."""

    def __init__(self, text, name):
        names, lines = [*LANGUAGES], text.splitlines()
        found = [one for one in names if re.search(LANGUAGES[one]["sign"], text, re.MULTILINE)]
        language = LANGUAGES[(found or fail(f"{name}: no listing in {', '.join(names)}"))[0]]
        self.kinds, self.notes = zip(*(classify(language["rules"], line) for line in lines))
        self.usual_kinds = re.findall(r"-> (\w+)", language["rules"])
        shown = (re.sub(language["noise"], "", line).strip() for line in lines)
        self.lines = [re.sub(r"\s{2,}|\t", "  ", line) for line in shown]
        self.loop = self.find_loop(language["writes"])

    def find_loop(self, writes):
        """Returns the first loop with the widest load among the loops that write no memory: the
        main loop keeps its accumulators in registers, but a loop that copies variables writes them.
        A kernel loads its elements before its tree. So if each loop of the first loop nest writes,
        returns the first one there with the widest load. If no loop has a load, returns the part
        from the first of the widest loads to the next label."""
        widths = [count * size for count, size in map(read_load, self.notes)]
        labels, loops = {}, []
        for number, (line, note) in enumerate(zip(self.lines, self.notes)):
            if label := re.match(r"([.$\w]+):", line):
                labels[label[1]] = number
            if note == "jump" and (target := re.search(r"([.$\w]+)\W*$", line)[1]) in labels:
                loops.append(slice(labels[target], number + 1))
        loops = [loop for loop in loops if any(widths[loop])]
        nests = self.find_first_nests(loops)
        quiet = [loop for loop in loops if not re.search(writes, "\n".join(self.lines[loop]), re.M)]
        loops = quiet if any(loop in nests for loop in quiet) else nests
        if loops:
            # An inner loop ends before the outer loop, so max() finds it first.
            return max(loops, key=lambda loop: max(widths[loop]))
        first = widths.index(max(widths))
        return slice(first, min((at for at in labels.values() if at > first), default=None))

    def find_first_nests(self, loops):
        """Returns the loops of the first loop nest of each function, the inner ones first. Loops
        that overlap belong to one nest. Intel's CPU runtime makes two functions of a kernel, one
        with vectors."""
        starts = [number for number, line in enumerate(self.lines) if re.match(r"\w+ <.*>:", line)]
        nests = {}
        for loop in sorted(loops, key=lambda loop: loop.start):
            nest = nests.setdefault(bisect(starts, loop.start), [])
            if not nest or loop.start < max(other.stop for other in nest):
                nest.append(loop)
        return sorted(sum(nests.values(), []), key=lambda loop: loop.stop)


def show(listing, width=""):
    """Prints the loop of a listing, and how many lines of each kind there are."""
    loop = listing.loop
    for note, kind, line in zip(listing.notes[loop], listing.kinds[loop], listing.lines[loop]):
        if line:
            print(f"{note:18} {'>' if kind else ' '} {line}")
    for what, kinds in ("in these lines", listing.kinds[loop]), ("in the kernel", listing.kinds):
        counts = dict.fromkeys(listing.usual_kinds, 0) | Counter(filter(None, kinds))
        print(f"{width}{what}: {', '.join(f'{kind} {count}' for kind, count in counts.items())}")


def run_tool(folder, *words):
    """Returns the output of a program. If it fails, prints its log, and ends with exit status 1."""
    dump = os.environ | {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": "dump/"}
    done = subprocess.run(words, cwd=folder, env=dump, capture_output=True, text=True, check=False)
    if done.returncode:
        print((done.stdout + done.stderr).strip(), file=sys.stderr)
        sys.exit(1)
    return done.stdout


def find_compiler(step):
    """Returns the program that says how the kernels of a step are compiled: see compile.c."""
    program = ROOT / f"build/compile{step.name[4:]}"
    return program if program.is_file() else fail(f"{program.name} is not built: make all")


def compile_for(target, step, *options):
    """Compiles the kernel of a step for a GPU of Intel. Returns the names of the variant and of the
    kernel, the options of the compiler, the listing, and the SIMD width. Checks the user's settings
    first, so a wrong setting has the same message with and without ocloc."""
    if target not in TARGETS:
        fail(f"TARGET={target}: must be one of {', '.join(TARGETS)}")
    variant, kernel, built = get_output(find_compiler(step), *options).strip().split(" ", 2)
    _ = shutil.which("ocloc") or fail(NO_OCLOC)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels").symlink_to(Path(os.environ["REDUCE_KERNELS"]).resolve())
        words = "-device", target, "-options", f"{built} -I kernels", "-out_dir", "out"
        run_tool(folder, "ocloc", "compile", "-file", f"kernels/{kernel}", *words)
        path = max(Path(folder, "dump").glob("*_simd*.asm"), key=lambda path: path.stat().st_mtime)
        listing = Listing(path.read_text(encoding="utf-8"), kernel)
        return variant, kernel, built, listing, re.search(r"_simd(\d+)_", path.name)[1]


def show_step(number):
    """Compiles the kernel of a step, and shows it."""
    step, options = ROOT / f"step{number:0>2}", []
    _ = step in STEPS or fail(f"{number}: must be a step from 01 to {STEPS[-1].name[4:]}")
    for option in "variant op type width subgroups".split():
        if value := get_setting(option.upper()):
            options += [f"--{option}", value]
    device, target = get_setting("DEVICE"), get_setting("TARGET")
    if device and not target:
        with tempfile.TemporaryDirectory() as folder:
            binary = Path(folder, "binary")
            words = "--binary", binary, "--device", device, *options
            print(get_output(find_compiler(step), *words).strip())
            return show_file(binary)
    target = target or "tgllp"
    _, kernel, built, listing, simd = compile_for(target, step, *options)
    print(f"{kernel} for {target} ({TARGETS[target]}), built with {built}")
    return show(listing, f"SIMD{simd}, ")


def show_file(path):
    """Shows a binary or a listing; after PTX also the machine code, if CUDA's tools exist."""
    binary = path.read_bytes()
    listing = binary.decode(errors="replace")
    with tempfile.TemporaryDirectory() as folder:
        # pocl's file has a library for each group size; the one for 256 is shown, or else the last.
        # The file of Intel's CPU runtime is an ELF file with an object in it, which is the last.
        if elf := re.match(rb"(?s)(?:.*/256-1-1-goffs0/.*?|.*)(\x7fELF.*)", binary):
            _ = shutil.which("objdump") or fail("objdump is missing: install the package binutils")
            Path(folder, "code").write_bytes(elf[1])
            listing = run_tool(folder, "objdump", "-d", "--no-show-raw-insn", "code")
        show(Listing(listing, path))
        if target := re.search(r"^\.target (\w+)", listing, re.MULTILINE):
            if not shutil.which("ptxas") or not shutil.which("nvdisasm"):
                print("no machine code: it needs ptxas and nvdisasm, of CUDA")
                return
            Path(folder, "ptx").write_text(listing, encoding="utf-8")
            print(f"machine code that ptxas makes of this PTX for {target[1]}:", flush=True)
            run_tool(folder, "ptxas", f"-arch={target[1]}", "ptx", "-o", "code")
            show(Listing(run_tool(folder, "nvdisasm", "-c", "code"), "nvdisasm"))


def make_row(step, variant, target):
    """Returns a row of asm.dat: the messages of a kernel; then the blocks, the lanes that share a
    scattered read, and the ints that a thread reads in one pass through the main loop."""
    *_, listing, simd = compile_for(target, step, "--variant", variant)
    loads = [*map(read_load, listing.notes[listing.loop])]
    cells = [step.name[4:], variant, target, simd, *map(listing.kinds.count, COLUMNS[4:-3])]
    cells += [sum(lanes == 1 for lanes, _ in loads)]
    cells += [max((lanes for lanes, _ in loads if lanes > 1), default=0)]
    cells += [sum(lanes * size for lanes, size in loads) // 4]
    return " ".join(map(str, cells))


def write_all(path):
    """Writes the messages of all kernels into a file."""
    _ = shutil.which("ocloc") or fail(NO_OCLOC)
    jobs = [
        (step, variant, target)
        for step in STEPS
        for variant, kernel, articles in list_variants(step)
        if kernel != "-" and (variant == list_variants(step)[0][0] or "PERI: " in articles)
        for target in TARGETS
    ]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        rows = [*pool.map(make_row, *zip(*jobs))]
    packages = get_output("dpkg-query", "-W", "intel-opencl-icd", "libigc1").split()
    head = f"# compiler: {' '.join(packages)}\n# operator: sum\n# type: int\n"
    replace_file(path, [head + " ".join(COLUMNS), *rows, "# end"])


def make_table():
    """Yields a row for each claim of compiled.ini: what PERI says, and what asm.dat has of it."""
    yield from ("| PERI | today | verdict | command |", "| --- | --- | --- | --- |")
    for claim, rule in read_ini(PLOTS / "published/compiled.ini").items():
        kernel, targets, column = rule["kernel"], rule["gpus"].split(), rule["column"]
        step, variant = kernel.split()
        rows = [row for row in Data(DATA).rows if f"{row['step']} {row['variant']}" == kernel]
        rows = [row for row in rows if row["device"] in targets]
        verdict = "not checkable here"  # without a number, or without a row
        if rows and "number" in rule:
            agrees = all(re.fullmatch(rule["number"], row[column]) for row in rows)
            verdict = "confirmed" if agrees else "different today"
        today = "; ".join(f"{row['device']}: {column} {row[column]}" for row in rows) or "-"
        command = f"make asm{step} VARIANT={variant} TARGET={targets[0]}"
        yield f"| {claim} | {today} | {verdict} | `{command}` |"


def make_loop_table():
    """Yields a row for each loop that the tutorial shows: what the loop executes for 128 ints."""
    yield "| device | step | instructions | loads | addresses |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for device, place in SHOWN.items():
        for step in SHOWN_STEPS:
            path = PLOTS / f"results/{place}{step}.txt"
            if path.is_file():
                code = read_text(path).rpartition("machine code")[2]  # of a GPU: without the PTX
                notes = re.findall(r"^(\S.{17}) [ >] ", code, re.MULTILINE)
                loads = [read_load(note) for note in notes if "load" in note]
                ints = sum(lanes * size for lanes, size in loads) / 4
                counts = len(notes), len(loads), sum(lanes for lanes, _ in loads)
                cells = (f"{128 / ints * count:.0f}" for count in counts)
                yield f"| {device} | {step.replace('_', ' ')} | {' | '.join(cells)} |"


def make_message_table():
    """Yields a row for each of Peri's kernels and each GPU: asm.dat, and the time of an article."""
    times = {}  # in ms
    for row in Data(PLOTS / "published/jin.dat").rows:
        if row["device"] + row["compiler"] == "GPUIntel":
            times[row["ours"].removesuffix(":4"), "bdw"] = row["ms"]
    for row in Data(PLOTS / "published/peri.dat").rows:
        times |= {(row["ours"], "kbl"): row["HD630_ms"], (row["ours"], "tgllp"): row["IrisXe_ms"]}
    yield f"| kernel | GPU | {' | '.join(COLUMNS[3:]).replace('_', ' ')} | article's ms |"
    yield f"| --- | --- |{' ---: |' * len(COLUMNS[2:])}"
    for row in Data(DATA).rows:
        kernel, target, *cells = f"{row['step']}_{row['variant']}", *[*row.values()][2:]
        if (kernel, "kbl") in times:
            time = times.get((kernel, target), "-")
            yield f"| {' | '.join((kernel, target, *cells, time))} |"


def main(words):
    """Shows a kernel, or writes asm.dat."""
    command_line = CommandLine(__doc__)
    group = command_line.add_mutually_exclusive_group(required=True)
    group.add_argument("--all", metavar="DATA")
    group.add_argument("what", nargs="?", metavar="STEP_OR_FILE")
    options = command_line.parse_args(words)
    if options.what is None:
        write_all(options.all)
    elif options.what.isdecimal():
        show_step(options.what)
    else:
        show_file(Path(options.what))


if __name__ == "__main__":
    start(main)
