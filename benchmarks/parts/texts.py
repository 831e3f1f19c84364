"""Generated translations: the input of a benchmark, the same on every machine."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate, islice
from typing import Any

from leaderboard.rules.rewards.instances import ROWS_PER_BLOCK, Instance

WORDS = 8_000
LETTERS = "eeeeeeeeettttttaaaaaaooooooiiiiinnnnnssssshhhhrrrrddddllluuucccmmwwffggyyppbbvvkjxqz"
SENTENCE = 22
LONGEST = 120
REFERENCES = 2
CHANGED = 0.25
"""Probability that another translator changes a word of a sentence."""


def instances(count: int) -> Iterator[Instance]:
    """Return instances with one output and two references of about 22 words, as in news texts."""
    dice = random.Random(1)
    words = _words(dice)
    weights = list(accumulate(1 / (rank + 200) for rank in range(len(words))))
    for number in range(count):
        length = min(LONGEST, max(3, int(dice.lognormvariate(0, 0.5) * SENTENCE)))
        sentence = dice.choices(words, cum_weights=weights, k=length)
        output, *references = (
            _written(_otherwise(dice, sentence, words, weights)) for _ in range(1 + REFERENCES)
        )
        yield Instance(f"segment-{number}", _written(sentence), (output,), tuple(references))


def blocks(count: int, size: int = ROWS_PER_BLOCK) -> Iterator[list[Any]]:
    """Yield the rows of that many instances, block by block."""
    rows = (instance.row() for instance in instances(count))
    return iter(lambda: list(islice(rows, size)), [])


def vocabulary() -> list[str]:
    """Return all words, the short ones first."""
    return _words(random.Random(1))


def _words(dice: random.Random) -> list[str]:
    return sorted({_word(dice) for _ in range(WORDS)}, key=lambda word: (len(word), word))


def _word(dice: random.Random) -> str:
    return "".join(dice.choices(LETTERS, k=max(1, int(dice.gauss(6, 2.5)))))


def _otherwise(
    dice: random.Random, sentence: Sequence[str], words: Sequence[str], weights: Sequence[float]
) -> list[str]:
    """Return the sentence with some words exchanged, left out or inserted."""
    changed = []
    for word in sentence:
        if dice.random() > CHANGED:
            changed.append(word)
        else:
            changed += dice.choices(words, cum_weights=weights, k=dice.choice((0, 1, 1, 2)))
    return changed or list(sentence)


def _written(words: Sequence[str]) -> str:
    """Join words to a sentence, with a comma in the middle of a long one."""
    middle = len(words) // 2 if len(words) > 12 else 0
    text = " ".join(f"{word}," if at == middle > 0 else word for at, word in enumerate(words))
    return f"{text[:1].upper()}{text[1:]}."
