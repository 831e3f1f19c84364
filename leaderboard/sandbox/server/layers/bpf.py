"""Programs for the kernel's filter of system calls, in the instructions of classic BPF.

A rule is a list of instructions that ends with an answer whichever way it is left. Which rule a
call meets is found by a binary tree over its number: the kernel runs the program once per known
number when it is installed, so a chain of comparisons would be dear even for calls that need none.
"""

import struct
from collections.abc import Mapping, Sequence
from itertools import groupby

Rule = Sequence[bytes]

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
    """One instruction; a condition skips so many of those after it."""
    return struct.pack("=HBBI", opcode, if_true, if_false, value)


def answer(value: int) -> list[bytes]:
    return [step(RETURN, value)]


def fails_with(code: int) -> int:
    """The answer that a call failed with this errno; with 0, that it succeeded."""
    return _ERRNO | code


def load_argument(position: int, *, high: bool = False) -> bytes:
    """Look at one half of an argument, counted from 0. The kernel takes an `int` from the low half
    alone, so its high half must not be looked at."""
    return step(LOAD, _ARGUMENTS + 8 * position + 4 * high)


def if_equal(value: int, then: Rule) -> list[bytes]:
    """Go through `then`, which ends with an answer, if what was loaded is this."""
    return [step(IF_EQUAL, value, 0, len(then)), *then]


def if_any_bit(mask: int, then: Rule) -> list[bytes]:
    """Go through `then`, which ends with an answer, if what was loaded has one of these bits."""
    return [step(IF_ANY_BIT, mask, 0, len(then)), *then]


def if_greater(value: int, then: Rule) -> list[bytes]:
    """Go through `then`, which ends with an answer, if what was loaded is more than this."""
    return [step(IF_GREATER, value, 0, len(then)), *then]


def by_number(rules: Mapping[int, Rule], otherwise: Rule, newest: int, later: Rule) -> list[bytes]:
    """The tree over the numbers from 0 to `newest`, with a rule for all `later` ones."""
    each = [(number, tuple(rules.get(number, otherwise))) for number in range(newest + 1)]
    starts = [next(group) for _, group in groupby([*each, (newest + 1, tuple(later))], _rule_of)]
    return _tree(starts)


def _rule_of(numbered: tuple[int, Rule]) -> Rule:
    return numbered[1]


def _tree(starts: Sequence[tuple[int, Rule]]) -> list[bytes]:
    """Code for ranges of numbers that are told apart by where each begins."""
    if len(starts) == 1:
        return list(starts[0][1])
    middle = len(starts) // 2
    below, above = _tree(starts[:middle]), _tree(starts[middle:])
    first = starts[middle][0]
    if len(below) <= _FARTHEST:
        return [step(IF_AT_LEAST, first, len(below), 0), *below, *above]
    return [step(IF_AT_LEAST, first, 0, 1), step(JUMP, len(below)), *below, *above]
