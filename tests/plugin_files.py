"""Packages of plugins in folders that a test writes, and changes while they are used."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from django.test import override_settings

from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.services.plugins import sandboxes

LIMITED = "own.limited:Limited"
LIMITED_FILE = '''
from pydantic import Field

from scorers.weighted import WeightedConfig, WeightedScorer


class LimitedConfig(WeightedConfig):
    success_bonus: float = Field(default=100.0, ge=0, description="Points for a success")
    token_penalty: float = Field(default=0.01, ge=0, description="Points lost for each token")


class Limited(WeightedScorer):
    """A weighted sum whose bonus and penalty have limits."""

    Config = LimitedConfig
'''
SEED_EXAMPLE = Path(__file__).parent / "seeds" / "custom_scorer.txt"


@contextmanager
def folder_with(files: dict[str, str]) -> Iterator[Path]:
    """A folder with these files by their paths. The users of plugins may read it."""
    folder = Path(tempfile.mkdtemp(prefix="podium-plugins-"))
    folder.chmod(0o755)
    try:
        for name, text in files.items():
            write(folder / name, text)
        yield folder
    finally:
        shutil.rmtree(folder)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


@contextmanager
def seed_folder() -> Iterator[Path]:
    """The folder of scorers with the example of the source system in it, unchanged."""
    with folder_with({}) as folder:
        ours = Path(PROJECT, "scorers")
        shutil.copytree(ours, folder / "scorers", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(SEED_EXAMPLE, folder / "scorers" / "custom.py")
        yield folder


@contextmanager
def plugins(folder: Path, *packages: str) -> Iterator[Path]:
    """The server's plugins are those of a folder, and those that come with Podium."""
    sandboxes.close_sandboxes()
    with override_settings(SCORER_PATH=[str(folder)], SCORER_PACKAGES=["scorers", *packages]):
        yield folder
    sandboxes.close_sandboxes()
