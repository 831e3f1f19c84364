"""Metrics of predictions as lines of a text: an id, or a JSON object."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from leaderboard.rules.json.strict import InvalidJSON, parse_json


def as_lines(entries: Iterable[Any]) -> str:
    """The metrics of a challenge, one on each line."""
    return "\n".join(
        entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)
        for entry in entries
    )


def from_lines(text: str) -> list[Any]:
    """The metrics as the API is sent them; a line that is no JSON object is an id."""
    return [_entry(line.strip()) for line in text.splitlines() if line.strip()]


def _entry(line: str) -> Any:
    try:
        return parse_json(line.encode("utf-8", "surrogatepass")) if line[0] == "{" else line
    except InvalidJSON:
        return line
