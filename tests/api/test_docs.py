"""docs/api.md describes the whole API, and its examples are right."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from leaderboard.api.serializers.board_queries import BoardQuery
from leaderboard.api.serializers.challenge import NewChallengeBody
from leaderboard.api.serializers.errors import CODES
from leaderboard.facts import known_facts
from leaderboard.models import Challenge
from leaderboard.rules.failures import FAILURE_CODES
from leaderboard.services.scoring import single
from tests.api.conftest import ME, Api, refused
from tests.api.test_schema import written
from tests.importers.uploads import folder, zipped

PAGE = Path(__file__).parents[2].joinpath("docs", "api.md").read_text()
EXAMPLES: list[Any] = [
    json.loads(text) for text in re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
]


def example(*keys: str) -> dict[str, Any]:
    """Return the example that has these keys, and few others."""
    smallest = min((candidate for candidate in EXAMPLES if set(keys) <= set(candidate)), key=len)
    return dict(smallest)


def test_the_page_names_every_path_and_method() -> None:
    for path, methods in written()["paths"].items():
        for method in methods:
            assert f"`{method.upper()} {path}`" in PAGE


def test_the_page_names_every_error_code_and_field() -> None:
    words = {*CODES, *FAILURE_CODES, *known_facts(), *BoardQuery().fields}
    words |= set(NewChallengeBody.model_fields) - {"tenant"}
    missing = {word for word in words if not re.search(rf"\b{word}\b", PAGE)}
    assert not missing


@pytest.mark.django_db
def test_the_attempt_is_accepted_and_read_as_shown(submitter: Api, sprint: Challenge) -> None:
    answer = submitter.post(
        "challenges/sprint/attempts/", example("participant", "metrics", "name")
    )
    assert answer.status_code == 202
    single.score_waiting()
    read = submitter.get(answer.json()["url"]).json()
    assert set(read) == set(example("id", "metric_values"))
    board = submitter.get("challenges/sprint/leaderboard/").json()
    documented = example("rows", "columns")
    assert set(board) == set(documented)
    for part in ("rows", "columns"):
        assert set(board[part][0]) == set(documented[part][0])


@pytest.mark.django_db
def test_samples_are_accepted_and_read_as_shown(organiser: Api, submitter: Api) -> None:
    made = organiser.post("challenges/", {**example("num_samples"), "unknown_tasks": "keep"})
    assert made.status_code == 201, made.content
    path = f"{made.json()['url']}attempts/"
    assert submitter.post(path, example("participant", "task_rewards")).status_code == 202
    address = submitter.post(path, example("participant", "samples")).json()["url"]
    assert submitter.get(f"{address}tasks.json").json() == example("tasks", "total")
    single.score_waiting()
    (documented,) = example("id", "metric_values")["metric_values"].values()
    value = submitter.get(address).json()["metric_values"]["physics"]
    assert set(value) == set(documented)
    row = submitter.get(f"{made.json()['url']}leaderboard/").json()["rows"][0]
    cells = example("rows", "columns")["rows"][0]["cells"]
    assert set(cells["physics"]) >= {"defined", "total"} <= set(row["cells"]["physics"])


@pytest.mark.django_db
def test_a_file_is_imported_as_shown(submitter: Api, sprint: Challenge) -> None:
    answer = submitter.upload("challenges/sprint/imports/", zipped(folder("harbor-job")))
    documented = example("format", "rows")
    assert set(answer.json()) == set(documented)
    assert set(answer.json()["rows"][0]) == set(documented["rows"][0])


@pytest.mark.django_db
def test_bulk_and_error_answers_are_as_shown(submitter: Api, sprint: Challenge) -> None:
    wrong = {"participant": "atlas", "metrics": {"rating": "8"}}
    body = submitter.lines("challenges/sprint/attempts/bulk/", ME, wrong).json()
    documented = example("accepted", "rejected")
    assert body["rejected"] == documented["rejected"]
    assert set(body) == set(documented)
    wrong = {"participant": "atlas", "metrics": {"tokens_total": "5"}}
    answer = submitter.post("challenges/sprint/attempts/", wrong)
    refused(answer, 400, "invalid")
    assert answer.json() == example("error")


@pytest.mark.django_db
def test_the_challenge_is_created_as_shown(organiser: Api) -> None:
    assert organiser.post("challenges/", example("scoring_entrypoint")).status_code == 201
