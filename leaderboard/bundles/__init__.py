"""Whole competitions of other platforms become the description of a draft, one platform per file.

A bundle is read, nothing is stored and no code runs. Every key of its configuration gets a line in
the report: taken, taken differently, or left out, with the reason. A new platform is one file with
a `READER`; no list has to be edited.
"""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.bundles.reading.configuration import configuration, keys_that_stand_twice
from leaderboard.bundles.reading.draft import (
    Bundle,
    BundledFile,
    BundleReader,
    KeyOutcome,
    KeyReport,
)
from leaderboard.bundles.reading.gpus import gpu_keys
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.source import Source
from leaderboard.rules.plugins.modules import offered
from leaderboard.rules.texts.messages import Message, listed, message

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


def read_bundle(source: Source, *, without_gpu: bool = False) -> Bundle:
    """The competition in a zip. Raises ImportFailed if there is none, or it cannot be held here.

    without_gpu: try one that asks for a GPU on processors.
    """
    for reader in known_readers().values():
        if path := reader.configuration(source):
            keys = [*gpu_keys(configuration(source, path).value)]
            if keys and not without_gpu:
                raise ImportFailed(_gpu_wanted(keys[0]), file=path)
            bundle = reader.read(source, path)
            bundle.report = [line for line in bundle.report if line.key not in keys]
            for key in keys:
                bundle.differently(key, message("Runs on processors: look at the sample's score."))
            for name in keys_that_stand_twice(source, path):
                bundle.differently(name, message("It stands twice; the last one counts."))
            return bundle
    labels = [reader.needs for reader in known_readers().values()]
    raise ImportFailed(
        message("must hold a competition: {needs}; got none", needs=listed(labels)),
        file=source.label,
    )


def _gpu_wanted(key: str) -> Message:
    return message(
        "{key}: must not ask for a GPU, because programs run on processors here; if they can do "
        "without one, choose to try it without (without_gpu)",
        key=key,
    )
