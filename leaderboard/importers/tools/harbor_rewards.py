"""The rewards that a Harbor verifier writes: in `reward.json`, or else in `reward.txt`."""

from __future__ import annotations

import re

from leaderboard.importers.reading.errors import ImportFailed, Unsafe, legible
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

NAMES = ("reward.json", "reward.txt")

_NUMBER = re.compile(r"[+-]?(\d[\d_]*\.?[\d_]*|\.\d[\d_]*)([eE][+-]?\d+)?")


def rewards_of_file(name: str, text: bytes) -> dict[str, float]:
    """The rewards that a verifier wrote: one named `reward` in a .txt, an object in a .json.

    Booleans count 1 and 0, as in Harbor. Raises ImportFailed for an empty file and for values that
    are not finite numbers.
    """
    if not text.strip():
        raise ImportFailed(message("must hold rewards; got an empty file"), file=name)
    if name.endswith(".txt"):
        return {"reward": _number(name, text)}
    return rewards_of(parse(text, name))


def rewards_of(rewards: JsonValue) -> dict[str, float]:
    """The rewards of an object of numbers. Raises ImportFailed with the name of a wrong one."""
    numbers = {}
    for name, value in rewards.fields():
        number = value.reward()
        if number is None:
            raise value.fail(message("must be a number"))
        numbers[name] = number
    return numbers


def contradicted(source: Source, file: str, rewards: dict[str, float]) -> list[str]:
    """A warning if the verifier's own file beside a result contradicts the result."""
    for name in (source.beside(file, f"verifier/{own}") for own in NAMES):
        if not name:
            continue
        try:
            same = rewards_of_file(name, source.read(name)) == rewards
        except Unsafe:
            raise
        except ImportFailed:
            same = False
        return (
            []
            if same
            else [
                message(
                    "{file}: its rewards are not those of {name}",
                    file=legible(file),
                    name=legible(name),
                )
            ]
        )
    return []


def _number(name: str, text: bytes) -> float:
    written = text.decode("ascii", "replace").strip()
    if len(written) > 400 or not _NUMBER.fullmatch(written):
        problem = message("must hold one number; got {got}", got=sent(written))
        raise ImportFailed(problem, file=name)
    try:
        return JsonValue(float(written), name).number() or 0.0
    except ValueError as error:
        problem = message("must hold one finite number; got {got}", got=sent(written))
        raise ImportFailed(problem, file=name) from error
