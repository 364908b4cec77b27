#!/usr/bin/env python3
"""Begins an exercise, judges an answer, renames an answer, or lists which exercises are solved.

usage: exercise.py start|check|reset NN, or exercise.py progress

An exercise is a folder NN_name next to this file. It contains task.md with folded hints, start.cl
and start.c, which are copied to mine/, and judge.toml, which has the rules for an answer. This
program executes the step with the answer. The exit status of the step decides whether the answer
is right, and the output of the step explains a failure.

MINE=FOLDER    the folder of the answers (default: mine/)
DEVICE=NAME    the device, as in --device
TIMEOUT=S      the time limit of a kernel in seconds (default: 100)

Exit status: 0 right; 1 wrong, or not what the task asks for; 2 wrong usage or set-up; 77 not
supported on this device
"""
import functools
import os
import re
import signal
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / 'common/judge'))
import oclgrind  # noqa: E402: the line above adds its folder

MINE = Path(os.environ.get('MINE') or 'mine')  # relative to the root, as a learner writes it
FOLDERS = sorted(task.parent for task in HERE.glob('[0-9][0-9]_*/task.md'))
TIMEOUT = os.environ.get('TIMEOUT') or '100'  # of a kernel; compiling and waiting are not included
COMMAND_LIMIT = 3600  # seconds, for any command; a step ends much earlier
UNKNOWN = 'unknown, because Oclgrind is missing or cannot run this kernel'

# The first n is easy. The other n are close to the size of one or two groups, are not a multiple of
# any group size, or are large.
SIZES = '4096,1,2,3,7,17,63,64,65,99,101,129,255,257,4095,4097,10007,131072,1048583'
QUESTIONS = ('right for n = 4096', 'right for any n', 'right in groups of any size',
             'right for any number of lanes, any width')
ANY_OPERATOR = ('Replace a + b by combine(a, b) and 0 by identity(): then the kernel is right for '
                'every operator (CARD.md).')

# If REDUCE_CAUSE is set, the step prints lines "# cause: kind". This program uses two kinds, and
# prints the lines only if a test has set REDUCE_CAUSE.
SHOWS_CAUSES = 'REDUCE_CAUSE' in os.environ
os.environ['REDUCE_CAUSE'] = '1'


def leave(text, status=2):
    text = re.sub(r'[\x00-\x1f\x7f]', '?', text)  # a user's text must not look like a line of ours
    print(f'exercise: {text}', file=sys.stderr)
    sys.exit(status)


class Exercise:
    def __init__(self, number):
        self.number = number = number.zfill(2)
        self.folder = next((f for f in FOLDERS if f.name.startswith(number + '_')), None)
        if not self.folder:
            numbers = ' '.join(folder.name[:2] for folder in FOLDERS)
            leave(f'{number}: there is no such exercise; there are {numbers}')
        self.name = self.folder.name[3:]
        self.rules = tomllib.loads((self.folder / 'judge.toml').read_text())
        text = re.sub(r'</\w+>', '', (self.folder / 'task.md').read_text())
        self.task, *self.hints, self.further = text.split('<details><summary>')
        self.starts = {MINE / (number + start.suffix): start
                       for start in sorted(self.folder.glob('start.*'))}
        self.solved = {mine: mine.with_suffix('.right' + mine.suffix)  # the last right answer
                       for mine in self.starts}
        for path in *self.starts, *self.solved.values():
            if path.exists() and not path.is_file():  # to read a pipe might never end
                leave(f'{path} is not an ordinary file: remove it, then make exercise{number}')

    def state(self):
        if not all(mine.exists() for mine in self.solved):
            return 'not begun'
        if not all(solved.exists() for solved in self.solved.values()):
            return 'begun'
        is_same = all(mine.read_bytes() == solved.read_bytes()
                      for mine, solved in self.solved.items())
        return 'right' if is_same else 'was right, changed since then'

    def is_unchanged(self):
        return all(mine.read_bytes() == start.read_bytes() for mine, start in self.starts.items())

    def save_right_answer(self):
        for mine, solved in self.solved.items():
            try:
                write(solved, mine.read_bytes())
            except OSError as error:
                print(f'exercise: the answer is right, but {solved} cannot be written: '
                      f'{error.strerror}', file=sys.stderr)


def write(path, content):
    """Replaces a file in one operation, so a failure never leaves a part of the new content."""
    part = path.with_name(path.name + '.part')
    part.write_bytes(content)
    part.replace(path)


def begin(exercise):
    if hint := os.environ.get('HINT'):
        if hint not in ('1', '2', '3'):
            leave(f'HINT={hint}: must be 1, 2 or 3')
        return print(exercise.hints[int(hint) - 1].strip())
    MINE.mkdir(exist_ok=True)
    for mine, start in exercise.starts.items():
        if mine.exists():
            print(f'{mine} exists already and is not changed. '
                  f'(make reset{exercise.number} puts it aside.)')
        else:
            write(mine, start.read_bytes())
            todo = ': your code goes where it says TODO.' if b'TODO' in start.read_bytes() else '.'
            print(f'{mine} is yours now{todo}')
    return print(f'\n{exercise.task}Then: make check{exercise.number}. '
                 f'Stuck? make exercise{exercise.number} HINT=1, 2 or 3.')


def reset(exercise):
    turns = ({mine: mine.with_suffix(f'.{turn}{mine.suffix}') for mine in exercise.starts}
             for turn in range(1, 10**6))
    aside = next(turn for turn in turns if not any(path.exists() for path in turn.values()))
    for mine, path in aside.items():  # all copies are complete before an answer is overwritten
        write(path, mine.read_bytes())
    for mine, start in exercise.starts.items():
        write(mine, start.read_bytes())
        print(f'{aside[mine]} holds your answer; {mine} is the start again.')


def run(command):
    """Executes a command. Returns its exit status and its whole output. Kills the command and its
    children after COMMAND_LIMIT seconds."""
    limited = ['setpriv', '--pdeathsig', 'TERM', 'timeout', '-s', 'KILL', str(COMMAND_LIMIT)]
    with subprocess.Popen([*limited, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding='utf-8', errors='replace') as child:
        try:
            text = child.communicate(timeout=30)[0]
        except subprocess.TimeoutExpired:
            print(f'  still running. Does each loop end? A kernel may take {TIMEOUT} s '
                  f'(TIMEOUT={TIMEOUT}).', file=sys.stderr)
            text = child.communicate()[0]
    if child.returncode == -signal.SIGKILL:
        why = f'no result for {COMMAND_LIMIT} s: does each loop end?\n# cause: never_ends\n'
        return 1, f'{text}\n{why}'
    return child.returncode, text


def has_kind(kind, output):
    return f'# cause: {kind}\n' in output


def lines_to_show(output):
    return [line for line in output.splitlines()
            if SHOWS_CAUSES or not re.match(r'[ #]*cause: ', line)]


class Judge:
    def __init__(self, exercise):
        self.exercise, self.rules, self.saw_all = exercise, exercise.rules, True
        mine = {path.suffix: str(path) for path in exercise.starts}
        self.has_own_step = (exercise.folder / 'main.c').exists()
        step = f'{"build/exercise" if self.has_own_step else "./step"}{exercise.number}'
        self.has_plan = '.c' in mine
        self.program = f'build/mine{exercise.number}' if self.has_plan else step
        device = os.environ.get('DEVICE')
        options = ['--variant', self.rules['variant'], *self.rules.get('options', '').split(),
                   '--timeout', TIMEOUT, *(['--device', device] if device else []),
                   *([] if self.has_own_step else ['--op', 'sum', '--type', 'int'])]
        self.theirs = [step, *options]
        self.mine = [self.program, *options, *(['--kernel', mine['.cl']] if '.cl' in mine else [])]

    @functools.cached_property
    def facts(self):  # of the device; empty if there is no device
        return dict(re.findall(r'^(\w+)=(.*)', run([*self.theirs, '--facts'])[1], re.M))

    @functools.cached_property
    def any_operator(self):
        return run([*self.mine, '--check', '--op', 'min', '--n', '1000', *self.group('64')])[0] == 0

    def group(self, sizes):
        return ['--group', sizes] if self.rules.get('grouped', True) else []

    def answer(self, question, verdict, *reasons):
        """Prints a question and its answer. The first 'no' ends the program."""
        print(f'  {question}: {verdict}')
        self.saw_all &= verdict != UNKNOWN
        if verdict == 'no':
            for line in reasons:
                print(textwrap.fill(line, 79, initial_indent='    ', subsequent_indent='    ',
                                    drop_whitespace=len(line) > 75))
            print(f'  Stuck? make exercise{self.exercise.number} HINT=1')
            sys.exit(1)

    def compile_program(self):
        changed = [f'-W{mine}' for mine in self.exercise.starts]  # compile even if old
        status, output = run(['make', '-s', '--no-print-directory', self.program, f'MINE={MINE}',
                              *changed])
        if status:
            lines = [line for line in output.splitlines() if not line.startswith('make')]
            self.answer('compiles', 'no', *lines)

    def check_results(self):
        """Checks the results. --check prints one test for each group size, and then tests of lanes
        and widths if the plan supports them. So the number of passed tests shows which question
        has the answer no."""
        if self.program.startswith('build/'):
            self.compile_program()
        largest = min(int(self.facts.get('group_limit', 512)), 512)
        sizes = ['64', '1', '7', '100', str(largest)]
        check = [*self.mine, '--check', *self.rules.get('data', '').split()]
        status, output = run([*check, '--n', SIZES, *self.group(','.join(sizes))])
        tests = re.split(r'not ok \d+ - step', output)[0] if status else output
        passed = re.findall(r'(?<!not )\bok \d+ - step.*', tests)
        if status == 0 and passed and all('# SKIP' in test for test in passed):
            leave(passed[0].partition('# SKIP ')[2] or 'the plan gives no reason', 77)
        if status == 2 and not self.facts:
            leave(output.strip())
        answered = 2 if status and len(passed) < len(sizes) else 3
        if status and not passed:  # does the first test already fail for n = 4096?
            answered = 0
            if status == 1 and 'Bail out!' not in output:
                answered = run([*check, '--n', '4096', *self.group('64')])[0] == 0
        for question in QUESTIONS[:answered]:
            self.answer(question, 'yes')
        if status == 0:
            return
        if has_kind('does_not_compile', output):
            self.answer('compiles', 'no', *first_failure(output))
        if answered == 2 and not self.group('64'):
            self.answer(QUESTIONS[2], 'no', 'The plan calls choose_group_size(), so --group may '
                        'choose another size. The task asks for groups of 1.')
        self.answer(QUESTIONS[answered], 'no', *self.causes(status, output))

    def causes(self, status, output):
        yield from first_failure(output)
        if status == 2 and self.has_plan:
            yield ('Is the plan right? Each array must be large enough, and what a launch reads '
                   'must have been written by an earlier launch.')

    def find_races(self):
        n = self.rules.get('races', '1000')
        if not n:
            return 2, ''
        return run([*self.mine, '--races', '--n', n,
                    *self.group(self.rules.get('group', '64'))])

    def has_order(self, wanted, options):
        """Returns whether the kernel keeps the order of the elements, or combines in the same order
        as the step's own kernel. The hash operator is not commutative, so its value shows the
        order."""
        if not self.any_operator:
            self.answer(wanted['what'], 'no', 'The results are right, but the kernel is written '
                        f'for sums, which do not show the order. {ANY_OPERATOR}')
        check = ['--check', '--op', 'hash', '--seed', '1', '--force', *options]
        status, output = run([*self.mine, *check])
        if wanted['count'] == 'order':
            return status == 0
        mine, theirs = (re.findall(r'^# n = .*', text, re.M)
                        for text in (output, run([*self.theirs, *check])[1]))
        return mine != [] and mine == theirs

    def count(self, wanted, *further):
        """Returns a count from the output of the plan, or a count of Oclgrind for the first launch
        of the last run. Returns None if the count is unknown."""
        options = [*wanted.get('options', '--n 1000 --group 64').split(), *further]
        if 'order' in wanted.get('count', ''):
            return int(self.has_order(wanted, options))
        timing = [*options, '--reps', '3', '--seconds', '0', '--warm']
        if 'plan' in wanted:
            status, output = run([*self.mine, *timing])
            return None if status else len(re.findall(wanted['plan'], output, re.M))
        status, output = run(['oclgrind', '--inst-counts', *self.mine, '--device=', *timing])
        launches = re.findall(r'^kernel +(\d+) x +(\d+)', output, re.M)
        counts = oclgrind.count_instructions(output)
        if status or not counts:
            return None
        number, (groups, group_size) = counts[-len(launches)][wanted['count']], launches[0]
        if wanted['count'] == 'barriers':  # each work-item counts
            return number // (int(groups) * int(group_size))
        return number

    def check_properties(self, rules):
        for wanted in rules:
            count = self.count(wanted)
            verdict = UNKNOWN
            if count is not None:
                unlike = wanted.get('unlike')
                other = self.count(wanted, *unlike.split()) if unlike else None
                fits = wanted.get('least', 0) <= count <= wanted.get('most', count)
                verdict = 'yes' if fits and count != other else 'no'
            self.answer(wanted['what'], verdict,
                        f'The results are right, but {wanted["lacks"].format(count=count)}')

    def check_races(self):
        status, output = self.find_races()
        verdict = {0: 'yes', 1: 'no'}.get(status, UNKNOWN)
        self.answer('no race, no read of memory that was never written', verdict,
                    *(lines_to_show(output)[1:] or [output.strip()]))

    def show_speed(self):
        # The last column, %limit, is not shown.
        row = rf'^((?:variant|{self.rules["variant"]}) .*?) +\S+(?: [~?])?$'
        for name, command in (f'step {self.exercise.number}', self.theirs), ('yours', self.mine):
            output = run([*command, '--n', '2^22', '--seconds', '0.1', '--limit-seconds', '5'])[1]
            rows = re.findall(row, output, re.M)
            head = [f'\n{"":8} {rows[0]}'] if rows and name != 'yours' else []
            print(*head, f'{name:8} {(rows or output.splitlines())[-1]}', sep='\n')

    def judge(self):
        files = ', '.join(map(str, self.exercise.starts))
        print(f'exercise {self.exercise.number} {self.exercise.name}: {files}')
        self.check_results()
        rules = self.rules.get('property', [])
        self.check_properties(rule for rule in rules if 'plan' in rule)
        if self.rules.get('races', True):
            self.check_races()
        self.check_properties(rule for rule in rules if 'count' in rule)
        if not self.saw_all and self.exercise.is_unchanged():
            self.answer('differs from the start', 'no', 'This is the start, unchanged.')
        self.exercise.save_right_answer()
        verdict = 'Right.' if self.saw_all else (
            'The results are right. Whether the kernel does what the task asks is unknown, because '
            'Oclgrind is missing or cannot run it.')
        more = '' if self.has_own_step or self.any_operator else ANY_OPERATOR
        for text in f'{verdict} {self.rules["why"]}', f'{self.exercise.further} {more}':
            print('', *textwrap.wrap(text, 79), sep='\n')
        self.show_speed()


def first_failure(output):
    """Returns the lines of --check about its first failed test. If no test failed, returns all
    lines that are not TAP."""
    failed = re.search(r'not ok \d+ - .*\n((?:.*\n)*?)(?:(?:not )?ok \d+ - |1\.\.|\Z)', output,
                       re.M)
    lines = re.findall(r'^# (.*)', '\n'.join(lines_to_show(failed[1])),
                       re.M) if failed else []
    if lines and not has_kind('does_not_compile', output):
        return lines
    noise = (r'#|(not )?ok\b|1\.\.|Bail out|.*still waiting|Compilation|.* generated'
             r'|Device .* failed|$')
    own = re.split(r'(?:step|mine|exercise)\d+: (?!still)', output, maxsplit=1)[-1]
    return ([line for line in own.splitlines() if not re.match(noise, line)][:15]
            or ['The plan prints something that hides the reason.'])


def main():
    os.chdir(HERE.parents[1])
    os.environ['REDUCE_NO_PRINTF'] = '1'  # a kernel's output must not look like the judge's
    if re.search(r'[\s\x00-\x1f\x7f]', str(MINE)):
        leave(f"MINE='{MINE}': the path must have no blanks, because make allows none")
    match sys.argv[1:]:
        case ['progress']:
            for exercise in (Exercise(folder.name[:2]) for folder in FOLDERS):
                print(f'{exercise.number} {exercise.name:30} {exercise.rules["minutes"]} min  '
                      f'{exercise.state()}')
        case ['start' | 'reset' | 'check' as task, number]:
            exercise = Exercise(number)
            if task != 'start' and exercise.state() == 'not begun':
                leave(f'{exercise.number} is not begun: make exercise{exercise.number}')
            {'start': begin, 'reset': reset, 'check': lambda it: Judge(it).judge()}[task](exercise)
        case _:
            leave(__doc__.splitlines()[2])


if __name__ == '__main__':
    for interrupt in signal.SIGINT, signal.SIGPIPE:  # they end this process as they end a step
        signal.signal(interrupt, signal.SIG_DFL)
    try:
        main()
    except OSError as error:
        leave(f'{error.filename or MINE}: {error.strerror}; your files are unchanged')
