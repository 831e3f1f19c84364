"""English sentences that keep their template and values, so that they can be translated later.

Code below `services` may not import Django and does not know the reader's language. It calls
`message("must be one of {accepted}", accepted=…)`, which returns an English str. Code that shows
the text to a person translates it with `leaderboard.languages.translation.translated`.
`makemessages` finds calls of `message` and `counted` by name, so the first argument must be a
literal whole sentence.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Self


class Message(str):
    """A sentence in English, with what its translation needs.

    template: the sentence with named placeholders (`{name}`), as it is in the catalogue.
    plural: the same for counts other than one, "" if the sentence has no plural.
    parameters: the values of the placeholders; `count` decides between the two templates. A value
    may be a Message, which is translated too.

    It is an ordinary str otherwise: stored, compared and sent as JSON in English. `str()` of it, or
    of an exception with it, loses the template, so pass on the object itself.
    """

    __slots__ = ("parameters", "plural", "template")

    template: str
    plural: str
    parameters: Mapping[str, object]

    def __new__(cls, template: str, plural: str, parameters: Mapping[str, object]) -> Self:
        one = not plural or parameters.get("count") == 1
        self = super().__new__(cls, (template if one else plural).format(**parameters))
        self.template, self.plural, self.parameters = template, plural, parameters
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[str, str, Mapping[str, object]]]:
        return type(self), (self.template, self.plural, dict(self.parameters))


NOTHING: Final[Mapping[str, object]] = {}


def message(template: str, /, **parameters: object) -> Message:
    """A sentence with named placeholders: `message("unknown field {name}", name="x")`."""
    return Message(template, "", parameters or NOTHING)


def sentences(*parts: str) -> Message:
    """Several sentences, joined by spaces. Each is translated separately.

    parts: messages, or texts from outside, which are not translated.
    """
    names = [f"part{number}" for number in range(len(parts))]
    template = " ".join(f"{{{name}}}" for name in names)
    return Message(template, "", dict(zip(names, parts, strict=True)))


def listed(parts: Iterable[str], by: str = ", ") -> Message:
    """Names or messages with commas, or another separator, between them."""
    listed_parts = list(parts)
    names = [f"part{number}" for number in range(len(listed_parts))]
    template = by.join(f"{{{name}}}" for name in names)
    return Message(template, "", dict(zip(names, listed_parts, strict=True)))


def counted(one: str, many: str, /, count: int, **parameters: object) -> Message:
    """A sentence about a count, as `ngettext` takes it: one form for 1, one for all others."""
    return Message(one, many, {"count": count, **parameters})
