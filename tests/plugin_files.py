"""Packages of plugins in folders that a test writes, and changes while they are used."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

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
WORST_TASK = """
from typing import ClassVar, Sequence

from evsys_sdk.registry import register_metric

@register_metric("worst_task")       # registry key == name on metrics: list
class WorstTask:
    name: ClassVar[str] = "worst_task"

    def compute(self, task_rewards: Sequence[Sequence[float]]) -> float:
        tasks = [rs for rs in task_rewards if rs]   # drop empty tasks
        if not tasks:
            return 0.0
        means = [sum(rs) / len(rs) for rs in tasks]
        return min(means)
"""
Install = Callable[..., None]
SEED_EXAMPLE = Path(__file__).parent / "seeds" / "custom_scorer.txt"


@contextmanager
def folder_with(files: dict[str, str]) -> Iterator[Path]:
    """Yield a folder with these files, by their paths. The plugins' users may read it."""
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
    """Yield the folder of scorers with the source system's example in it, unchanged."""
    with folder_with({}) as folder:
        ours = Path(PROJECT, "scorers")
        shutil.copytree(ours, folder / "scorers", ignore=shutil.ignore_patterns("__pycache__"))
        shutil.copy(SEED_EXAMPLE, folder / "scorers" / "custom.py")
        yield folder


@contextmanager
def plugins(folder: Path, *packages: str) -> Iterator[Path]:
    """Use the plugins of a folder and the shipped ones as the server's plugins."""
    sandboxes.close_sandboxes()
    with override_settings(SCORER_PATH=[str(folder)], SCORER_PACKAGES=["scorers", *packages]):
        yield folder
    sandboxes.close_sandboxes()


@contextmanager
def packages_folder() -> Iterator[Path]:
    """Yield an empty folder for packages of plugins; end the sandboxes that read it."""
    with folder_with({}) as folder:
        yield folder
        sandboxes.close_sandboxes()


def installer(settings: Any, folder: Path, kind: str) -> Install:
    """Return a function that writes packages and adds them: `install(ours={"words": text})`.

    kind: the folder of the modules within a package, such as `metrics` or `text`.
    """

    def install(**packages: dict[str, str]) -> None:
        for package, modules in packages.items():
            write(folder / package / "__init__.py", "")
            for name, text in {**modules, "__init__": ""}.items():
                write(folder / package / kind / f"{name}.py", text)
        settings.SCORER_PATH = [str(folder)]
        settings.SCORER_PACKAGES = ["scorers", *packages]
        sandboxes.close_sandboxes()

    return install
