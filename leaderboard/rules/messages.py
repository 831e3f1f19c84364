"""Sentences for people, which remember how they were made so that they can be translated.

Code below `services` knows neither Django nor the reader's language. It says `message("must be one
of {accepted}", accepted=…)`: a str in English, which what shows it to a person translates with
`leaderboard.translation.translated`. `makemessages` finds the two functions by their names, so the
first argument is always a literal, and a whole sentence.
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

    It is an ordinary str everywhere else: stored, compared and sent as JSON in English. `str()` of
    it and of an exception that holds it forget the template, so pass the object itself on.
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
    """Sentences one after the other, each of which is translated by itself.

    parts: messages, or texts that are not ours.
    """
    names = [f"part{number}" for number in range(len(parts))]
    template = " ".join(f"{{{name}}}" for name in names)
    return Message(template, "", dict(zip(names, parts, strict=True)))


def listed(parts: Iterable[str], by: str = ", ") -> Message:
    """Names or messages with commas, or another separator, between them."""
    said = list(parts)
    names = [f"part{number}" for number in range(len(said))]
    template = by.join(f"{{{name}}}" for name in names)
    return Message(template, "", dict(zip(names, said, strict=True)))


def counted(one: str, many: str, /, count: int, **parameters: object) -> Message:
    """A sentence about a count, as `ngettext` takes it: one form for 1, one for all others."""
    return Message(one, many, {"count": count, **parameters})
