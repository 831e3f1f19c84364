"""The kinds of challenges, by their name in the address of the form for a new one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from leaderboard.pages.new.forms import (
    FactsKind,
    FilesKind,
    KindForm,
    ScorerKind,
    TasksKind,
    TextsKind,
)
from leaderboard.pages.new.predictions import PredictionsKind

KINDS: Final[Mapping[str, type[KindForm]]] = {
    "predictions": PredictionsKind,
    "facts": FactsKind,
    "scorer": ScorerKind,
    "tasks": TasksKind,
    "texts": TextsKind,
    "files": FilesKind,
}
