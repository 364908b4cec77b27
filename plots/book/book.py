#!/usr/bin/env python3
"""Writes the tutorial and the READMEs into one HTML file that needs no other file, and into a PDF
in which all answers are unfolded.

    plots/book/book.py [FOLDER]      writes reductions.html and reductions.pdf into FOLDER;
                                     default: build/book

pandoc converts each text to HTML. This program embeds the pictures into the HTML file, and changes
links between the texts into links inside this file."""

import base64
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import ROOT, CommandLine, fail, replace_file, start  # noqa: E402

HERE = Path(__file__).resolve().parent
TEXTS = [
    "TUTORIAL.md",
    "steps/beyond/similarity/README.md",
    "steps/beyond/ranks/README.md",
    "INSTRUCTORS.md",
    "README.md",
    "INSTALL.md",
    "steps/exercises/CARD.md",
    "plots/published/README.md",
    "plots/results/README.md",
    "plots/peers/README.md",
]


def find_program(*names):
    """Returns the path of a program. If the program is missing, fails with a line that names its
    package."""
    found = filter(None, map(shutil.which, names))
    return next(found, None) or fail(
        f"{names[0]} is missing: the package {names[0]} contains it; make deps BOOK=1 installs it"
    )


def execute(*command):
    """Returns the output of a program. Shows its error messages only if the program fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return fail(f"{command[0]}: {done.stderr.strip()}") if done.returncode else done.stdout


def convert_text(pandoc, number, name):
    """Returns the table of contents and the body of a text. The ids of its headings begin with the
    number of the text."""
    folder = (ROOT / name).parent
    made = execute(
        pandoc,
        "--from=gfm",
        "--to=html5",
        f"--id-prefix={number}-",
        "--toc",
        "--toc-depth=2",
        "--wrap=preserve",
        f"--template={HERE / 'part.html'}",
        ROOT / name,
    )

    def embed_picture(found):
        image = folder / html.unescape(found[1])
        if not image.is_file():
            fail(f"{name}: shows {found[1]}, but there is no such picture")
        return f'src="data:image/svg+xml;base64,{base64.b64encode(image.read_bytes()).decode()}"'

    def redirect_link(found):
        target, _, place = html.unescape(found[1]).partition("#")
        if not target or ":" in target:
            return found[0]
        inside = str((folder / target).resolve().relative_to(ROOT))
        if inside not in TEXTS:
            return found[
                2
            ]  # the book does not contain this file, so only the words of the link stay
        return f'<a href="#{TEXTS.index(inside)}-{place}">{found[2]}</a>'

    def inline_moving_picture(found):
        """A picture that moves becomes a part of the page, so that a reader can stop it."""
        image = folder / html.unescape(found[1])
        text = image.read_text(encoding="utf-8") if image.is_file() else ""
        if "@keyframes" not in text:
            return found[0]
        buttons = "<button>pause</button> <button>next step</button>"
        return f'<figure class="moving">{text}<figcaption>{buttons}</figcaption></figure>'

    made = re.sub(r'<img\b[^>]*src="([^"]+)"[^>]*/?>', inline_moving_picture, made)
    made = re.sub(r'src="([^"]+)"', embed_picture, made)
    made = re.sub(r'<a\s+href="([^"]+)"[^>]*>(.*?)</a>', redirect_link, made, flags=re.DOTALL)
    made = re.sub(r"<table\b.*?</table>", r'<div class="wide">\g<0></div>', made, flags=re.DOTALL)
    contents, _, body = made.partition("<!-- body -->")
    return contents, f'<section id="{number}-">{body}</section>'


def main(arguments):
    """Writes the HTML file and the PDF."""
    command_line = CommandLine(__doc__)
    command_line.add_argument("FOLDER", nargs="?", default=ROOT / "build/book")
    into = Path(command_line.parse_args(arguments).FOLDER).resolve()
    pandoc, chromium = find_program("pandoc"), find_program(
        "chromium", "chromium-browser", "google-chrome"
    )
    into.mkdir(parents=True, exist_ok=True)
    contents, bodies = map(
        "".join, zip(*(convert_text(pandoc, number, name) for number, name in enumerate(TEXTS)))
    )
    page = (
        (HERE / "book.html")
        .read_text(encoding="utf-8")
        .replace("$contents$", contents)
        .replace("$body$", bodies)
    )
    replace_file(into / "reductions.html", page)
    # chromium needs no sandbox for our own page, and a container does not allow one
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "unfolded.html").write_text(
            page.replace("<details", "<details open"), encoding="utf-8"
        )
        execute(
            chromium,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer",
            "--generate-pdf-document-outline",
            f"--print-to-pdf={into / 'reductions.pdf'}",
            f"{folder}/unfolded.html",
        )
    print(into / "reductions.html", into / "reductions.pdf", sep="\n")


if __name__ == "__main__":
    start(main)
