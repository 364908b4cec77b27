#!/usr/bin/env python3
"""Runs the commands of a text's ```console blocks and puts what they print where the old output stood: so no number in
README.md or TUTORIAL.md comes from the keyboard, and none outlives the program that printed it.

    plots/transcripts.py FILE...            new outputs for "$ ./step…" and "$ make step…"; all other lines stay

A command runs in the repository's folder, and must succeed unless it ends in "# exit status N".
"""
import os
import re
import subprocess
import sys
from pathlib import Path

from data import ROOT, fail, start, write_whole

os.environ["MAKEFLAGS"] = "-s"  # what the compiler is called with is not the point


def run(command):
    """What it prints."""
    wanted = int((re.search(r"# exit status (\d+)$", command) or [0, 0])[1])
    done = subprocess.run(["sh", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode != wanted:
        sys.stderr.write(done.stdout)
        print(f"transcripts.py: exit status {done.returncode}, not {wanted}: {command}", file=sys.stderr)
        sys.exit(1)
    return done.stdout.splitlines()


def renewed(path):
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
        for output in run(line[2:]) if fresh else []:
            yield output
            if len(output) > 80:
                print(f"{path}: over 80 columns: {output}", file=sys.stderr)


def main(arguments):
    """All texts."""
    if not arguments:
        fail("usage: plots/transcripts.py FILE...")
    for path in map(Path, arguments):
        write_whole(path, "".join(f"{line}\n" for line in renewed(path)))


if __name__ == "__main__":
    start(main)
