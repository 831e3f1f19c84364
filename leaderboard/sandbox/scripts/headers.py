"""Read the header of a metric script, which is the `script` block of PEP 723.

A header comes from an organiser and decides what is downloaded. So it may only name packages of the
operator's index by name and version.
"""

from __future__ import annotations

import re
import sys
import tomllib
from typing import Final, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from leaderboard.rules.failures import FailureCode
from leaderboard.rules.json.open_dicts import ForeignObject
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import MAX_SHOWN, sent

MAX_DEPENDENCIES: Final = 100
FIELDS: Final = ("dependencies", "requires-python", "tool")

# The regular expression of PEP 723.
_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")

_BEGINNING = re.compile(r"(?m)^# /// script$")


class HeaderError(ValueError):
    """A header that is not accepted. The text is for the organiser."""

    def __init__(self, why: str, code: FailureCode = "load_error") -> None:
        super().__init__(why)
        self.code, self.message = code, why


class ScriptHeader(NamedTuple):
    """The requirements of a script, each with name, extras, versions and marker."""

    dependencies: tuple[str, ...]


def read_header(text: str) -> ScriptHeader:
    """The header of a script; without a header there are no dependencies.

    Raises HeaderError: `not_installed` if it needs another Python than this, else `load_error`.
    """
    settings = _toml(text)
    for name in settings:
        if name not in FIELDS:
            text = message(
                "The header must have no other fields than {accepted}; got {name}.",
                accepted=", ".join(FIELDS),
                name=sent(name),
            )
            raise HeaderError(text)
    tool = settings.get("tool", {})
    if not isinstance(tool, dict) or "uv" in tool:
        raise HeaderError(
            message(
                "The header must not have a table [tool.uv], because the operator decides where "
                "packages come from; got one."
            )
        )
    _check_python(settings.get("requires-python"))
    return ScriptHeader(tuple(map(_requirement, _listed(settings.get("dependencies", [])))))


def _toml(text: str) -> ForeignObject:
    blocks = [block for block in _BLOCK.finditer(text) if block["type"] == "script"]
    if not blocks and _BEGINNING.search(text):
        raise HeaderError(
            message("A header must begin with '# /// script' and end with '# ///'; got no end.")
        )
    if not blocks:
        return {}
    if len(blocks) > 1:
        raise HeaderError(
            message("The script must have at most one header; got {count}.", count=len(blocks))
        )
    lines = blocks[0]["content"].splitlines()
    try:
        return tomllib.loads("\n".join(line.removeprefix("#").removeprefix(" ") for line in lines))
    except tomllib.TOMLDecodeError as error:
        raise HeaderError(
            message("The header must be TOML; got a syntax error: {error}.", error=str(error))
        ) from None


def _check_python(wanted: object) -> None:
    if wanted is None:
        return
    version = ".".join(map(str, sys.version_info[:3]))
    try:
        fits = SpecifierSet(str(wanted)).contains(version)
    except InvalidSpecifier:
        raise HeaderError(
            message("requires-python must be a version specifier; got {got}.", got=sent(wanted))
        ) from None
    if not fits:
        text = message(
            "requires-python must allow {version}, the Python of this server; got {wanted}.",
            version=version,
            wanted=sent(wanted),
        )
        raise HeaderError(text, "not_installed")


def _listed(dependencies: object) -> list[str]:
    if (
        not isinstance(dependencies, list)
        or len(dependencies) > MAX_DEPENDENCIES
        or not all(isinstance(dependency, str) for dependency in dependencies)
    ):
        raise HeaderError(
            message(
                "dependencies must be a list of at most {most} texts; got {got}.",
                most=MAX_DEPENDENCIES,
                got=str(dependencies)[:MAX_SHOWN],
            )
        )
    return dependencies


def _requirement(text: str) -> str:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        raise HeaderError(
            message("A dependency must be a package by name; got {name}.", name=sent(text))
        ) from None
    if requirement.url:
        raise HeaderError(
            message(
                "A dependency must be a package by name and version; got {name}, which names a "
                "place.",
                name=sent(text),
            )
        )
    return str(requirement)
