#!/usr/bin/env python3
"""Begins an exercise, judges an answer, renames an answer, or lists which exercises are solved.

usage: exercise.py start|check|reset NN, or exercise.py progress

An exercise is a folder NN_name next to this file. It contains task.md with folded hints, start.cl
and start.c, which are copied to mine/, and judge.ini, which has the rules for an answer. This
program executes the step with the answer. The exit status of the step decides whether the answer
is right, and the output of the step explains a failure.

MINE=FOLDER    the folder of the answers (default: mine/)
DEVICE=NAME    the device, as in --device
TIMEOUT=S      the time limit of a kernel in seconds (default: 100)

Exit status: 0 right; 1 wrong, or not what the task asks for; 2 wrong usage or set-up; 77 not
supported on this device, or right, but Oclgrind cannot tell whether it is what the task asks for
"""
import configparser
import functools
import os
import re
import shlex
import signal
import subprocess
import sys
import textwrap
from pathlib import Path

import accesses

HERE = Path(__file__).resolve().parent
MINE = Path(os.environ.get("MINE") or "mine")  # relative to the root, as a learner writes it
FOLDERS = sorted(task.parent for task in HERE.glob("[0-9][0-9]_*/task.md"))
TIMEOUT = os.environ.get("TIMEOUT") or "100"  # of a kernel; compiling and waiting are not included
COMMAND_LIMIT = 3600  # seconds, for any command; a step ends much earlier
SHARED = "--n 4096 --group 64 --groups 4"  # where all work-items can have equally many elements

# The first n is easy. The other n are close to the size of one or two groups, are not a multiple of
# any group size, or are large.
SIZES = "4096,1,2,3,7,17,63,64,65,99,101,129,255,257,4095,4097,10007,131072,1048583"
QUESTIONS = (
    "right for n = 4096",
    "right for any n",
    "right in groups of any size",
    "right for any number of lanes, any width",
)
BY_OCLGRIND = "no work-item leaves the arrays, misses a barrier, or races"
TEST = r"(?<!not )\bok \d+ - step.*"  # that has passed
ANY_OPERATOR = (
    "Replace a + b by combine(a, b) and 0 by identity(): then the kernel is right for "
    "every operator (CARD.md)."
)

# Symbols that a compiler adds to a file, also with -fsanitize=address,undefined.
MADE_BY_COMPILER = r"mem(cpy|set|move)$|_GLOBAL_OFFSET_TABLE_$|__([at]san|ubsan|stack_chk)_"

# If REDUCE_CAUSE is set, the step prints lines "# cause: name". This program uses some names, and
# prints the lines only if a test has set REDUCE_CAUSE.
SEEN_BY_OCLGRIND = "divergence", "invalid_access", "race", "uninitialized"
SHOWS_CAUSES = "REDUCE_CAUSE" in os.environ
os.environ["REDUCE_CAUSE"] = "1"


def leave(text, status=2):
    # A user's text must not look like a line of ours. Python reads a byte that is not UTF-8 as
    # \udc80 …
    text = re.sub(r"[\x00-\x1f\x7f-\x9f\udc80-\udcff]", "?", text)
    print(f"exercise: {text}", file=sys.stderr)
    sys.exit(status)


class Exercise:
    def __init__(self, number):
        self.number = number = number.zfill(2)
        self.folder = next((f for f in FOLDERS if f.name.startswith(number + "_")), None)
        if not self.folder:
            numbers = " ".join(folder.name[:2] for folder in FOLDERS)
            leave(f"{number}: there is no such exercise; there are {numbers}")
        self.name = self.folder.name[3:]
        rules = configparser.ConfigParser(interpolation=None, delimiters="=")
        rules.read_string((self.folder / "judge.ini").read_text())
        self.rules = rules["answer"]
        self.properties = {
            name.partition(": ")[2]: rules[name] for name in rules if name.startswith("property: ")
        }
        text = re.sub(r"</\w+>", "", (self.folder / "task.md").read_text())
        self.task, *self.hints, further = text.split("<details><summary>")
        self.further = " ".join(further.split())
        self.starts = {
            MINE / (number + start.suffix): start for start in sorted(self.folder.glob("start.*"))
        }
        self.solved = {
            mine: mine.with_suffix(".right" + mine.suffix)  # the last right answer
            for mine in self.starts
        }
        for path in *self.starts, *self.solved.values():
            if path.exists() and not path.is_file():  # to read a pipe might never end
                leave(f"{path} is not an ordinary file: remove it, then make exercise{number}")

    def state(self):
        if not all(mine.is_file() for mine in self.solved):  # reading a FIFO would never end
            return "not begun"
        if not all(solved.exists() for solved in self.solved.values()):
            return "begun"
        is_same = all(
            mine.read_bytes() == solved.read_bytes() for mine, solved in self.solved.items()
        )
        return "right" if is_same else "was right, changed since then"

    def is_unchanged(self):
        return all(mine.read_bytes() == start.read_bytes() for mine, start in self.starts.items())

    def save_right_answer(self):
        for mine, solved in self.solved.items():
            try:
                write(solved, mine.read_bytes())
            except OSError as error:
                print(
                    f"exercise: the answer is right, but {solved} cannot be written: "
                    f"{error.strerror}",
                    file=sys.stderr,
                )


def write(path, content):
    """Replaces a file in one operation, so a failure never leaves a part of the new content."""
    part = path.with_name(path.name + ".part")
    try:
        part.write_bytes(content)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def begin(exercise):
    if hint := os.environ.get("HINT"):
        if hint not in ("1", "2", "3"):
            leave(f"HINT={hint}: must be 1, 2 or 3")
        return print(exercise.hints[int(hint) - 1].strip())
    MINE.mkdir(exist_ok=True)
    for mine, start in exercise.starts.items():
        if mine.exists():
            print(
                f"{mine} exists already and is not changed. "
                f"(make reset{exercise.number} puts it aside.)"
            )
        else:
            write(mine, start.read_bytes())
            todo = ": your code goes where it says TODO." if b"TODO" in start.read_bytes() else "."
            print(f"{mine} is yours now{todo}")
    return print(
        f"\n{exercise.task}Then: make check{exercise.number}. "
        f"Stuck? make exercise{exercise.number} HINT=1, 2 or 3."
    )


def reset(exercise):
    turns = (
        {mine: mine.with_suffix(f".{turn}{mine.suffix}") for mine in exercise.starts}
        for turn in range(1, 10**6)
    )
    aside = next(turn for turn in turns if not any(path.exists() for path in turn.values()))
    for mine, path in aside.items():  # all copies are complete before an answer is overwritten
        write(path, mine.read_bytes())
    for mine, start in exercise.starts.items():
        write(mine, start.read_bytes())
        print(f"{aside[mine]} holds your answer; {mine} is the start again.")


def run(command):
    """Executes a command. Returns its exit status and its whole output. Kills the command and its
    children after COMMAND_LIMIT seconds."""
    limited = ["setpriv", "--pdeathsig", "TERM", "timeout", "-s", "KILL", str(COMMAND_LIMIT)]
    with subprocess.Popen(
        [*limited, *command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        errors="replace",
    ) as child:
        try:
            text = child.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            print(
                "  still running: either the machine is slow or busy, or a loop of the kernel "
                f"does not end. The judge ends a kernel after {TIMEOUT} s (TIMEOUT={TIMEOUT}), "
                "and earlier if it has few elements.",
                file=sys.stderr,
            )
            text = child.communicate()[0]
    if child.returncode == -signal.SIGKILL:
        why = f"no result for {COMMAND_LIMIT} s: does each loop end?\n# cause: never_ends\n"
        return 1, f"{text}\n{why}"
    return child.returncode, text


def has_cause(name, output):
    return f"# cause: {name}\n" in output


def lines_to_show(output):
    return [
        line for line in output.splitlines() if SHOWS_CAUSES or not re.match(r"[ #]*cause: ", line)
    ]


class Judge:
    def __init__(self, exercise):
        self.exercise, self.rules, self.saw_all = exercise, exercise.rules, True
        mine = {path.suffix: str(path) for path in exercise.starts}
        self.has_own_step = (exercise.folder / "main.c").exists()
        number = exercise.number
        step = f'{"build/exercise" if self.has_own_step else "./step"}{number}'
        judge = f'{"build/judge_exercise" if self.has_own_step else "./judge"}{number}'
        self.has_plan = ".c" in mine
        # The program that measures the answer, and the one that judges it.
        self.program = f"build/mine{number}" if self.has_plan else step
        self.judge_program = f"build/judge_mine{number}" if self.has_plan else judge
        device = os.environ.get("DEVICE")
        options = [
            "--variant",
            self.rules["variant"],
            *self.rules.get("options", "").split(),
            "--timeout",
            TIMEOUT,
            *(["--device", device] if device else []),
            *([] if self.has_own_step else ["--op", "sum", "--type", "int"]),
        ]
        self.theirs = [step, *options]
        self.text = "".join(path.read_text(errors="replace") for path in exercise.starts)
        self.kernel = [mine[".cl"]] if ".cl" in mine else []
        self.plan = [self.program, *options]  # with the step's own kernel
        self.mine = [*self.plan, *(["--kernel", *self.kernel] if self.kernel else [])]
        self.judged = [self.judge_program, *options, *self.kernel]

    @functools.cached_property
    def facts(self):  # of the device; empty if there is no device
        return dict(re.findall(r"^(\w+)=(.*)", run([*self.theirs, "--facts"])[1], re.M))

    @functools.cached_property
    def group_sizes(self):
        return ["64", "1", "7", "100", str(min(int(self.facts.get("group_limit", 512)), 512))]

    def group(self, sizes):
        return ["--group", sizes] if self.rules.getboolean("grouped", True) else []

    def answer(self, question, verdict, *reasons):
        """Prints a question and its answer. The first 'no' ends the program."""
        print(f"  {question}: {verdict}")
        self.saw_all &= not verdict.startswith("unknown")
        if verdict == "no":
            for line in reasons:
                print(
                    textwrap.fill(
                        line,
                        79,
                        initial_indent="    ",
                        subsequent_indent="    ",
                        drop_whitespace=len(line) > 75,
                    )
                )
            print(f"  Stuck? make exercise{self.exercise.number} HINT=1")
            sys.exit(1)

    @functools.cache
    def make(self, program):
        changed = [f"-W{mine}" for mine in self.exercise.starts]  # compile even if old
        status, output = run(
            ["make", "-s", "--no-print-directory", program, f"MINE={MINE}", *changed]
        )
        if status:
            lines = [line for line in output.splitlines() if not line.startswith("make")]
            self.answer("compiles", "no", *lines)

    def check_text(self):
        """Refuses a kernel that is not the learner's, a kernel that asks whether it is judged (then
        printf is a macro), and a plan that could print what this program reads."""
        text = self.text.replace("\\\n", "")  # a directive may continue in the next line
        text = re.sub(
            r'("(?:\\.|[^"\n])*"|<[^>\n]*>)|//.*|/\*[\s\S]*?\*/',  # a comment
            lambda found: found[1] or " ",
            text,
        )
        for pattern, what in (
            (r"(include|define)\b.*\.cl\b.*", "Only .clh files may be included."),
            (r"(if|elif|undef).*\bprintf\b.*", "Remove it."),
        ):
            if line := re.search(rf"^\s*(#|%:)\s*{pattern}", text, re.M):
                self.answer(
                    "is an answer of its own", "no", f"It has the line {line[0].strip()}. {what}"
                )
        if self.has_plan and not re.search(r"\bvariants\b", text):
            self.answer(
                "compiles",
                "no",
                f"{MINE / self.exercise.number}.c has no list variants, "
                "which names the function that plans: start.c shows it.",
            )
        for program in self.program, self.judge_program:
            if program.startswith("build/"):
                self.make(program)
        if self.has_plan:
            of_step = names_in("--defined-only", "build/libreduce.a")
            others = [
                name
                for name in sorted(names_in("--undefined-only", self.program + ".o"))
                if name not in of_step and not re.match(MADE_BY_COMPILER, name)
            ]
            if others:
                self.answer(
                    "plans, and does nothing else",
                    "no",
                    f"The file calls or uses "
                    f'{", ".join(others)}. A plan uses the functions of CARD.md only.',
                )

    def check_results(self):
        """Checks the results: first of a few elements, which need no time, so a kernel that never
        ends is noticed soon. Then --tap prints one test for each group size, and tests of lanes
        and widths if the plan supports them. So the number of passed tests shows which question
        has the answer no."""
        sizes = self.group_sizes
        check = [*self.judged, "--tap", *self.rules.get("data", "").split()]
        few = ["--n", "4096", *self.group("64")]
        status, output = run([*check, *few])
        tests = re.findall(TEST, output)
        if status in (0, 77) and tests and all("# SKIP" in test for test in tests):
            leave(tests[0].partition("# SKIP ")[2] or "the plan gives no reason", 77)
        if status == 2 and not self.facts:
            leave(output.strip())
        if "--group has no effect" in output:
            reason = "The plan does not call choose_group_size(), so it has one group size only."
            self.answer(QUESTIONS[2], "no", reason)
        answered = 0
        if status == 0:
            status, output = run([*check, "--n", SIZES, *self.group(",".join(sizes))])
            tests = re.findall(TEST, re.split(r"not ok \d+ - step", output)[0])
            answered = 3 if status == 0 or len(tests) >= len(sizes) else 2 if tests else 1
        for question in QUESTIONS[:answered]:
            self.answer(question, "yes")
        if status == 0:
            return
        if has_cause("does_not_compile", output):
            self.answer("compiles", "no", *first_failure(output))
        if not self.group("64") and run([*check, *few, "--group", "1"])[0] == 0:
            self.answer(
                QUESTIONS[2],
                "no",
                "The plan calls choose_group_size(), so --group may "
                "choose another size. The task asks for groups of 1.",
            )
        question = (
            BY_OCLGRIND
            if re.search("^not ok [0-9]+ - Oclgrind", output, re.M)
            else QUESTIONS[answered]
        )
        self.answer(question, "no", *self.causes(output))

    def causes(self, output):
        """Explains a failure: which elements the kernel reads wrongly, if it is certain; otherwise
        what the step says."""
        lines = first_failure(output)
        by_oclgrind = any(has_cause(name, output) for name in SEEN_BY_OCLGRIND)
        place = re.match(r"n = (\d{1,5}): .*\(groups: (\d+) of (\d+)", " ".join(lines))
        if place and self.has_own_step and not by_oclgrind:
            n, groups, size = place.groups()
            options = ["--n", n, "--groups", groups, *self.group(size)]
            try:
                reads, is_certain = self.find_launch(" ".join(options)).find_wrong_reads(int(n))
                # After something certain, guesses from the result would distract.
                lines = lines[:1] if is_certain else lines
                lines += reads or [
                    "Each element is read once, so the mistake is in what the "
                    "kernel does with it."
                ]
            except accesses.Unknown:
                pass
        return lines

    def check_races(self, question, sizes):
        """Lets Oclgrind look at several groups of 64, or at one group of each other size."""
        most = int(self.rules.get("races", "1000"))
        statuses, right = set(), "yes"
        for size in sizes:
            n, groups = (most, 2) if size == "64" else (min(most, max(int(size), 64)), 1)
            groups = ["--groups", str(groups)] if self.rules.get("chooses_groups") == "yes" else []
            status, output = run(
                [*self.judged, "--races", "--n", str(n), *groups, *self.group(size)]
            )
            if status == 1 and re.findall("# cause: (.*)", output)[:1] == ["formal_race"]:
                command = shlex.join([self.judge_program, "--races", *self.kernel])
                status, right = 0, f"yes, although formally there is a race: see {command}"
            statuses.add(status)
            if status == 1:
                break
        unknown = f"unknown, because {accesses.NO_REPORT}"
        verdict = "no" if status == 1 else right if 0 in statuses <= {0, 77} else unknown
        # Further findings may be effects of the first one.
        first = lines_to_show(output)[1:][: 2 if SHOWS_CAUSES else 1]
        self.answer(question, verdict, *(first or [output.strip()]))

    @functools.cache
    def find_launch(self, options):
        self.make(accesses.LIBRARY)
        words = options.split()
        output = run(accesses.command([*self.judged, *words]))[1]
        while ignored := re.search(r"^# ignored: (--\w+) has no effect", output, re.M):
            at = words.index(ignored[1])
            del words[at : at + 2]  # the option and its number
            output = run(accesses.command([*self.judged, *words]))[1]
        return accesses.Launch(output)

    def count(self, wanted):
        """Returns a count from the output of the plan, or a count of the first launch."""
        options = wanted.get("options", "--n 1000 --group 64").split()
        if "count" in wanted:
            launch = self.find_launch(" ".join(options))
            return launch.count(wanted["count"], wanted.getint("lanes", 1))
        status, output = run([*self.plan, *options, "--reps", "3", "--seconds", "0", "--warm"])
        if status not in (0, 2):  # 2: the plan does not use an option, so no row is printed
            raise accesses.Unknown("the plan cannot be executed")
        return len(re.findall(wanted["plan"], output, re.M))

    def find_lack(self, wanted):
        """Returns a sentence about a property that the answer does not have, otherwise ''."""
        if "op" in wanted:  # a kernel without combine() does not compile for every operator
            options = ["--op", wanted["op"], *wanted["options"].split()]
            return wanted["lacks"] if run([*self.judged, "--tap", *options])[0] == 1 else ""
        count = self.count(wanted)
        fits = wanted.getint("least", 0) <= count <= wanted.getint("most", count)
        return "" if fits else wanted["lacks"].format(count=count)

    def ask(self, question, find_lack, *arguments):
        try:
            lack = find_lack(*arguments)
        except accesses.Unknown as why:
            return self.answer(question, f"unknown, because {why}")
        return self.answer(question, "no" if lack else "yes", f"The results are right, but {lack}")

    def show_speed(self):
        # The last column, %limit, is not shown.
        row = rf'^((?:variant|{self.rules["variant"]}) .*?) +\S+(?: [~?])?$'
        theirs = "solution" if self.has_own_step else f"step {self.exercise.number}"
        for name, command in (theirs, self.theirs), ("yours", self.mine):
            output = run([*command, "--n", "2^22", "--seconds", "0.1", "--limit-seconds", "5"])[1]
            rows = re.findall(row, output, re.M)
            head = [f'\n{"":8} {rows[0]}'] if rows and name != "yours" else []
            # If there is no row: the line WRONG and the command below it; otherwise the last line,
            # in which the step says why it measured nothing.
            wrong = re.search(r"^WRONG: .*(\n  .*)?", output, re.M)
            found = rows[-1] if rows else wrong[0] if wrong else output.splitlines()[-1]
            print(*head, f"{name:8} {found}", sep="\n")

    def judge(self):
        files = ", ".join(map(str, self.exercise.starts))
        print(f"exercise {self.exercise.number} {self.exercise.name}: {files}")
        self.check_text()
        self.check_results()
        properties = self.exercise.properties.items()
        finds_races, others = self.rules.get("races") != "no", self.group_sizes[1:]
        for question, rule in properties:
            if "plan" in rule:
                self.ask(question, self.find_lack, rule)
        if finds_races:
            self.check_races("no race, no read of memory that was never written", ["64"])
        for question, rule in properties:
            if "plan" not in rule:
                self.ask(question, self.find_lack, rule)
        shared = self.rules.get("shared", SHARED)
        if shared != "no":
            self.ask("all work-items share the work", lambda: self.find_launch(shared).find_idle())
        if finds_races and self.group("64"):
            self.check_races("no race in groups of other sizes that the kernel supports", others)
        if not self.saw_all and self.exercise.is_unchanged():
            self.answer("differs from the start", "no", "This is the start, unchanged.")
        if self.saw_all:
            self.exercise.save_right_answer()
        verdict = (
            "Right."
            if self.saw_all
            else (
                "The results are right. Whether the kernel does what the task asks is unknown: see "
                "above. So make progress does not list this exercise as solved."
            )
        )
        is_general = (
            self.has_own_step
            or run([*self.judged, "--tap", "--op", "min", "--n", "1000", *self.group("64")])[0] == 0
        )
        more = "" if is_general else ANY_OPERATOR
        for text in f'{verdict} {self.rules["why"]}', f"{self.exercise.further} {more}":
            print("", *textwrap.wrap(text, 79), sep="\n")
        self.show_speed()
        sys.exit(0 if self.saw_all else 77)


def names_in(which, file):
    """The names in the symbol table of an object file or a library."""
    return set(re.findall(r"\b[A-Z] (\w+)$", run(["nm", which, file])[1], re.M))


def first_failure(output):
    """Returns the lines of --tap about its first failed test. If no test failed, returns all
    lines that are not TAP."""
    failed = re.search(
        r"not ok \d+ - .*\n((?:.*\n)*?)(?:(?:not )?ok \d+ - |1\.\.|\Z)", output, re.M
    )
    lines = re.findall(r"^# (.*)", "\n".join(lines_to_show(failed[1])), re.M) if failed else []
    if lines and not has_cause("does_not_compile", output):
        return lines
    noise = (
        r"#|(not )?ok\b|1\.\.|Bail out|.*still waiting|Compilation|.* generated"
        r"|Device .* failed|$"
    )
    own = re.split(r"(?:step|mine|exercise)\d+: (?!still)", output, maxsplit=1)[-1]
    return [line for line in own.splitlines() if not re.match(noise, line)][:15] or [
        "The plan prints something that hides the reason."
    ]


def main():
    os.chdir(HERE.parents[1])
    os.environ["REDUCE_NO_PRINTF"] = "1"  # a kernel's output must not look like the judge's
    if re.search(r"[\s\x00-\x1f\x7f-\x9f]", str(MINE)):
        leave(f"MINE='{MINE}': the path must have no blanks, because make allows none")
    match sys.argv[1:]:
        case ["progress"]:
            for exercise in (Exercise(folder.name[:2]) for folder in FOLDERS):
                print(
                    f'{exercise.number} {exercise.name:30} {exercise.rules["minutes"]} min  '
                    f"{exercise.state()}"
                )
        case ["start" | "reset" | "check" as task, number]:
            exercise = Exercise(number)
            if task != "start" and exercise.state() == "not begun":
                leave(f"{exercise.number} is not begun: make exercise{exercise.number}")
            {"start": begin, "reset": reset, "check": lambda it: Judge(it).judge()}[task](exercise)
        case ["-h" | "--help"]:
            print(__doc__.strip())
        case _:
            leave(__doc__.splitlines()[2])


if __name__ == "__main__":
    for interrupt in signal.SIGINT, signal.SIGPIPE:  # they end this process as they end a step
        signal.signal(interrupt, signal.SIG_DFL)
    try:
        main()
    except OSError as error:
        leave(f"{error.filename or MINE}: {error.strerror}; your files are unchanged")
