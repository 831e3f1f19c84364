"""What can be wrong with a setting of a plugin, in sentences that can be translated.

A child of the sandbox checks settings, and the host shows the errors. So a sentence leaves the
child as its template and values (`packed`), and the host takes only templates that are listed here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import Message, counted, message

MAX_LENGTH: Final = 500
"""The most characters of a text that a child sends: an error, or a value in one."""

_GOT: Final = {"got": "{got}"}
_BOOLEAN: Final = message("must be true or false; got {got}", **_GOT)
_WHOLE: Final = message("must be a whole number; got {got}", **_GOT)
_NUMBER: Final = message("must be a number; got {got}", **_GOT)
_TEXT: Final = message("must be a text; got {got}", **_GOT)
_LIST: Final = message("must be a list; got {got}", **_GOT)
_OBJECT: Final = message("must be an object; got {got}", **_GOT)
_ONE_OF: Final = message("must be one of {expected}; got {got}", expected="{expected}", **_GOT)

OF_KINDS: Final[Mapping[type, Message]] = {
    bool: _BOOLEAN,
    int: _WHOLE,
    float: _NUMBER,
    str: _TEXT,
    list: _LIST,
    dict: _OBJECT,
}
"""What a setting must be, by the type of its default."""

OF_PYDANTIC: Final[Mapping[str, Message]] = {
    "missing": message("is required; got nothing"),
    **dict.fromkeys(("bool_type", "bool_parsing"), _BOOLEAN),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), _WHOLE),
    **dict.fromkeys(("float_type", "float_parsing"), _NUMBER),
    "finite_number": message("must be a finite number; got {got}", **_GOT),
    "string_type": _TEXT,
    **dict.fromkeys(("list_type", "tuple_type"), _LIST),
    **dict.fromkeys(("dict_type", "model_type"), _OBJECT),
    "greater_than": message("must be a number above {gt}; got {got}", gt="{gt}", **_GOT),
    "greater_than_equal": message("must be a number, {ge} or more; got {got}", ge="{ge}", **_GOT),
    "less_than": message("must be a number below {lt}; got {got}", lt="{lt}", **_GOT),
    "less_than_equal": message("must be a number, {le} or less; got {got}", le="{le}", **_GOT),
    "multiple_of": message(
        "must be a multiple of {multiple_of}; got {got}", multiple_of="{multiple_of}", **_GOT
    ),
    "literal_error": _ONE_OF,
    "enum": _ONE_OF,
    "string_too_short": counted(
        "must be a text of at least {count} character; got {got}",
        "must be a text of at least {count} characters; got {got}",
        2,
        **_GOT,
    ),
    "string_too_long": counted(
        "must be a text of at most {count} character; got {got}",
        "must be a text of at most {count} characters; got {got}",
        2,
        **_GOT,
    ),
    "string_pattern_mismatch": message(
        "must be a text that matches {pattern}; got {got}", pattern="{pattern}", **_GOT
    ),
}
"""The same by the types of pydantic's errors, whose `ctx` has the limits; `count` is a length."""

KINDS: Final[Mapping[type, Message]] = {
    bool: message("true or false"),
    int: message("a whole number"),
    float: message("a number"),
    str: message("a text"),
    list: message("a list"),
    dict: message("an object"),
}
"""What was sent, by its type. Errors do not repeat the value, because it may be a secret."""
OTHER: Final = message("another value")

_SMALLER, _LARGER = message("a smaller number"), message("a larger number")
OUTSIDE: Final[Mapping[str, Message]] = {
    "greater_than": _SMALLER,
    "greater_than_equal": _SMALLER,
    "less_than": _LARGER,
    "less_than_equal": _LARGER,
    "multiple_of": message("another number"),
    "literal_error": OTHER,
    "enum": OTHER,
    "string_too_short": message("a shorter text"),
    "string_too_long": message("a longer text"),
    "string_pattern_mismatch": message("another text"),
}
"""What was sent if it is of the right kind, by the types of pydantic's errors."""

ANOTHER: Final = message("must be another value ({reason}); got {got}", reason="{reason}", **_GOT)
REFUSED: Final = message("must be another value ({error}); got this one", error="{error}")
UNKNOWN: Final = message(
    "must be a known field ({known}); got {name}", known="{known}", name="{name}"
)
NO_FIELDS: Final = message(
    "must be absent, because there are no fields here; got {name}", name="{name}"
)

_ALL: Final = (
    *(*OF_KINDS.values(), *OF_PYDANTIC.values(), *KINDS.values(), *OUTSIDE.values()),
    *(OTHER, ANOTHER, REFUSED, UNKNOWN, NO_FIELDS),
)
_KNOWN: Final = {template.template: template for template in _ALL}


def with_values(template: Message, **values: object) -> Message:
    """One of these sentences with its values."""
    return Message(template.template, template.plural, values)


def packed(text: str) -> str | JsonObject:
    """A text as plain JSON: a Message with its template and values, any other text as it is."""
    if not isinstance(text, Message):
        return text[:MAX_LENGTH]
    values = {
        name: packed(value) if isinstance(value, str) else value
        for name, value in text.parameters.items()
    }
    return {"template": text.template, "values": values}


def unpacked(packed_text: object) -> str:
    """The text that was `packed`. A child may send anything, so long texts are cut.

    Raises ValueError for a template that is not listed here, or without its values.
    """
    match packed_text:
        case {"template": str(template), "values": dict(values)}:
            sentence = _KNOWN.get(template)
            if sentence is None or sentence.parameters.keys() != values.keys():
                raise ValueError("not a template of an error about a setting")
            return with_values(
                sentence, **{name: _value(number) for name, number in values.items()}
            )
    return str(packed_text)[:MAX_LENGTH]


def _value(value: object) -> object:
    match value:
        case int() | float():
            return value
        case {"template": str(template)} if template in _KNOWN:
            return with_values(_KNOWN[template], **_KNOWN[template].parameters)
    return str(value)[:MAX_LENGTH]
