#!/usr/bin/env python3
"""Exercises: begin one, judge one, put one aside, say which are solved.

usage: exercise.py start|check|reset NN, or exercise.py progress

An exercise is a folder NN_name beside this file: task.md (hints folded), start.cl and start.c (copied to mine/),
judge.toml (how it is judged). To judge is to run the step with --check, --races, and under Oclgrind. Exit statuses
decide, never what a kernel may have printed.
Exit status: 0 right, 1 wrong, or not what was asked, 2 usage or set-up, 77 not supported here
"""
import hashlib
import os
import re
import signal
import subprocess
import sys
import textwrap
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.append(str(HERE.parents[1] / 'common/check'))
import oclgrind  # noqa: E402: only now it is known where

MINE = Path(os.environ.get('MINE') or 'mine')  # below the root, as people write it
PROGRESS = MINE / 'progress.txt'               # for each right answer its number, and a hash of it
FOLDERS = sorted(task.parent for task in HERE.glob('[0-9][0-9]_*/task.md'))
PLANNED = ('launches', 'host_folds', 'group')  # counts that a plan knows; the others are seen by Oclgrind
NOT_COUNTED = 'not seen: Oclgrind is not here, or cannot run it'
TIMEOUT, OUTER = '5', '20'  # seconds: the step's own, and that of any command


def leave(text, status=2):
    print(f'exercise: {text}', file=sys.stderr)
    sys.exit(status)


def lines(path):
    return [line for line in path.read_text(errors='replace').splitlines() if line] if path.exists() else []


class Exercise:
    def __init__(self, number):
        self.number = number
        self.folder = next((f for f in FOLDERS if f.name.startswith(number + '_')), None)
        if not self.folder:
            leave(f'{number}: there is no such exercise; there are ' + ' '.join(f.name[:2] for f in FOLDERS))
        self.name, self.rules = self.folder.name[3:], tomllib.loads((self.folder / 'judge.toml').read_text())
        self.files = {start: MINE / (number + start.suffix) for start in sorted(self.folder.glob('start.*'))}

    def hash(self):
        return hashlib.sha256(b''.join(mine.read_bytes() for mine in self.files.values())).hexdigest()[:16]

    def state(self):
        right = [line.split()[-1] for line in lines(PROGRESS) if line.startswith(self.number + ' ')]
        if not all(mine.exists() for mine in self.files.values()):
            return 'not begun'
        return 'begun' if not right else 'right' if self.hash() in right else 'right once, and changed since'

    def note(self):
        others = [line for line in lines(PROGRESS) if not line.startswith(self.number + ' ')]
        part = PROGRESS.with_suffix('.part')
        try:
            part.write_text('\n'.join(sorted([*others, f'{self.number} {self.hash()}'])) + '\n')
            part.replace(PROGRESS)
        except OSError as error:
            print(f'exercise: right, but not noted in {PROGRESS}: {error.strerror}', file=sys.stderr)


def copy(start, mine):
    """A whole copy or none, and never over what is there."""
    with open(mine, 'xb') as file:
        try:
            file.write(start.read_bytes())
            file.flush()
        except OSError:
            mine.unlink()
            raise


def begin(exercise):
    hint = os.environ.get('HINT')
    if hint and hint not in ('1', '2', '3'):
        leave(f'HINT={hint}: must be 1, 2 or 3')
    text, *hints = (exercise.folder / 'task.md').read_text().split('<details>')
    if hint:
        return print(re.sub(r'</?\w+>', '', hints[int(hint) - 1]).strip())
    MINE.mkdir(exist_ok=True)
    for start, mine in exercise.files.items():
        if mine.exists():
            print(f'{mine} is there already, and stays as it is. (make reset{exercise.number} puts it aside.)')
        else:
            copy(start, mine)
            print(f'{mine} is yours now: write where it says TODO.')
    return print(f'\n{text.strip()}\n\nThen: make check{exercise.number}. Stuck? make exercise{exercise.number} HINT=1, 2 or 3.')


def reset(exercise):
    def aside(mine):
        return mine.with_suffix(f'.{turn}{mine.suffix}')
    kept, turn = [mine for mine in exercise.files.values() if mine.exists()], 1
    if not kept:
        leave(f'{exercise.number} is not begun: make exercise{exercise.number}')
    while any(aside(mine).exists() for mine in kept):
        turn += 1
    for mine in kept:  # before anything is changed
        copy(mine, aside(mine))
    for start, mine in exercise.files.items():
        mine.unlink(missing_ok=True)
        copy(start, mine)
    print(*(f'{aside(mine)} is what you had, {mine} the start again.' for mine in kept), sep='\n')


def run(command):
    """Exit status and all that was printed. What does not end is killed, with its children."""
    done = subprocess.run(['timeout', '-s', 'KILL', OUTER, *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding='utf-8', errors='replace', check=False)
    if done.returncode == -signal.SIGKILL:
        return 1, f'no result for {OUTER} s: does each loop end, or is something written out of bounds?'
    return done.returncode, done.stdout


class Judge:
    def __init__(self, exercise):
        self.exercise, self.rules = exercise, exercise.rules
        mine = {path.suffix: str(path) for path in exercise.files.values()}
        beyond = (exercise.folder / 'main.c').exists()
        step, variant = f'{"build/exercise" if beyond else "./step"}{exercise.number}', ('--variant', self.rules['variant'])
        self.sum = () if beyond else ('--op', 'sum', '--type', 'int')
        self.program = f'build/mine{exercise.number}' if '.c' in mine else step
        options = (*variant, *self.rules.get('options', '').split(), '--timeout', TIMEOUT)
        self.mine = [self.program, *options, *(('--kernel', mine['.cl']) if '.cl' in mine else ())]
        self.theirs = [step, *options]
        self.device = ('--device', os.environ['DEVICE']) if os.environ.get('DEVICE') else ()
        self.group = ('--group', group) if (group := self.rules.get('group', '64')) else ()
        self.seen = True

    def says(self, what, verdict, *why):
        """A line for each question. Ends here if the answer is no: only the first failure is shown."""
        print(f'  {what}: {verdict}')
        self.seen &= verdict != NOT_COUNTED
        if verdict == 'no':
            for line in why:
                print(textwrap.fill(line, 79, initial_indent='    ', subsequent_indent='    ', drop_whitespace=len(line) > 75))
            print(f'  Stuck? make exercise{self.exercise.number} HINT=1')
            sys.exit(1)
        if verdict.startswith('not supported'):
            leave(why[0] if why else 'this device cannot run the exercise; DEVICE= names another', 77)

    def check(self, what, *options):
        status, said = run([*self.mine, *self.device, '--check', *self.sum, *options])
        if status == 0 and not re.search(r'^ok \d+ (?!.*# SKIP)', said, re.M):
            reason = re.search('# SKIP (.*)', said)
            self.says(what, 'not supported here', reason[1] if reason else 'the plan returns false, and does not say why')
        if status == 2 and run([self.theirs[0], '--list', *self.device])[0]:
            leave(said.strip())
        broken, why = re.search(r'^# .* does not compile', said, re.M), first_failure(said)
        if status == 1 and not broken and 'each loop end' not in said:  # what Oclgrind finds is the cause of the rest
            why = [f'Oclgrind: {line.strip()}' for line in self.races()[1].splitlines() if line.startswith('  ')] + why
        if status == 2 and self.program.startswith('build/mine'):
            why += ['Or is it the plan: is each array large enough, and what a launch reads written before?']
        texts = ' '.join(mine.read_text(errors='replace') for mine in self.exercise.files.values())
        if re.search(r'(for *\([^;]*;|while *\()[^;{]*get_local_size', texts):
            why += ['Keep get_local_size(0) in a variable: pocl 3.1 gets a loop with barriers wrong whose condition calls it.']
        self.says('compiles' if broken else what, 'no' if status else 'yes', *why)

    def races(self):
        n = self.rules.get('races', '1000')
        return run([*self.mine, '--races', *self.sum, '--n', n, *self.group, '--timeout', '15']) if n else (2, '')  # it is slow

    def right(self):
        if self.program.startswith('build'):
            if self.program.startswith('build/mine'):
                Path(self.program).unlink(missing_ok=True)
            status, said = run(['make', '-s', '--no-print-directory', self.program, f'MINE={MINE}'])
            if status:
                self.says('compiles', 'no', *(line for line in said.splitlines() if not line.startswith('make')))
        self.check('right for n = 4096', '--n', '4096', *self.group)
        self.check('right for any n', *self.group)
        if self.group:
            self.check('right in groups of any size', '--group', '1,7,100,256')
        if 'also' in self.rules:
            self.check('right with ' + self.rules['also'], *self.group, *self.rules['also'].split())

    def count(self, what, options):
        """Of the last reduction, what its plan says or what Oclgrind saw in its first launch; None: it could not."""
        planned = what in PLANNED
        command = [*self.mine, *self.sum, *options, '--reps', '3', '--seconds', '0', '--warm']
        status, said = run([*command, *self.device] if planned else ['oclgrind', '--inst-counts', *command])
        stages = re.findall(r'^(kernel|host fold) +(?:(\d+) x +(\d+))?', said, re.M)
        sizes = [(int(groups), int(group)) for kind, groups, group in stages if kind == 'kernel']
        counted = oclgrind.counts(said)[-len(sizes):]
        if status or not sizes or not planned and not counted:
            return None
        if planned:
            return {'launches': len(sizes), 'host_folds': len(stages) - len(sizes), 'group': sizes[0][1]}[what]
        calls = counted[0][what]
        return calls // (sizes[0][0] * sizes[0][1]) if what == 'barriers' else calls  # each work-item calls a barrier

    def property(self, wanted):
        """Is it there, None: that cannot be seen; and what was counted."""
        options = wanted.get('options', '--n 1000 --group 64').split()
        if 'order' in wanted:
            if not self.any_operator():
                return False, 'no order can be seen, as it is written for sums. Write combine(a, b) for a + b, identity() for 0'
            status, _ = run([*self.mine, *self.device, '--check', '--op', 'hash', '--type', 'int', '--force', *options])
            kept = status == 0
            return kept == (wanted['order'] == 'kept'), f'the order is {"" if kept else "not "}kept'
        count = self.count(wanted['count'], options)
        other = self.count(wanted['count'], options + wanted['unlike'].split()) if 'unlike' in wanted else None
        if count is None:
            return None, 0
        return wanted.get('least', 0) <= count <= wanted.get('most', count) and count != other, count

    def any_operator(self):
        return run([*self.mine, *self.device, '--check', '--op', 'min', '--type', 'int', '--n', '1000', *self.group])[0] == 0

    def properties(self, rules):
        for wanted in rules:
            there, count = self.property(wanted)
            lacks = f'Right, but {wanted["lacks"].format(count=count)}'
            self.says(wanted['what'], {True: 'yes', False: 'no', None: NOT_COUNTED}[there], lacks)

    def speed(self):
        for who, command in (('step ' + self.exercise.number, self.theirs), ('yours', self.mine)):
            _, said = run([*command, *self.device, '--n', '2^22', '--seconds', '0.1', '--limit-seconds', '5'])
            rows = re.findall(rf'^((?:variant|{self.rules["variant"]}) .*?) +\S+(?: [~?])?$', said, re.M)  # without %limit
            if rows and who != 'yours':
                print(f'\n{"":8} {rows[0]}')
            print(f'{who:8} {(rows or said.splitlines())[-1]}')

    def __call__(self):
        print(f'exercise {self.exercise.number} {self.exercise.name}: ' + ', '.join(map(str, self.exercise.files.values())))
        self.right()
        rules = self.rules.get('property', [])
        self.properties(rule for rule in rules if rule.get('count') in PLANNED)
        status, said = self.races()
        verdict = {0: 'yes', 1: 'no'}.get(status, NOT_COUNTED)
        self.says('no race, nothing read that nobody wrote', verdict, *(said.splitlines()[1:] or [said.strip()]))
        self.properties(rule for rule in rules if rule.get('count') not in PLANNED)
        if not self.seen and all(start.read_bytes() == mine.read_bytes() for start, mine in self.exercise.files.items()):
            self.says('another text than the start', 'no', 'This is the start as it was given.')
        self.exercise.note()
        more = ''
        if self.sum and not self.any_operator():
            more = 'Write combine(a, b) for a + b and identity() for 0: right for every operator (CARD.md). '
        right = 'Right.' if self.seen else 'Right results. Whether the task is done was not seen, as Oclgrind did not count.'
        for text in f'{right} {self.rules["why"]}', f'Further: {more}{self.rules["stretch"]}':
            print('', *textwrap.wrap(text, 79), sep='\n')
        self.speed()


def first_failure(said):
    """Of what --check has said: what is wrong with the first that is not ok, else all that is no TAP."""
    failed = re.search(r'^not ok .*\n((?:.*\n)*?)(?:(?:not )?ok \d+ - step|1\.\.|\Z)', said, re.M)
    lines_of = [line[2:] for line in failed[1].splitlines() if line.startswith('# ')] if failed else []
    if lines_of and 'does not compile' not in lines_of[0]:
        return [line for line in lines_of if line != 'try --races']
    noise = r'#|(not )?ok\b|1\.\.|Bail out|.*still waiting|Compilation|.* generated|Device .* failed|$'
    return [re.sub(r'^step\d+: ', '', line) for line in said.splitlines() if not re.match(noise, line)][:15]


def main():
    os.chdir(HERE.parents[1])
    match sys.argv[1:]:
        case ['progress']:
            for exercise in (Exercise(folder.name[:2]) for folder in FOLDERS):
                print(f'{exercise.number} {exercise.name:30} {exercise.rules["minutes"]} min  {exercise.state()}')
        case ['start', number]:
            begin(Exercise(number))
        case ['reset', number]:
            reset(Exercise(number))
        case ['check', number]:
            exercise = Exercise(number)
            if exercise.state() == 'not begun':
                missing = next(mine for mine in exercise.files.values() if not mine.exists())
                leave(f'{number} is not begun: make exercise{number} puts {missing} there')
            Judge(exercise)()
        case _:
            leave(__doc__.splitlines()[2])


if __name__ == '__main__':
    try:
        main()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except OSError as error:
        leave(f'{error.filename or MINE}: {error.strerror}; nothing of yours is lost')
    except KeyboardInterrupt:
        sys.exit(130)
