"""Evaluated attempts as a worker stores them, and their pages."""

from __future__ import annotations

from typing import Any

from django.test import Client

from leaderboard.models import Attempt, Score
from leaderboard.rules.rewards.instances import Instance
from tests.helpers.evaluations import stored_run
from tests.pages.reading import get

INSTANCES = [
    Instance("one", "Wie geht’s?", ("How are you?",), ("How is it going?", "How are you?")),
    Instance("two", "Danke.", (), ("Thanks.",)),
    Instance("three", "Ja.", ("Yes.", "Yeah."), ()),
    Instance(4, "Nein.", ("",), ("No.",)),
]


def value(number: float | None, **fields: Any) -> dict[str, Any]:
    """Return a metric value as a worker stores it."""
    error = 0.05 if number is not None else None
    interval = [number - 0.1, number + 0.1] if number is not None else None
    return {
        "value": number,
        "defined": 3,
        "total": 4,
        "failed": 1,
        "standard_error": error,
        "interval": interval,
        "method": "t",
        "n": 3,
        "seed": None,
        "reason": None,
        "error": None,
        **fields,
    }


def scored(attempt: Attempt) -> Attempt:
    """Store the scores of F1 and, beside the board, of an edit distance, as a worker does."""
    results = [0.75, 0.0, None, 0.25]
    stored_run(attempt, "F1", results, value={"F1": value(0.3333)}, elapsed=1.25)
    distances = [{"edit_distance": 2.0, "similarity": 0.8}, None, None, {"edit_distance": 3.0}]
    numbers = {"EDIT_DISTANCE": value(2.5), "EDIT_DISTANCE:similarity": value(None)}
    given = {"id": "edit_distance", "parameters": {"ignore_case": True}}
    stored_run(attempt, given, distances, key="EDIT_DISTANCE", value=numbers)
    Score.objects.create(
        attempt=attempt, config=attempt.scoring_config, metric_values={"F1": value(0.3333)}
    )
    Attempt.objects.filter(pk=attempt.pk).update(status="scored")
    return attempt


def page(client: Client, attempt: Attempt, query: str = "", status: int = 200) -> str:
    return get(client, f"/attempts/{attempt.pk}/{query}", status)


def order(html: str) -> list[str]:
    """Return the ids of the instances on a page."""
    rows = html.split('<th scope="row" class="id"><bdi>')[1:]
    return [row.split("</bdi>")[0] for row in rows]
