"""Read the numbers that a program wrote."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from leaderboard.programs.reading.contract import ProgramAnswer
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.texts.value_names import OWN, is_value_name

MAX_BYTES: Final = 1 << 20
MAX_VALUES: Final = 100
MAX_MESSAGE: Final = 280
ANSWER: Final = "answer.json"


def driver_answer(results: Path) -> Mapping[str, Any] | ProgramAnswer:
    """The object that a driver wrote; an ProgramAnswer with a code if there is none."""
    try:
        answer = parse_json(_bytes(results / ANSWER))
    except (InvalidJSON, OSError):
        return unusable("The program gave no answer.")
    if not isinstance(answer, dict):
        return unusable("The program gave no answer.")
    if isinstance(answer.get("visible"), str):
        return ProgramAnswer(code="exception", message=answer["visible"][:MAX_MESSAGE])
    return answer


def unusable(text: str) -> ProgramAnswer:
    """The answer of a program whose results cannot be used."""
    return ProgramAnswer(code="invalid_result", message=text)


def numbers_in(values: Any, notes: list[str]) -> dict[str, float]:
    """The finite numbers of an object by name; `notes` gets a line for everything else."""
    numbers: dict[str, float] = {}
    for name, value in values.items() if isinstance(values, dict) else ():
        key, number = value_name(str(name)), _number(value)
        if number is None:
            notes.append(f"{str(name)[:80]}: left out, because it is no finite number")
        elif not is_value_name(key) or len(numbers) >= MAX_VALUES:
            notes.append(f"{str(name)[:80]}: left out, because of its name or their number")
        else:
            numbers[key] = number
    return numbers


def _number(value: Any) -> float | None:
    """A finite number, also one that is written as a text, as platforms take it."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def value_name(name: str) -> str:
    """A name of a foreign metric as one that values may have here: `score` becomes `result`."""
    text = "".join(
        character if character.isascii() and (character.isalnum() or character in "_@^:.-") else "_"
        for character in name.strip()
    )
    text = "result" if text == "score" else text
    return f"{text}_" if text in OWN else text[:80]


def scores_of(results: Path) -> tuple[Any, str]:
    """What `scores.json`, or else `scores.txt`, holds, and the name of the file; "" for none."""
    if (results / "scores.json").is_file():
        try:
            # NaN beside other numbers is common, and no reason to lose those.
            return json.loads(_bytes(results / "scores.json")), "scores.json"
        except (ValueError, RecursionError, OSError):
            return None, "scores.json"
    if (results / "scores.txt").is_file():
        return dict(_lines(results / "scores.txt")), "scores.txt"
    return None, ""


def yaml_of(text: str) -> Any:
    """The value of a YAML text without tags and aliases, None if it is invalid."""
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text)):
            return None
        return yaml.safe_load(text)
    except yaml.YAMLError:
        return None


def _lines(path: Path) -> Iterator[tuple[str, Any]]:
    """The pairs of `scores.txt`, which is YAML of one level, line by line."""
    for line in _bytes(path).decode("utf-8", "replace").splitlines():
        name, colon, value = line.partition(":")
        if not colon:
            continue
        try:
            yield name.strip(), float(value)
        except ValueError:
            yield name.strip(), value.strip()


def _bytes(path: Path) -> bytes:
    with open(path, "rb") as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise OSError
    return text
