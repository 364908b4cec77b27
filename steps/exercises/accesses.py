"""What each work-item of a kernel reads, as Oclgrind sees it.

  exercise.py -> STEP inside Oclgrind, with watch.so -> a report for each access -> class Launch

watch.so makes each access to `in` and to `scratch` invalid, so Oclgrind reports all of them:

  Invalid read of size 4 at global memory address 0x5000000000200
          Kernel: reduce
          Entity: Global(0,0,0) Local(0,0,0) Group(0,0,0)       only "Group" if it is an async copy
            %0 = load i32, ...
"""

import collections
import math
import re
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).resolve().parents[2] / "common/judge"))
import oclgrind  # noqa: E402

LIBRARY = "build/watch.so"  # a relative path, because LD_PRELOAD allows no space in a path
NO_REPORT = (
    "Oclgrind cannot run this kernel"
    if oclgrind.find_folder()
    else "Oclgrind is missing: try make deps"
)
MOST_REPORTS = 100000  # a right kernel reads 4096 elements a few times
ACCESS = re.compile(r"^Invalid read of size (\d+) at (global|local) memory address 0x(\w+)$")
PLACE = re.compile(r"^\tEntity: (?:.*Local\((\d+).* )?Group\((\d+).*\n(.*)", re.M)


class Unknown(Exception):
    """Something that cannot be counted; the text says why."""


def command(program):
    variables = {
        "LD_PRELOAD": LIBRARY,
        **oclgrind.READS_REPORTS,
        **oclgrind.enter(compute_units=4, inst_counts=1, max_errors=MOST_REPORTS),
    }
    return [
        "timeout",
        "100",
        "env",
        *(f"{name}={value}" for name, value in variables.items()),
        *program,
        "--races",
        "--device=0",
    ]


class Launch:
    """The first launch of a plan. A work-item has the number that get_global_id(0) returns. An
    access is a range: the first byte, and the first byte after it."""

    def __init__(self, log):
        geometry = re.search(r"^launch (\d+) (\d+) (\d+)", log, re.M)
        counts = oclgrind.count_instructions(log)
        if not geometry or not counts:
            raise Unknown(NO_REPORT)
        if log.count("\nInvalid ") >= MOST_REPORTS:
            raise Unknown("the kernel reads too often for Oclgrind to report it")
        self.groups, self.group_size, self.bytes = map(int, geometry.groups())
        self.instructions = counts[0]
        self.loads = [[] for _ in range(self.groups * self.group_size)]  # from `in`, in order
        self.scratch = [[] for _ in range(self.group_size)]  # reads by the work-items of group 0
        self.reads = []  # of `in`, also by atomics and async copies
        for title, rest in oclgrind.split_reports(log):
            access, place = ACCESS.match(title), PLACE.search(rest)
            if not access or not place:
                continue
            (size, space, address), (local_id, group, instruction) = access.groups(), place.groups()
            begin = int(address, 16) % 2**40
            read = range(begin, begin + int(size))
            if space == "local":
                if local_id and group == "0":
                    self.scratch[int(local_id)].append(read)
                continue
            loads = self.loads[int(group) * self.group_size + int(local_id or 0)]
            is_load = local_id and re.search(r"= load |vload|memcpy", instruction)  # no atomic
            if is_load and loads[-1:] == [read]:
                continue  # such as v[i].x + v[i].y: a compiler that optimises reads v[i] once
            self.reads.append(read)
            if is_load:
                loads.append(read)

    def count(self, what, lanes):
        if what in self.instructions:
            number = self.instructions[what]
            return number // len(self.loads) if what == "barriers" else number
        return getattr(self, f"count_{what}")(lanes)

    def count_own_barriers(self, lanes):
        """The barriers that are not those of sub_group_combine(): see subgroups/local.clh."""
        of_one_call = 1 + math.ceil(math.log2(lanes))
        calls = self.instructions["sub_group_combines"] // len(self.loads)
        return self.count("barriers", lanes) - calls * of_one_call

    def count_loads(self, _):
        return sum(map(len, self.loads))

    def count_input(self, _):
        """The percentage of the input that all work-items together read."""
        return percentage(sum(len(access) for loads in self.loads for access in loads), self.bytes)

    def count_neighbours(self, lanes):
        """The percentage of loads that begin where the same load of the previous lane ends."""
        pairs = [
            (left.stop, right.start)
            for item in range(1, len(self.loads))
            if item % lanes
            for left, right in zip(self.loads[item - 1], self.loads[item])
        ]
        return percentage(sum(end == begin for end, begin in pairs), len(pairs))

    def count_chunks(self, lanes):
        """The percentage of sub-groups whose lanes together read one contiguous part of the input,
        which begins where the part of the previous sub-group ends."""
        parts = [
            bytes_of(sum(self.loads[first : first + lanes], []))
            for first in range(0, len(self.loads), lanes)
        ]
        parts, end, good = [part for part in parts if part], 0, 0
        for part in parts:
            good += min(part) == end and max(part) - end + 1 == len(part)
            end = max(part) + 1
        return percentage(good, len(parts))

    def count_most_scratch(self, _):
        """The percentage of scratch that one work-item reads: the largest one in group 0."""
        read = [len(bytes_of(accesses)) for accesses in self.scratch]
        if self.instructions["local_loads"] > 2 * sum(map(len, self.scratch)) * self.groups:
            raise Unknown(
                "the kernel reads a local array of its own, and only in scratch Oclgrind "
                "sees which work-item reads"
            )
        if not any(read):
            raise Unknown("the kernel does not read scratch")
        return percentage(max(read), len(bytes_of(sum(self.scratch, []))))

    def count_first_distance(self, _):
        """How far from its own place a work-item first reads another place of scratch: the first
        work-item of group 0 that does so. In a tree of neighbours it is work-item 0 or 1."""
        self.count_most_scratch(None)
        for item, accesses in enumerate(self.scratch):
            for place in (access.start // len(access) for access in accesses):
                if place != item:
                    return abs(place - item)
        return 0

    def count_scattered(self, _):
        """How many work-items read scratch more often than the previous work-item. One read more is
        allowed, for the one that writes out."""
        self.count_most_scratch(None)
        often = list(map(len, self.scratch))
        return sum(mine > previous + 1 for previous, mine in zip(often, often[1:]))

    def find_idle(self):
        """Returns a sentence if groups or work-items do not share the work, otherwise ''."""
        each = [sum(map(len, loads)) for loads in self.loads]
        group = [
            sum(each[first : first + self.group_size])
            for first in range(0, len(each), self.group_size)
        ]
        loaded = len(bytes_of(sum(self.loads, [])))
        if loaded < self.bytes:
            return (
                f"ordinary loads read {percentage(loaded, self.bytes)} % of the elements. "
                "Read the others so, too: without async copies or atomics."
            )
        if max(group) > 2 * min(group):
            return (
                f"group {group.index(max(group))} reads {max(group)} bytes, and group "
                f"{group.index(min(group))} reads {min(group)}. Let all groups share the work."
            )
        if sum(each) > 2 * self.bytes:
            return (
                f"the work-items together read {percentage(sum(each), self.bytes)} % of the "
                "input. Let each element be read once."
            )
        if max(each) * len(each) > 2 * sum(each):
            return (
                f"work-item {each.index(max(each))} reads {max(each)} bytes. If all work-items "
                f"shared the work, each would read {sum(each) // len(each)}."
            )
        return ""

    def find_wrong_reads(self, n):
        """Returns a sentence for each kind of mistake in reading n elements, and whether there is a
        mistake for certain: a kernel may read elements twice on purpose."""
        size = self.bytes // n
        often = collections.Counter(
            byte // size for read in self.reads for byte in read if byte % size == 0
        )
        past, lost = [i for i in often if i >= n], [i for i in range(n) if not often[i]]
        again = [i for i in range(n) if often[i] > 1]
        texts = (
            [f"The kernel reads {name_ranges(past)}, but element {n - 1} is the last one."]
            if past
            else []
        )
        texts += [f"No work-item reads {name_ranges(lost)}."] if lost else []
        texts += (
            [
                f"The kernel reads {name_ranges(again)} more than once: element {again[0]} "
                f"{often[again[0]]} times."
            ]
            if again
            else []
        )
        return texts, bool(past or lost)


def name_ranges(elements):
    """For example "elements 3 to 7, 9 and others"."""
    ranges = []
    for i in sorted(elements):
        if ranges and ranges[-1].stop == i:
            ranges[-1] = range(ranges[-1].start, i + 1)
        else:
            ranges.append(range(i, i + 1))
    names = [f"{part[0]} to {part[-1]}" if len(part) > 1 else f"{part[0]}" for part in ranges[:2]]
    return (
        ("elements " if len(elements) > 1 else "element ")
        + ", ".join(names)
        + (" and others" if len(ranges) > 2 else "")
    )


def bytes_of(accesses):
    return {byte for access in accesses for byte in access}


def percentage(part, whole):
    return 100 * part // max(whole, 1)
