#!/usr/bin/env python3
"""Exercises: begin one, judge one, put one aside, say which are solved.

usage: exercise.py start|check|reset NN, or exercise.py progress

An exercise is a folder NN_name beside this file: task.md (hints folded), start.cl and start.c (copied to mine/), judge.toml (how
it is judged). To judge is to run the step: its exit status decides, and what it prints says only which question failed.
Exit status: 0 right, 1 wrong, or not what was asked, 2 usage or set-up, 77 not supported here
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
import oclgrind  # noqa: E402: only now it is known where

MINE = Path(os.environ.get('MINE') or 'mine')  # below the root, as people write it
FOLDERS = sorted(task.parent for task in HERE.glob('[0-9][0-9]_*/task.md'))
NOT_COUNTED = 'not seen: Oclgrind is not here, or cannot run it'
TIMEOUT, OUTER = '30', '300'  # seconds: a kernel that never ends; any command, which a busy machine may slow down
# First an easy n; then what is around one and two groups, no multiple of anything, or large.
SIZES = '4096,1,2,3,7,17,63,64,65,99,101,129,255,257,4095,4097,10007,131072,1048583'
GROUPS = '64,1,7,100,'  # and 512, or where a device has none, 256
QUESTIONS = ('right for n = 4096', 'right for any n', 'right in groups of any size', 'right for any number of lanes, any width')
ANY_OPERATOR = 'Write combine(a, b) for a + b and identity() for 0: right for every operator (CARD.md).'


def leave(text, status=2):
    print(f'exercise: {text}', file=sys.stderr)
    sys.exit(status)


class Exercise:
    def __init__(self, number):
        self.number = number
        self.folder = next((f for f in FOLDERS if f.name.startswith(number + '_')), None)
        if not self.folder:
            leave(f'{number}: there is no such exercise; there are ' + ' '.join(f.name[:2] for f in FOLDERS))
        self.name, self.rules = self.folder.name[3:], tomllib.loads((self.folder / 'judge.toml').read_text())
        self.task, *self.hints, self.more = re.sub(r'</\w+>', '', (self.folder / 'task.md').read_text()).split('<details><summary>')
        self.files = {start: MINE / (number + start.suffix) for start in sorted(self.folder.glob('start.*'))}
        self.solved = {mine: mine.with_suffix('.right' + mine.suffix) for mine in self.files.values()}  # the last right answer

    def state(self):
        if not all(mine.exists() for mine in self.solved):
            return 'not begun'
        if not all(solved.exists() for solved in self.solved.values()):
            return 'begun'
        same = all(mine.read_bytes() == solved.read_bytes() for mine, solved in self.solved.items())
        return 'right' if same else 'right once, and changed since'

    def note(self):
        for mine, solved in self.solved.items():
            try:
                write(solved, mine.read_bytes())
            except OSError as error:
                print(f'exercise: right, but not noted in {solved}: {error.strerror}', file=sys.stderr)


def write(path, content):  # all of it or nothing
    part = path.with_name(path.name + '.part')
    part.write_bytes(content)
    part.replace(path)


def begin(exercise):
    if hint := os.environ.get('HINT'):
        if hint not in ('1', '2', '3'):
            leave(f'HINT={hint}: must be 1, 2 or 3')
        return print(exercise.hints[int(hint) - 1].strip())
    MINE.mkdir(exist_ok=True)
    for start, mine in exercise.files.items():
        if mine.exists():
            print(f'{mine} is there already, and stays as it is. (make reset{exercise.number} puts it aside.)')
        else:
            write(mine, start.read_bytes())
            print(f'{mine} is yours now' + (': write where it says TODO.' if b'TODO' in start.read_bytes() else '.'))
    return print(f'\n{exercise.task}Then: make check{exercise.number}. Stuck? make exercise{exercise.number} HINT=1, 2 or 3.')


def reset(exercise):
    turns = ({mine: mine.with_suffix(f'.{turn}{mine.suffix}') for mine in exercise.solved} for turn in range(1, 10**6))
    aside = next(turn for turn in turns if not any(path.exists() for path in turn.values()))
    for mine, path in aside.items():  # before anything is changed
        write(path, mine.read_bytes())
    for start, mine in exercise.files.items():
        write(mine, start.read_bytes())
        print(f'{aside[mine]} is what you had, {mine} the start again.')


def run(command):  # exit status and all that was printed; what does not end is killed, with its children
    done = subprocess.run(['setpriv', '--pdeathsig', 'TERM', 'timeout', '-s', 'KILL', OUTER, *command], stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding='utf-8', errors='replace', check=False)
    if done.returncode == -signal.SIGKILL:
        return 1, f'{done.stdout}\nno result for {OUTER} s: does each loop end, or is something written out of bounds?'
    return done.returncode, done.stdout


class Judge:
    def __init__(self, exercise):
        self.exercise, self.rules, self.seen = exercise, exercise.rules, True
        mine = {path.suffix: str(path) for path in exercise.files.values()}
        self.beyond = (exercise.folder / 'main.c').exists()
        step = f'{"build/exercise" if self.beyond else "./step"}{exercise.number}'
        self.program = f'build/mine{exercise.number}' if '.c' in mine else step
        options = ['--variant', self.rules['variant'], *self.rules.get('options', '').split(), '--timeout', TIMEOUT]
        options += [] if self.beyond else ['--op', 'sum', '--type', 'int']
        options += ['--device', os.environ['DEVICE']] if os.environ.get('DEVICE') else []
        self.theirs = [step, *options]
        self.mine = [self.program, *options, *(('--kernel', mine['.cl']) if '.cl' in mine else ())]

    def group(self, sizes):
        return ('--group', sizes) if self.rules.get('grouped', True) else ()

    def says(self, what, verdict, *why):
        """A line for each question. Ends here if the answer is no: only the first failure is shown."""
        print(f'  {what}: {verdict}')
        self.seen &= verdict != NOT_COUNTED
        if verdict == 'no':
            for line in why:
                print(textwrap.fill(line, 79, initial_indent='    ', subsequent_indent='    ', drop_whitespace=len(line) > 75))
            print(f'  Stuck? make exercise{self.exercise.number} HINT=1')
            sys.exit(1)

    def right(self):
        """One run of --check. Each group is a test, of all sizes; lanes and widths follow, where a plan has them."""
        if self.program.startswith('build'):
            changed = [f'-W{mine}' for mine in self.exercise.solved]  # whatever their dates say
            status, said = run(['make', '-s', '--no-print-directory', self.program, f'MINE={MINE}', *changed])
            if status:
                self.says('compiles', 'no', *(line for line in said.splitlines() if not line.startswith('make')))
        check = [*self.mine, '--check', '--n', SIZES, *self.rules.get('data', '').split()]
        status, said = run([*check, *self.group(GROUPS + '512')])
        status, said = run([*check, *self.group(GROUPS + '256')]) if 'has groups of at most' in said else (status, said)
        passed = re.findall(r'(?<!not )\bok \d+ - step.*', re.split(r'not ok \d+ - step', said)[0] if status else said)
        if status == 0 and passed and all('# SKIP' in test for test in passed):
            leave(passed[0].partition('# SKIP ')[2] or 'the plan returns false, and does not say why', 77)
        if status == 2 and run([*self.theirs, '--list'])[0]:
            leave(said.strip())
        answered = int(status == 1 and (re.findall(r'(?:^#| at) n = (\d+)', said, re.M) or ['4096'])[0] != '4096')
        if passed:
            answered = 2 if len(passed) < len(GROUPS.split(',')) else 3
        for question in QUESTIONS[:answered]:
            self.says(question, 'yes')
        if status and 'does not compile' in said:
            self.says('compiles', 'no', *first_failure(said))
        if status and answered == 2 and not self.group(GROUPS):
            self.says(QUESTIONS[answered], 'no', 'The plan leaves that to --group, by group_size(): the task was groups of 1.')
        if status:
            self.says(QUESTIONS[answered], 'no', *self.causes(status, said))

    def causes(self, status, said):
        if status == 1 and 'each loop end' not in said:  # what Oclgrind finds is the cause of the rest
            found = self.races(*re.findall(r'\(groups: \d+ of (\d+)\)', said)[:1])[1].splitlines()
            yield from (f'Oclgrind: {line.strip()}' for line in found if line.startswith('  '))
        yield from first_failure(said)
        if status == 2 and self.program.startswith('build/mine'):
            yield 'Or is it the plan: is each array large enough, and what a launch reads written before?'
        texts = ' '.join(mine.read_text(errors='replace') for mine in self.exercise.files.values())
        asks = 'barrier(' in texts and re.search(r'(for *\([^;]*;|while *\()[^;{]*get_local_size', texts)
        if asks and '[POCL]' in run([*self.theirs, '--facts'])[1]:
            yield 'Keep get_local_size(0) in a variable: pocl 3.1 gets a loop with barriers wrong whose condition calls it.'

    def races(self, group=None):
        n, group = self.rules.get('races', '1000'), group or self.rules.get('group', '64')
        return run([*self.mine, '--races', '--n', n, *self.group(group), '--timeout', '300']) if n else (2, '')  # it is slow

    @functools.cached_property
    def any_operator(self):
        return run([*self.mine, '--check', '--op', 'min', '--n', '1000', *self.group('64')])[0] == 0

    def count(self, wanted, *further):
        """As often as it is in the plan, or as Oclgrind saw it in the first launch of the last run; None: it could not."""
        options = [*wanted.get('options', '--n 1000 --group 64').split(), *further]
        if 'order' in wanted.get('count', ''):  # 1: it is kept; of "same order": it is the step's own
            if not self.any_operator:
                self.says(wanted['what'], 'no', 'Right, but written for sums, in which no order can be seen. ' + ANY_OPERATOR)
            judged = lambda who: run([*who, '--check', '--op', 'hash', '--seed', '1', '--force', *options])
            wrong = lambda said: re.findall('^# n = .*', said, re.M)
            status, said = judged(self.mine)
            return int(status == 0 if wanted['count'] == 'order' else wrong(said) == wrong(judged(self.theirs)[1]))
        command = self.mine if 'plan' in wanted else ['oclgrind', '--inst-counts', *self.mine, '--device=']
        status, said = run([*command, *options, '--reps', '3', '--seconds', '0', '--warm'])
        if 'plan' in wanted:
            return None if status else len(re.findall(wanted['plan'], said, re.M))
        launches, counted = re.findall(r'^kernel +(\d+) x +(\d+)', said, re.M), oclgrind.count_instructions(said)
        if status or not counted:
            return None
        calls, (groups, group) = counted[-len(launches)][wanted['count']], launches[0]
        return calls // (int(groups) * int(group)) if wanted['count'] == 'barriers' else calls  # each work-item calls a barrier

    def properties(self, rules):
        for wanted in rules:
            count, verdict = self.count(wanted), NOT_COUNTED
            if count is not None:
                other = self.count(wanted, *wanted['unlike'].split()) if 'unlike' in wanted else None
                there = wanted.get('least', 0) <= count <= wanted.get('most', count) and count != other
                verdict = 'yes' if there else 'no'
            self.says(wanted['what'], verdict, f'Right, but {wanted["lacks"].format(count=count)}')

    def speed(self):
        for who, command in (('step ' + self.exercise.number, self.theirs), ('yours', self.mine)):
            _, said = run([*command, '--n', '2^22', '--seconds', '0.1', '--limit-seconds', '5'])
            rows = re.findall(rf'^((?:variant|{self.rules["variant"]}) .*?) +\S+(?: [~?])?$', said, re.M)  # without %limit
            head = [f'\n{"":8} {rows[0]}'] if rows and who != 'yours' else []
            print(*head, f'{who:8} {(rows or said.splitlines())[-1]}', sep='\n')

    def judge(self):
        print(f'exercise {self.exercise.number} {self.exercise.name}: ' + ', '.join(map(str, self.exercise.files.values())))
        self.right()
        rules = self.rules.get('property', [])
        self.properties(rule for rule in rules if 'plan' in rule)
        if self.rules.get('races', True):
            status, said = self.races()
            verdict = {0: 'yes', 1: 'no'}.get(status, NOT_COUNTED)
            self.says('no race, nothing read that nobody wrote', verdict, *(said.splitlines()[1:] or [said.strip()]))
        self.properties(rule for rule in rules if 'count' in rule)
        if not self.seen and all(start.read_bytes() == mine.read_bytes() for start, mine in self.exercise.files.items()):
            self.says('another text than the start', 'no', 'This is the start as it was given.')
        self.exercise.note()
        right = 'Right.' if self.seen else 'Right results. Whether the task is done was not seen, as Oclgrind did not count.'
        more = '' if self.beyond or self.any_operator else ANY_OPERATOR
        for text in f'{right} {self.rules["why"]}', f'{self.exercise.more} {more}':
            print('', *textwrap.wrap(text, 79), sep='\n')
        self.speed()


def first_failure(said):
    """Of what --check has said: what is wrong with the first that is not ok, else all that is no TAP."""
    failed = re.search(r'not ok \d+ - step.*\n((?:.*\n)*?)(?:(?:not )?ok \d+ - step|1\.\.|\Z)', said, re.M)
    lines_of = re.findall(r'^# (?!try --races)(.*)', failed[1], re.M) if failed else []
    if lines_of and 'does not compile' not in lines_of[0]:
        return lines_of
    noise = r'#|(not )?ok\b|1\.\.|Bail out|.*still waiting|Compilation|.* generated|Device .* failed|$'
    said = re.split(r'(?:step|mine|exercise)\d+: (?!still)', said, maxsplit=1)[-1]  # the step's own message
    return [line for line in said.splitlines() if not re.match(noise, line)][:15] or ['What the plan prints hides the reason.']


def main():
    os.chdir(HERE.parents[1])
    os.environ['REDUCE_NO_PRINTF'] = '1'  # what a kernel prints is not the judge's
    match sys.argv[1:]:
        case ['progress']:
            for exercise in (Exercise(folder.name[:2]) for folder in FOLDERS):
                print(f'{exercise.number} {exercise.name:30} {exercise.rules["minutes"]} min  {exercise.state()}')
        case ['start' | 'reset' | 'check' as what, number]:
            exercise = Exercise(number)
            if what != 'start' and exercise.state() == 'not begun':
                leave(f'{number} is not begun: make exercise{number}')
            {'start': begin, 'reset': reset, 'check': lambda begun: Judge(begun).judge()}[what](exercise)
        case _:
            leave(__doc__.splitlines()[2])


if __name__ == '__main__':
    for interrupt in signal.SIGINT, signal.SIGPIPE:  # they end this process as they would end a step
        signal.signal(interrupt, signal.SIG_DFL)
    try:
        main()
    except OSError as error:
        leave(f'{error.filename or MINE}: {error.strerror}; nothing of yours is lost')
