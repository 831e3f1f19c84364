"""Challenges with text metrics of a test package, attempts at them, and helpers that control
slices."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Score, Tenant, User
from leaderboard.schemas.documents import parse_document
from leaderboard.services.evaluation import runs, time_slices
from leaderboard.services.evaluation.output_documents import log_of, output_document
from leaderboard.services.scoring import single
from tests.services.evaluation.text import translation

Make = Callable[..., Challenge]

NINE = [f"{'word ' * number}end" for number in range(9)]
"""Outputs of one to nine words."""


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leaderboard.rules.rewards.instances.ROWS_PER_BLOCK", 2)


def end_time_slices_early(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make each time slice end with the first block."""
    monkeypatch.setattr(
        time_slices.TimeSlice, "is_over", lambda time_slice: time_slice._first is not None
    )


@pytest.fixture
def no_turns(monkeypatch: pytest.MonkeyPatch) -> None:
    end_time_slices_early(monkeypatch)


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Return a list to which the numbers of the blocks that metrics compute are added."""
    numbers: list[int] = []
    original = runs._Evaluate.answer

    def looking(question: Any, line: Any) -> Any:
        numbers.extend(number for number, _ in question.blocks)
        return original(question, line)

    monkeypatch.setattr(runs._Evaluate, "answer", looking)
    return numbers


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    def made(*metrics: Any, **fields: Any) -> Challenge:
        key = metrics[0] if isinstance(metrics[0], str) else metrics[0]["id"]
        plain = {"text_metrics": list(metrics), "rank_by": [{"key": key.upper()}]}
        return translation(tenant, alice, **plain | fields)

    return made


def nine(*metrics: Any) -> Any:
    rows = [
        {"id": at, "actual-output": text, "expected-output": "a word"}
        for at, text in enumerate(NINE)
    ]
    return parse_document({"instances": rows, "metrics": list(metrics)})


def read(attempt: Attempt) -> Attempt:
    return Attempt.objects.select_related("challenge", "scoring_config").get(pk=attempt.pk)


def scored(attempt: Attempt) -> Score:
    """Score an attempt in as many time slices as that takes."""
    for _ in range(50):
        single.score_waiting()
        if read(attempt).status == "scored":
            break
    return Score.objects.select_related("config").get(attempt=attempt)


def documents(attempt: Attempt) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the output document without the times, and the log."""
    score = Score.objects.select_related("config").get(attempt=attempt)
    output = [dict[str, Any](entry) for entry in output_document(read(attempt), score)]
    for entry in output:
        assert entry.pop("elapsed time") >= 0
    return output, "".join(log_of(read(attempt), score)).splitlines()
