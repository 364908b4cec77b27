#!/usr/bin/env python3
"""Shows the loop in which a kernel reads its elements, as a compiler made it.

    plots/asm.py 10     compiles the kernel of step 10; VARIANT=, OP=, TYPE=, WIDTH=, SUBGROUPS=
    plots/asm.py FILE   shows a file of --binary, or a listing in one of LANGUAGES
    plots/asm.py --all  compiles the main variants and Peri's kernels, and writes results/asm.dat

TARGET=tgllp  a GPU of Intel; ocloc compiles for it, so the machine needs no GPU
DEVICE=NAME   without TARGET=: a device of this machine, as in --device

The program marks the lines that access memory, exchange values between lanes or wait at a barrier.
For a CPU it marks the lines that access memory or use vector registers. Before each line it writes
what the line is for, if a rule of languages.ini applies."""

import configparser
import operator
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from calls import STEPS, get_setting, list_variants  # noqa: E402
from data import NEEDED, PLOTS, ROOT, Data, fail, get_output, read_lines, read_text  # noqa: E402
from data import replace_file, start  # noqa: E402

DATA = PLOTS / "results/asm.dat"
TARGETS = {"bdw": "Iris Pro P6300", "kbl": "HD 630", "tgllp": "Iris Xe", "dg1": "Iris Xe MAX"}
PACKAGES = {
    "ocloc": "install the package intel-opencl-icd of Debian 12; Debian 13 has no such package",
    "objdump": "install the package binutils",
}
# Committed output of this program, which the tutorial shows.
SHOWN = {
    "CPU, pocl": "pocl/asm/06 pocl/asm/07 pocl/asm/10",
    "Iris Xe": "tgllp_06 tgllp_07 tgllp_10 tgllp_10_width_8",
    "H100": "h100/asm/06 h100/asm/07 h100/asm/10",
}
RULES = {"=": operator.eq, ">": operator.gt}
LANGUAGES = configparser.ConfigParser(interpolation=None)
LANGUAGES.read(PLOTS / "languages.ini")


def classify(language, rules, line):
    """Returns the word of the first rule of languages.ini that applies to a line, or ""."""
    for rule in language[rules].strip().splitlines():
        pattern, _, word = rule.partition(" ->")
        if found := re.search(pattern, line):
            return found.expand(word.strip())
    return ""


def find_loop(language, listing):
    """Returns the lines of a listing, the kind of each line ("" for a line that is not marked), and
    a range of lines: the first innermost loop with the widest reads. If no loop reads elements, the
    range is that from the first read to the next label."""
    lines, labels, loops = listing.splitlines(), {}, []
    kinds = [classify(language, "kinds", line) for line in lines]
    for number, line in enumerate(lines):
        if found := re.search(language["label"], line):
            labels[found[found.lastindex]] = number
        if (found := re.search(language["branch"], line)) and found[found.lastindex] in labels:
            loops.append(range(labels[found[found.lastindex]], number + 1))
    texts = [f"{kind} {line}" for kind, line in zip(kinds, lines)]
    hits = [
        [at for at, text in enumerate(texts) if re.search(read, text)]
        for read in language["reads"].split()
    ]
    for found in hits:
        reading = [loop for loop in loops if set(loop) & set(found)]
        inner = [one for one in reading if not any(set(two) < set(one) for two in reading)]
        if inner:
            return lines, kinds, min(inner, key=lambda loop: loop.start)
    first = next((found[0] for found in hits if found), 0)
    end = min((at for at in labels.values() if at > first), default=len(lines))
    return lines, kinds, range(first, end)


def show(listing, name, width=""):
    """Prints the loop of a listing, and how many lines of each kind there are."""
    signs = {one: LANGUAGES[one]["sign"] for one in LANGUAGES.sections()}
    found = [one for one, sign in signs.items() if re.search(sign, listing, re.MULTILINE)]
    language = LANGUAGES[(found or fail(f"{name}: no listing in {', '.join(signs)}"))[0]]
    lines, kinds, loop = find_loop(language, listing)
    for number in loop:
        shown = re.sub(r"\s{2,}|\t", "  ", re.sub(language["noise"], "", lines[number]).strip())
        if shown:
            note = classify(language, "notes", lines[number])
            print(f"{note:18} {'>' if kinds[number] else ' '} {shown}")
    usual = re.findall(r"-> (\w+)", language["kinds"])  # these are shown even if there are none
    for what, part in ("in these lines", kinds[loop.start : loop.stop]), ("in the kernel", kinds):
        counts = dict.fromkeys(usual, 0) | Counter(filter(None, part))
        print(f"{width}{what}: {', '.join(f'{kind} {count}' for kind, count in counts.items())}")


def require_tool(name):
    """Fails with one line that names the package if a program is missing."""
    if not shutil.which(name):
        fail(f"no {name}: {PACKAGES[name]}")


def run_tool(folder, *words):
    """Returns the output of a program. If it fails, prints its log, and ends with exit status 1."""
    require_tool(words[0])
    dump = os.environ | {"IGC_ShaderDumpEnable": "1", "IGC_DumpToCustomDir": "dump/"}
    done = subprocess.run(words, cwd=folder, env=dump, capture_output=True, text=True, check=False)
    if done.returncode:
        print((done.stdout + done.stderr).strip(), file=sys.stderr)
        sys.exit(1)
    return done.stdout


def compile_for(target, kernel, options):
    """Returns the listing of what Intel's compiler makes of a kernel, and the SIMD width."""
    if target not in TARGETS:
        fail(f"TARGET={target}: must be one of {', '.join(TARGETS)}")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "kernels").symlink_to(Path(os.environ["REDUCE_KERNELS"]).resolve())
        Path(folder, "kernel.cl").write_text(f'#include "kernels/{kernel}"\n', encoding="utf-8")
        built = "-options", f"{options} -I kernels", "-out_dir", "out"
        run_tool(folder, "ocloc", "compile", "-file", "kernel.cl", "-device", target, *built)
        path = max(Path(folder, "dump").glob("*_simd*.asm"), key=lambda path: path.stat().st_mtime)
        return path.read_text(encoding="utf-8"), int(re.search(r"_simd(\d+)_", path.name)[1])


def show_step(step):
    """Compiles the kernel of a step, and shows it."""
    program = ROOT / f"step{step:0>2}"
    if program not in STEPS:
        fail(f"{step}: the step must be one of {', '.join(path.name[4:] for path in STEPS)}")
    words = []
    for option in "variant op type width subgroups".split():
        value = get_setting(option.upper())
        words += [f"--{option}", value] if value else []
    device, target = get_setting("DEVICE"), get_setting("TARGET", "tgllp")
    if device and not get_setting("TARGET"):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "binary")
            words += ["--binary", path, "--device", device]
            print(get_output(program, *words).strip())
            return show_file(path)
    _, kernel, options = get_output(program, "--build-options", *words).strip().split(" ", 2)
    listing, simd = compile_for(target, kernel, options)
    print(f"{kernel} for {target} ({TARGETS[target]}), built with {options}")
    return show(listing, kernel, f"SIMD{simd}, ")


def show_file(path):
    """Shows a binary or a listing; after PTX also the machine code, if CUDA's tools exist."""
    binary = path.read_bytes()
    # pocl's file has a library for each group size that was used, and one for any size (0-0-0). The
    # file of Intel's CPU runtime is an ELF file with an object in it.
    places = (binary.find(size) for size in (b"/256-1-1-goffs0/", b"/0-0-0/", binary[1:4]))
    at = binary.find(b"\x7fELF", next(place for place in places if place >= 0))
    at = max(at, binary.find(b"\x7fELF"))  # a plain ELF file
    listing = binary.decode(errors="replace").rstrip("\0")
    with tempfile.TemporaryDirectory() as folder:
        if at >= 0:
            Path(folder, "code").write_bytes(binary[at:])
            listing = run_tool(folder, "objdump", "-d", "--no-show-raw-insn", "code")
        show(listing, path)
        if target := re.search(r"^\.target (\w+)", listing, re.M):
            tool = "nvdisasm -c" if shutil.which("nvdisasm") else "cuobjdump -sass"
            if not shutil.which("ptxas") or not shutil.which(tool.split()[0]):
                print("no machine code: it needs ptxas, and nvdisasm or cuobjdump, of CUDA")
                return
            Path(folder, "ptx").write_text(listing, encoding="utf-8")
            print(f"machine code that ptxas makes of this PTX for {target[1]}:", flush=True)
            run_tool(folder, "ptxas", f"-arch={target[1]}", "ptx", "-o", "code")
            show(run_tool(folder, *tool.split(), "code"), tool)


def count_messages(listing):
    """Returns the columns of asm.dat: the messages of the kernel, and what a thread reads in one
    pass through the lines that find_loop() returns. A register of these GPUs holds 8 ints."""
    lines, kinds, loop = find_loop(LANGUAGES["Intel"], listing)
    blocks, scattered = (
        [lines[at] for at in loop if kinds[at] == kind]
        for kind in ("block_reads", "scattered_reads")
    )
    lanes = max((int(re.search(r"\((\d+)\|", line)[1]) for line in scattered), default=0)
    registers = sum(int(re.search(r"rd:(\d+)", line)[1]) for line in blocks + scattered)
    columns = NEEDED["asm.dat"]["columns"].split()[4:-3]
    return *map(kinds.count, columns), len(blocks), lanes, 8 * registers


def write_all():
    """Writes asm.dat."""
    require_tool("ocloc")  # here, so that only one thread says that it is missing
    jobs = []
    for step in STEPS:
        variants = list_variants(step)
        for name, kernel, articles in variants:
            if kernel != "-" and (name == variants[0][0] or "PERI: " in articles):
                built = get_output(step, "--build-options", "--variant", name).strip()
                jobs += [(step.name[4:], target, *built.split(" ", 2)) for target in TARGETS]

    def make_row(job):
        step, target, variant, kernel, options = job
        listing, simd = compile_for(target, kernel, options)
        return " ".join(map(str, (step, variant, target, simd, *count_messages(listing))))

    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        rows = [*pool.map(make_row, jobs)]
    packages = get_output("dpkg-query", "-W", "intel-opencl-icd", "libigc1").split()
    head = f"# compiler: {' '.join(packages)}\n# operator: sum\n# type: int\n"
    replace_file(DATA, [head + NEEDED["asm.dat"]["columns"], *rows, "# end"])


def make_table():
    """Yields a row for each line of compiled.txt: what PERI says, and what asm.dat has of it."""
    rows = {(row["step"], row["variant"], row["device"]): row for row in Data(DATA).rows}
    yield from ("| PERI | today | verdict | command |", "| --- | --- | --- | --- |")
    for line in read_lines(PLOTS / "published/compiled.txt"):
        if not line or line.startswith("#"):
            continue
        claim, targets, kernel, rule = (cell.strip() for cell in line.split("|"))
        (step, variant), (column, *limit) = kernel.split(), rule.split()
        found = [
            rows[key] for target in targets.split() if (key := (step, variant, target)) in rows
        ]
        verdict = "not checkable here"  # without a limit, or without a row
        if found and limit:
            agrees = all(RULES[limit[0]](getattr(row, column), float(limit[1])) for row in found)
            verdict = "confirmed" if agrees else "different today"
        figures = [f"{row['device']}: {column} {row[column]}" for row in found]
        command = f"make asm{step} VARIANT={variant} TARGET={targets.split()[0]}"
        yield f"| {claim} | {'; '.join(figures) or '-'} | {verdict} | `{command}` |"


def make_loop_table():
    """Yields a row for each loop that the tutorial shows: what the loop executes for 128 ints."""
    yield "| device | step | instructions | loads | addresses |"
    yield "| --- | --- | ---: | ---: | ---: |"
    for device, names in SHOWN.items():
        for name in names.split():
            shown = read_text(PLOTS / f"results/{name}.txt")
            loop = shown.rpartition("machine code")[2]  # for the H100, what follows the PTX
            notes = re.findall(r"^(\S.{17}) [ >] ", loop, re.MULTILINE)
            loads = [list(map(int, re.findall(r"\d+", note))) for note in notes if "load" in note]
            addresses = sum(count for count, _ in loads)
            ints = sum(count * size for count, size in loads) / 4
            cells = (f"{128 / ints * what:.0f}" for what in (len(notes), len(loads), addresses))
            step = re.search(r"\d\d(_|$).*", name)[0].replace("_", " ")
            yield f"| {device} | {step} | {' | '.join(cells)} |"


def make_message_table():
    """Yields a row for each of Peri's kernels and each GPU: asm.dat, and the time of an article."""
    times = {}
    for row in Data(PLOTS / "published/peri.dat").rows:
        times[row["ours"], "kbl"], times[row["ours"], "tgllp"] = row["HD630_ms"], row["IrisXe_ms"]
    kernels = {kernel for kernel, _ in times}
    for row in Data(PLOTS / "published/jin.dat").rows:
        if (row["device"], row["compiler"]) == ("GPU", "Intel"):
            times[row["ours"].removesuffix(":4"), "bdw"] = row["ms"]
    columns = NEEDED["asm.dat"]["columns"].split()[3:]
    yield f"| kernel | GPU | {' | '.join(columns).replace('_', ' ')} | article's ms |"
    yield f"| --- | --- |{' ---: |' * (len(columns) + 1)}"
    for row in Data(DATA).rows:
        if (kernel := f"{row['step']}_{row['variant']}") in kernels:
            cells = [row[column] for column in columns]
            time = times.get((kernel, row["device"]), "-")
            yield f"| {kernel} | {row['device']} | {' | '.join(cells)} | {time} |"


def main(words):
    """Shows a kernel, or writes asm.dat."""
    if len(words) != 1:
        fail("usage: plots/asm.py STEP | FILE | --all")
    if words == ["--all"]:
        write_all()
    elif words[0].isdecimal():
        show_step(words[0])
    else:
        show_file(Path(words[0]))


if __name__ == "__main__":
    start(main)
