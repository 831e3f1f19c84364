"""Names of plugin classes: one strict pattern, one alias, one allow-list.

A name that reaches `import_module` is code execution, so it is checked when it is saved, when an
attempt is claimed and once more in the child that loads it.
"""

import re
from collections.abc import Collection
from keyword import iskeyword

from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent

MAX_LENGTH = 255
ALIAS, TARGET = "services.scorers.", "scorers."

_PART = r"[A-Za-z][A-Za-z0-9_]*"
PATTERN = rf"({_PART}(?:\.{_PART})*):({_PART})"
_PATTERN = re.compile(PATTERN, re.ASCII)


class InvalidEntrypoint(ValueError):
    """The text does not name a plugin class, or names one that is not allowed."""


def normalise_entrypoint(text: str) -> str:
    """The entry point in its normal form: `services.scorers.x:Y` becomes `scorers.x:Y`.

    Raises InvalidEntrypoint unless the text is `part(.part)*:Class` in ASCII identifiers without
    a leading underscore, no keyword among them, at most 255 characters.
    """
    split_entrypoint(text)
    return TARGET + text.removeprefix(ALIAS) if text.startswith(ALIAS) else text


def split_entrypoint(text: str) -> tuple[str, str]:
    """Module and class of a well-formed entry point. Raises InvalidEntrypoint."""
    match = _PATTERN.fullmatch(text) if len(text) <= MAX_LENGTH else None
    if match is None or any(iskeyword(part) for part in _parts(text)):
        raise InvalidEntrypoint(
            message(
                "must be package.module:Class, of at most {most} characters; got {sent}",
                most=MAX_LENGTH,
                sent=sent(text),
            )
        )
    return match[1], match[2]


def check_entrypoint(text: str, packages: Collection[str], installed: Collection[str] = ()) -> str:
    """The normalised entry point if it may be loaded, else InvalidEntrypoint.

    packages: the allowed top-level packages. installed: entry points that installed packages
    announce, allowed in any package.
    """
    entrypoint = normalise_entrypoint(text)
    package, *_ = _parts(entrypoint)
    if package in packages or entrypoint in installed:
        return entrypoint
    raise InvalidEntrypoint(_not_allowed(text, ", ".join(sorted(packages))))


def _not_allowed(text: str, packages: str) -> Message:
    if not packages:
        return message("must be an installed entry point; got {sent}", sent=sent(text))
    return message(
        "must be a plugin of {packages}, or an installed entry point; got {sent}",
        packages=packages,
        sent=sent(text),
    )


def _parts(entrypoint: str) -> list[str]:
    return entrypoint.replace(":", ".").split(".")
