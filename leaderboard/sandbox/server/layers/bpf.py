"""Programs for the kernel's filter of system calls, in the instructions of classic BPF.

A rule is a list of instructions in which every path ends with an answer. A binary tree over the
call's number selects the rule: the kernel runs the program once per known number when it is
installed, so a chain of comparisons would be slow even for calls without a rule of their own.
"""

import struct
from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter

FilterRule = Sequence[bytes]

# Offsets in struct seccomp_data; both architectures are little-endian, so the low half is first.
NUMBER, ARCHITECTURE = 0, 4
_ARGUMENTS = 16

LOAD, AND = 0x20, 0x54
JUMP, IF_EQUAL, IF_GREATER, IF_AT_LEAST, IF_ANY_BIT = 0x05, 0x15, 0x25, 0x35, 0x45
RETURN = 0x06
_FARTHEST = 255

ALLOW = 0x7FFF_0000
KILL_PROCESS = 0x8000_0000
_ERRNO = 0x0005_0000


def step(opcode: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    """One instruction; a condition skips `if_true` or `if_false` instructions after it."""
    return struct.pack("=HBBI", opcode, if_true, if_false, value)


def answer(value: int) -> list[bytes]:
    return [step(RETURN, value)]


def fails_with(code: int) -> int:
    """The answer that makes a call fail with this errno, or pretend success with 0."""
    return _ERRNO | code


def load_argument(position: int, *, high: bool = False) -> bytes:
    """Load one half of an argument, counted from 0.

    The kernel reads an `int` from the low half alone, so a rule must ignore its high half.
    """
    return step(LOAD, _ARGUMENTS + 8 * position + 4 * high)


def if_equal(value: int, then: FilterRule) -> list[bytes]:
    """Run `then`, which ends with an answer, if the loaded value equals `value`."""
    return [step(IF_EQUAL, value, 0, len(then)), *then]


def if_any_bit(mask: int, then: FilterRule) -> list[bytes]:
    """Run `then`, which ends with an answer, if the loaded value has one of these bits."""
    return [step(IF_ANY_BIT, mask, 0, len(then)), *then]


def if_greater(value: int, then: FilterRule) -> list[bytes]:
    """Run `then`, which ends with an answer, if the loaded value is greater than `value`."""
    return [step(IF_GREATER, value, 0, len(then)), *then]


def by_number(
    rules: Mapping[int, FilterRule], otherwise: FilterRule, newest: int, later: FilterRule
) -> list[bytes]:
    """The tree over the numbers from 0 to `newest`, with the rule `later` for all above."""
    numbered = [(number, tuple(rules.get(number, otherwise))) for number in range(newest + 1)]
    by_rule = groupby([*numbered, (newest + 1, tuple(later))], itemgetter(1))
    starts = [next(group) for _, group in by_rule]
    return _tree(starts)


def _tree(starts: Sequence[tuple[int, FilterRule]]) -> list[bytes]:
    """The code for consecutive ranges of numbers. starts: each range's first number and rule."""
    if len(starts) == 1:
        return list(starts[0][1])
    middle = len(starts) // 2
    below, above = _tree(starts[:middle]), _tree(starts[middle:])
    first = starts[middle][0]
    if len(below) <= _FARTHEST:
        return [step(IF_AT_LEAST, first, len(below), 0), *below, *above]
    return [step(IF_AT_LEAST, first, 0, 1), step(JUMP, len(below)), *below, *above]
