"""The steps of a trajectory, and what the formats share in reading them.

Values of other tools are read leniently: what is not of the expected kind is left out, or shown as
JSON, so that one odd step does not hide the others.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from leaderboard.rules.rewards.runs import TokenCounts

MOST_IN_STEP: Final = 50
"""Tool calls, results and parts of a text of one step."""


class ToolCall(NamedTuple):
    """A tool that a step calls, with its arguments as text."""

    name: str
    arguments: str


class ToolResult(NamedTuple):
    """What a tool has answered. name: of the tool, or of the call; "" if it is unknown."""

    name: str
    text: str


class TranscriptStep(NamedTuple):
    """One step. reasoning: what a model thought. at: when, as the file writes it."""

    role: str
    text: str = ""
    reasoning: str = ""
    calls: Sequence[ToolCall] = ()
    results: Sequence[ToolResult] = ()
    tokens: TokenCounts = TokenCounts()
    model: str = ""
    at: str = ""


@dataclass(frozen=True)
class TranscriptReader:
    """One format. items: the steps of a document as they are; None if it is of another format.
    step: reads one of them."""

    key: str
    label: str
    items: Callable[[Any], Sequence[Mapping[str, Any]] | None]
    step: Callable[[Mapping[str, Any]], TranscriptStep]


def messages_in(document: Any) -> Sequence[Mapping[str, Any]] | None:
    """The messages of a list, or of an object with `messages`; None if there are none."""
    messages = document.get("messages") if isinstance(document, Mapping) else document
    if not isinstance(messages, list) or not messages:
        return None
    is_all = all(isinstance(one, Mapping) and isinstance(one.get("role"), str) for one in messages)
    return messages if is_all else None


def objects_in(value: Any) -> Sequence[Mapping[str, Any]]:
    """The objects of a list; none of anything else."""
    items = value[:MOST_IN_STEP] if isinstance(value, list) else ()
    return [item for item in items if isinstance(item, Mapping)]


def line_of(value: Any) -> str:
    """A short text, or a number as text; "" of anything else."""
    return str(value)[:300] if isinstance(value, str | int | float) else ""


def content_text(content: Any) -> str:
    """The text of a message: a text, or a list of parts, of which pictures are only named."""
    parts = content[:MOST_IN_STEP] if isinstance(content, list) else [content]
    return "\n\n".join(filter(None, map(_part_text, parts)))


def reasoning_text(content: Any) -> str:
    """The reasoning among the parts of a message."""
    parts = objects_in(content)
    texts = (part.get("reasoning") or part.get("thinking") for part in parts)
    return "\n\n".join(text for text in texts if isinstance(text, str))


def arguments_text(arguments: Any) -> str:
    """Arguments of a tool: a text as it is, a single text of an object alone, or JSON."""
    if isinstance(arguments, str):
        return arguments
    if isinstance(arguments, Mapping) and len(arguments) == 1:
        ((name, only),) = arguments.items()
        return f"{name}: {only}" if isinstance(only, str) else as_json(arguments)
    return "" if arguments is None else as_json(arguments)


def tokens_in(usage: Any, names: Mapping[str, Sequence[str]]) -> TokenCounts:
    """Numbers of tokens. names: the fields that may have each kind, the first one wins."""
    counts: dict[str, int] = {}
    for kind, fields in names.items() if isinstance(usage, Mapping) else ():
        numbers = (usage.get(field) for field in fields)
        number = next((number for number in numbers if type(number) is int), None)
        if number is not None:
            counts[kind] = number
    return cast(TokenCounts, counts)


def as_json(value: Any) -> str:
    """A value as JSON, as far as it can be."""
    return json.dumps(value, ensure_ascii=False, indent=1, default=str)


def _part_text(part: Any) -> str:
    if isinstance(part, str):
        return part
    if not isinstance(part, Mapping):
        return "" if part is None else as_json(part)
    if isinstance(part.get("text"), str):
        return str(part["text"])
    kind = line_of(part.get("type"))
    if kind in ("reasoning", "thinking", "tool_use", "tool_result"):
        return ""  # these stand apart
    return f"[{kind}]" if kind else as_json(part)
