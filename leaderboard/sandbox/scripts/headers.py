"""Read the header of a metric script, which is the `script` block of PEP 723.

A header comes from an organiser and decides what is downloaded. So it may only name packages of the
operator's index by name and version. A second block, `lock`, says exactly which versions.
"""

from __future__ import annotations

import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from packaging.requirements import InvalidRequirement, Requirement
from packaging.specifiers import InvalidSpecifier, SpecifierSet

from leaderboard.rules.failures import FailureCode
from leaderboard.rules.json.untyped_dicts import ForeignObject
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


_PIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*==[A-Za-z0-9.!+_-]+( --hash=sha256:[0-9a-f]{64})*")


class ScriptHeader(NamedTuple):
    """The requirements of a script, each with name, extras, versions and marker.

    pins: every package that is installed for them, with its version and its hashes; () without a
    lock, so that uv chooses versions.
    """

    dependencies: tuple[str, ...]
    pins: tuple[str, ...] = ()


def lock_block(pins: Sequence[str]) -> str:
    """The block that locks a script to these packages; an empty line parts it from others."""
    return "\n# /// lock\n" + "".join(f"# {pin}\n" for pin in pins) + "# ///\n"


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
    dependencies = tuple(map(_requirement, _listed(settings.get("dependencies", []))))
    return ScriptHeader(dependencies, tuple(_pins(text)))


def _pins(text: str) -> Iterator[str]:
    for line in _lines_of(text, "lock"):
        if not _PIN.fullmatch(line):
            raise HeaderError(
                message(
                    "A lock must have lines such as 'name==1.0 --hash=sha256:…'; got {got}.",
                    got=sent(line),
                )
            )
        yield line


def _lines_of(text: str, kind: str) -> list[str]:
    """The lines of all blocks of a kind."""
    blocks = (block for block in _BLOCK.finditer(text) if block["type"] == kind)
    lines = (line for block in blocks for line in block["content"].splitlines())
    return [line.removeprefix("#").removeprefix(" ") for line in lines]


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
    try:
        return tomllib.loads("\n".join(_lines_of(text, "script")))
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
