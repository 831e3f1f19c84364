"""The source code of plugins, for readers who may see it. No plugin is imported or run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

from django.conf import settings

from leaderboard.sandbox import PluginDescription
from leaderboard.sandbox.host.fork_servers import PROJECT
from scorers.metrics.registry import SHIPPED as METRICS

MOST_BYTES: Final = 200_000
"""Longer files are not shown."""
SCORERS: Final = ("efficiency", "weighted")
TEXT_METRICS: Final = (
    "bertscore",
    "bleu_nltk",
    "chrf",
    "edit_distance",
    "exact_match",
    "f1",
    "length_ratio",
    "rouge",
    "sacrebleu_bleu",
)
SHIPPED: Final = frozenset(
    f"scorers.{name}"
    for name in (
        *SCORERS,
        *(f"metrics.{each}" for each in METRICS),
        *(f"text.{each}" for each in TEXT_METRICS),
    )
)
"""The modules that come with Podium."""


def is_public(plugin: PluginDescription) -> bool:
    """Whether everybody may read a plugin: it comes with Podium, or declares itself public."""
    return plugin.public_source or _module(plugin) in SHIPPED


def source_of(plugin: PluginDescription) -> str:
    """The text of a plugin's file; "" if it is not in a folder of plugins, or too long."""
    for file in _candidates(_module(plugin)):
        if file.is_file() and file.stat().st_size <= MOST_BYTES:
            return file.read_text(errors="replace")
    return ""


def _module(plugin: PluginDescription) -> str:
    return plugin.entrypoint.partition(":")[0]


def _candidates(module: str) -> Iterator[Path]:
    """The paths where a module's file may be.

    A module name that is not made of identifiers could lead out of the folders, so it has none.
    """
    parts = module.split(".")
    if parts[0] not in settings.SCORER_PACKAGES or not all(map(str.isidentifier, parts)):
        return
    for folder in (PROJECT, *settings.SCORER_PATH):
        place = Path(folder, *parts)
        yield place.with_suffix(".py")
        yield place / "__init__.py"
