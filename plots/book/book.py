#!/usr/bin/env python3
"""The tutorial and the READMEs as one file, which needs nothing beside it, and as a PDF with everything unfolded.

    plots/book/book.py [FOLDER]      build/book/reductions.html and .pdf, or in another folder

pandoc makes each text into HTML. Here pictures go into the file, and links between the texts become links inside it.
"""
import base64
import html
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from data import ROOT, fail, start, write_whole  # noqa: E402

HERE = Path(__file__).resolve().parent
TEXTS = ["TUTORIAL.md", "README.md", "steps/exercises/CARD.md", "plots/published/README.md", "plots/results/README.md",
         "plots/peers/README.md"]


def tool(*names):
    """A program, or one line that says which package has it."""
    found = filter(None, map(shutil.which, names))
    return next(found, None) or fail(f"{names[0]} is missing: the package {names[0]} has it; make deps BOOK=1 installs it")


def run(*command):
    """What a program prints; what it complains of, only where it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return fail(f"{command[0]}: {done.stderr.strip()}") if done.returncode else done.stdout


def part(pandoc, number, name):
    """A text's contents, and its body. Each has its number in front of its headings' names."""
    folder = (ROOT / name).parent
    made = run(pandoc, "--from=gfm", "--to=html5", f"--id-prefix={number}-", "--toc", "--toc-depth=2", "--wrap=preserve",
               f"--template={HERE / 'part.html'}", ROOT / name)

    def picture(found):
        image = folder / html.unescape(found[1])
        if not image.is_file():
            fail(f"{name}: shows {found[1]}, which is not there")
        return f'src="data:image/svg+xml;base64,{base64.b64encode(image.read_bytes()).decode()}"'

    def link(found):
        target, _, place = html.unescape(found[1]).partition("#")
        if not target or ":" in target:
            return found[0]
        inside = str((folder / target).resolve().relative_to(ROOT))
        if inside not in TEXTS:
            return found[2]  # a file of the repository: the words stay
        return f'<a href="#{TEXTS.index(inside)}-{place}">{found[2]}</a>'

    made = re.sub(r'src="([^"]+)"', picture, made)
    made = re.sub(r'<a\s+href="([^"]+)"[^>]*>(.*?)</a>', link, made, flags=re.DOTALL)
    made = re.sub(r"<table\b.*?</table>", r'<div class="wide">\g<0></div>', made, flags=re.DOTALL)
    contents, _, body = made.partition("<!-- body -->")
    return contents, f'<section id="{number}-">{body}</section>'


def main(arguments):
    """Both files."""
    pandoc, chromium = tool("pandoc"), tool("chromium", "chromium-browser", "google-chrome")
    into = Path(arguments[0] if arguments else ROOT / "build/book").resolve()
    into.mkdir(parents=True, exist_ok=True)
    contents, bodies = map("".join, zip(*(part(pandoc, number, name) for number, name in enumerate(TEXTS))))
    page = (HERE / "book.html").read_text(encoding="utf-8").replace("$contents$", contents).replace("$body$", bodies)
    write_whole(into / "reductions.html", page)
    with tempfile.TemporaryDirectory() as folder:  # a sandbox is for pages of others; in a container there is none
        Path(folder, "unfolded.html").write_text(page.replace("<details", "<details open"), encoding="utf-8")
        run(chromium, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
            "--no-pdf-header-footer", "--generate-pdf-document-outline", f"--print-to-pdf={into / 'reductions.pdf'}",
            f"{folder}/unfolded.html")
    print(into / "reductions.html", into / "reductions.pdf", sep="\n")


if __name__ == "__main__":
    start(main)
