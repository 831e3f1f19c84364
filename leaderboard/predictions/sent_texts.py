"""Texts that a process without rights sends as JSON, so that they can still be translated."""

from __future__ import annotations

from collections.abc import Mapping
from string import Formatter
from typing import Any, Final

from leaderboard.rules.texts.messages import Message

MAX_TEXT: Final = 2_000


def to_json(text: str) -> Any:
    """A text as plain JSON: a Message with its templates and values, any other text as it is."""
    if not isinstance(text, Message):
        return text[:MAX_TEXT]
    values = {
        name: to_json(value) if isinstance(value, str) else value
        for name, value in text.parameters.items()
    }
    return [text.template, text.plural, values]


def from_json(sent: Any) -> str:
    """The text that `to_json` made JSON of.

    Raises ValueError for a template that would do more than insert its values.
    """
    match sent:
        case str():
            return sent[:MAX_TEXT]
        case [str(template), str(plural), dict(values)]:
            for text in (template, plural):
                _check_template(text, values)
            parameters = {
                name: value if isinstance(value, int | float) else from_json(value)
                for name, value in values.items()
            }
            return Message(template, plural, parameters)
    raise ValueError("not a text")


def _check_template(template: str, values: Mapping[str, Any]) -> None:
    for _, name, form, _ in Formatter().parse(template[:MAX_TEXT]):
        if name is not None and (name not in values or form):
            raise ValueError("not a template with values")
