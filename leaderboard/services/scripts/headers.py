"""The header of a metric script: the `script` block of PEP 723, and what of it is accepted.

A header comes from an organiser and decides what is downloaded. So it may name packages of the
operator's index by name and version, and nothing else.
"""

from __future__ import annotations

import re
import sys
import tomllib
from typing import Any, Final, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from leaderboard.rules.failures import FailureCode

MAX_DEPENDENCIES: Final = 100
FIELDS: Final = ("dependencies", "requires-python", "tool")

# As PEP 723 has it.
_BLOCK = re.compile(r"(?m)^# /// (?P<type>[a-zA-Z0-9-]+)$\s(?P<content>(^#(| .*)$\s)+)^# ///$")

_BEGINNING = re.compile(r"(?m)^# /// script$")


class HeaderError(ValueError):
    """A header that is not accepted. The text is fit for the organiser."""

    def __init__(self, message: str, code: FailureCode = "load_error") -> None:
        super().__init__(message)
        self.code = code


class ScriptHeader(NamedTuple):
    """What a script needs: requirements, each `name`, extras, versions and marker."""

    dependencies: tuple[str, ...]


def read_header(text: str) -> ScriptHeader:
    """The header of a script; one without has no dependencies.

    Raises HeaderError: `not_installed` if it needs another Python than this, else `load_error`.
    """
    said = _toml(text)
    for name in said:
        if name not in FIELDS:
            raise HeaderError(f"The header has an unknown field {name[:80]!r}.")
    tool = said.get("tool", {})
    if not isinstance(tool, dict) or "uv" in tool:
        raise HeaderError(
            "The header may not have a table [tool.uv]: "
            "the operator decides where packages come from."
        )
    _check_python(said.get("requires-python"))
    return ScriptHeader(tuple(map(_requirement, _listed(said.get("dependencies", [])))))


def _toml(text: str) -> dict[str, Any]:
    blocks = [found for found in _BLOCK.finditer(text) if found["type"] == "script"]
    if not blocks and _BEGINNING.search(text):
        raise HeaderError("A header begins with '# /// script' and ends with '# ///'.")
    if not blocks:
        return {}
    if len(blocks) > 1:
        raise HeaderError("The script has more than one header.")
    lines = blocks[0]["content"].splitlines()
    try:
        return tomllib.loads("\n".join(line.removeprefix("#").removeprefix(" ") for line in lines))
    except tomllib.TOMLDecodeError as error:
        raise HeaderError(f"The header is no TOML: {error}.") from None


def _check_python(wanted: object) -> None:
    if wanted is None:
        return
    version = ".".join(map(str, sys.version_info[:3]))
    try:
        fits = SpecifierSet(str(wanted)).contains(version)
    except InvalidSpecifier:
        raise HeaderError(f"requires-python is no version specifier: {wanted!r}.") from None
    if not fits:
        text = f"The script requires Python {wanted}, and this server has {version}."
        raise HeaderError(text, "not_installed")


def _listed(dependencies: object) -> list[str]:
    if (
        not isinstance(dependencies, list)
        or len(dependencies) > MAX_DEPENDENCIES
        or not all(isinstance(each, str) for each in dependencies)
    ):
        raise HeaderError(f"dependencies must be a list of at most {MAX_DEPENDENCIES} texts.")
    return dependencies


def _requirement(text: str) -> str:
    try:
        requirement = Requirement(text)
    except InvalidRequirement:
        raise HeaderError(f"The dependency {text[:200]!r} is no package by name.") from None
    if requirement.url:
        raise HeaderError(
            f"The dependency {text[:200]!r} names a place; "
            "only packages by name and version are accepted."
        )
    return str(requirement)
