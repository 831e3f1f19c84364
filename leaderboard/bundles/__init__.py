"""Whole competitions of other platforms become the description of a draft, one platform per file.

A bundle is read, nothing is stored and no code runs. Every key of its configuration gets a line in
the report: taken, taken differently, or left out, with the reason. A new platform is one file with
a `READER`; no list has to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.bundles.reading.configuration import keys_that_stand_twice
from leaderboard.bundles.reading.draft import (
    Bundle,
    BundledFile,
    BundleReader,
    KeyOutcome,
    KeyReport,
)
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.source import Source
from leaderboard.rules.plugins.modules import offered
from leaderboard.rules.texts.messages import listed, message

__all__ = [
    "Bundle",
    "BundleReader",
    "BundledFile",
    "KeyOutcome",
    "KeyReport",
    "known_readers",
    "read_bundle",
]


def known_readers() -> Mapping[str, BundleReader]:
    """The readers of all platforms, by key."""
    return offered("leaderboard.bundles.platforms", "READER")


def read_bundle(source: Source) -> Bundle:
    """The competition in a zip. Raises ImportFailed if there is none, or it cannot be held here."""
    for reader in known_readers().values():
        if path := reader.configuration(source):
            bundle = reader.read(source, path)
            for name in keys_that_stand_twice(source, path):
                bundle.differently(name, message("It stands twice; the last one counts."))
            return bundle
    labels = [reader.needs for reader in known_readers().values()]
    raise ImportFailed(
        message("must hold a competition: {needs}; got none", needs=listed(labels)),
        file=source.label,
    )
