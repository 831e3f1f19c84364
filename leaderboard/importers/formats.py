"""Finds the importers of this folder and picks the one for a file, by what is in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import cache

import leaderboard.importers
from leaderboard.importers.errors import ImportFailed
from leaderboard.importers.imports import Import, Importer
from leaderboard.importers.naming import given_name
from leaderboard.importers.source import Source
from leaderboard.rules.modules import offered


@cache
def known_importers() -> Mapping[str, Importer]:
    """Every format that a file here describes, by key."""
    return offered(leaderboard.importers, "IMPORTER")


def recognise(source: Source, otherwise: str = "") -> str:
    """The key of the format that a source has. Raises ImportFailed when none or several fit.

    otherwise: what a single file of no format is meant to be, so that its reader says what is
    wrong in it; "" if nobody knows.
    """
    fitting = [key for key, each in known_importers().items() if each.recognises(source)]
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        raise ImportFailed(
            f"could be {' or '.join(fitting)}; say which as its format", file=source.label
        )
    source.complain_of_json()
    if otherwise and source.single:
        return otherwise
    raise ImportFailed(f"is of no known format; {_accepted()}", file=source.label)


def read(
    source: Source,
    *,
    format: str = "",  # noqa: A002 - the API's word
    participant: str = "",
    otherwise: str = "",
) -> Import:
    """The attempts, or challenges, of a source.

    format: a key of `known_importers`, "" to recognise it; `otherwise`: see there. participant:
    whose attempts they are, "" to make names of the agents and models in the file. Raises
    ImportFailed.
    """
    name = given_name(participant) if participant else ""
    key = format or recognise(source, otherwise)
    if key not in known_importers():
        raise ImportFailed(f"format: {key[:40]!r} is not known; {_accepted()}")
    found = known_importers()[key].reads(source, name)
    shared = [f"all {len(found.attempts)} attempts in it become attempts of {name}"]
    return replace(
        found,
        warnings=[
            *source.notes,
            *found.warnings,
            *(shared if name and len(found.attempts) > 1 else ()),
        ],
    )


def _accepted() -> str:
    each = (f"{key} ({importer.accepts})" for key, importer in known_importers().items())
    return f"accepted are {', '.join(each)}"
