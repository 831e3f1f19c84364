"""The first and the last member of a backup, which count what it holds."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import STRICT

FORMAT: Final = 1
OPEN: Final = ConfigDict(strict=True, extra="ignore")
"""Other versions may write fields that this one does not know."""


def _dotted(name: str) -> str:
    if not re.fullmatch(r"\w+\.\w+", name):
        raise ValueError(f"must be a name such as leaderboard.attempt; got {sent(name)}")
    return name


Dotted = Annotated[str, AfterValidator(_dotted)]


@with_config(OPEN)
class Manifest(TypedDict):
    """The first member of a backup. migrations: `APP.NAME`; tables: `APP.MODEL`, in their order."""

    format: Literal[1]
    version: str
    made_at: str
    database: str
    migrations: list[Dotted]
    tables: list[Dotted]


@with_config(OPEN)
class End(TypedDict):
    """The last member of a backup: the number of rows of each table, and of files."""

    rows: dict[str, int]
    files: int


MANIFEST: Final = TypeAdapter(Manifest)
END: Final = TypeAdapter(End)
COLUMNS: Final = TypeAdapter(list[str], config=STRICT)
"""The first line of a table: the names of its columns."""
