"""The tenants that plugins belong to: the setting SCORER_TENANTS."""

from __future__ import annotations

import os.path
import re
from collections.abc import Collection
from pathlib import Path
from typing import Final

from leaderboard.rules.texts.messages import message

PACKAGE = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
SLUG = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)

ACCEPTED = (
    "package=tenant pairs, or folder=tenant with a folder of SCORER_PATH,"
    " separated by commas; several tenants with | between them;"
    " no folder of SCORER_PATH inside another"
)
"""What `parse_owners` takes, in words."""

ANOTHERS: Final = message("This plugin belongs to another tenant.")
"""Said to a tenant that may not use a plugin."""


def parse_owners(value: str, folders: Collection[str]) -> dict[str, frozenset[str]]:
    """The slugs of the tenants that packages, or some of these folders, belong to.

    `acme=team-a,/plugins/b=team-b|team-c`. Folders are returned in the form of `os.path.abspath`,
    so a slash at the end makes no difference. Raises ValueError, also if one of the folders is
    inside another: plugins of the outer one could import the inner one as a package of theirs.
    """
    absolute_folders = set(map(os.path.abspath, folders))
    owners: dict[str, frozenset[str]] = {}
    for pair in filter(None, (part.strip() for part in value.split(","))):
        name, _, slugs = pair.partition("=")
        tenants = frozenset(slugs.split("|"))
        name = os.path.abspath(name) if os.path.isabs(name) else name
        is_known = name in absolute_folders or PACKAGE.fullmatch(name)
        if not (is_known and all(map(SLUG.fullmatch, tenants))):
            raise ValueError(ACCEPTED)
        owners[name] = tenants
    if owners and _are_nested(absolute_folders):
        raise ValueError(ACCEPTED)
    return owners


def _are_nested(folders: Collection[str]) -> bool:
    """Whether one of the folders is inside another."""
    real = {Path(folder).resolve() for folder in folders}
    return any(not real.isdisjoint(folder.parents) for folder in real)
