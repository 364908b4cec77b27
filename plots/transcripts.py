#!/usr/bin/env python3
"""Runs the commands of a text's ```console blocks and puts what they print where the old output stood: so no number in
README.md or TUTORIAL.md comes from the keyboard, and none outlives the program that printed it.

    plots/transcripts.py FILE...            new outputs for "$ ./step…" and "$ make step…"; all other lines stay
    plots/transcripts.py --check FILE...    the same commands on few elements; only their exit status counts: for a test

A command runs in the repository's folder, and must succeed unless it ends in "# exit status N".
"""
import os
import re
import subprocess
import sys
from pathlib import Path

from data import ROOT, fail, output_of, start, write_whole

os.environ["MAKEFLAGS"] = "-s"  # what the compiler is called with is not the point


def run(command, further=""):
    """What it prints."""
    wanted = int((re.search(r"# exit status (\d+)$", command) or [0, 0])[1])
    done = subprocess.run(["sh", "-c", command + further], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != wanted:
        sys.stderr.write(done.stdout)
        print(f"transcripts.py: exit status {done.returncode}, not {wanted}: {command}{further}", file=sys.stderr)
        sys.exit(1)
    return done.stdout.splitlines()


def run_small(command):
    """On few elements, if it measures; of two --n the last one counts."""
    device = re.search(r"--device ([a-z]*)", command)
    if device and device[1] not in output_of(ROOT / "step01", "--list").lower():
        print(f"skipped, no device {device[1]}: {command}", file=sys.stderr)
    elif "./step" not in command or re.search("# exit status|--check|--list|--variants|--help|step00", command):
        run(command)
    else:
        run(command, " --n 1000 --seconds 0")


def renewed(path, check):
    """The lines of a text with new outputs."""
    inside = fresh = False  # in a console block; behind a command that was run, whose old output is dropped
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("```"):
            inside, fresh = line == "```console", False
        elif inside and line.startswith("$ "):
            fresh = bool(re.match(r"\$ (\./step|make step)", line))
        elif fresh:
            continue
        yield line
        if fresh and check:
            run_small(line[2:])
        elif fresh:
            for output in run(line[2:]):
                yield output
                if len(output) > 80:
                    print(f"{path}: over 80 columns: {output}", file=sys.stderr)


def main(arguments):
    """All texts."""
    check = arguments[:1] == ["--check"]
    if not arguments[check:]:
        fail("usage: plots/transcripts.py [--check] FILE...")
    for path in map(Path, arguments[check:]):
        text = "".join(f"{line}\n" for line in renewed(path, check))
        if not check:
            write_whole(path, text)


if __name__ == "__main__":
    start(main)
