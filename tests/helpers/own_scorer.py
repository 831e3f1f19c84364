"""A plugin folder with one scorer, `own.scorer:Gives`, whose file tests change."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.plugin_files import folder_with, plugins

GIVES = """
class Gives:
    def score(self, metrics, config, ctx):
        return {{"score": {score}}}
"""


@pytest.fixture
def own() -> Iterator[Path]:
    """The file of the scorer, which gives 10."""
    files = {"own/scorer.py": GIVES.format(score=10.0)}
    with folder_with(files) as folder, plugins(folder, "own"):
        yield folder / "own" / "scorer.py"
