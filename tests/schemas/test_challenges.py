"""What a challenge may hold, and which columns it becomes."""

from __future__ import annotations

import json
from typing import Any

from leaderboard.models import Challenge, ScoringConfig
from leaderboard.models.frozen import FROZEN
from leaderboard.schemas.challenges import CHALLENGE_CHANGE, NEW_CHALLENGE, PLAIN_FIELDS
from leaderboard.schemas.errors import checked
from leaderboard.schemas.scoring import SCORING_ROWS
from tests.schemas.refusals import refused

PLAIN = {"name": " Exams ", "scoring_strategy": "metric"}


def test_every_field_is_a_column() -> None:
    assert {*PLAIN_FIELDS} <= {field.name for field in Challenge._meta.get_fields()}
    columns = {field.name for field in ScoringConfig._meta.get_fields()}
    assert {*SCORING_ROWS.values()} <= columns & {*FROZEN}


def test_what_is_absent_has_its_default() -> None:
    new = checked(NEW_CHALLENGE, PLAIN)
    assert (new.name, new.visibility, new.text_timeout_ms) == ("Exams", "public", 600_000)
    assert new.rows()["strategy"] == "metric"


def test_lists_are_stored_as_they_were_sent() -> None:
    metrics = ["mean", {"type": "mean", "name": "x", "failed": "zero"}]
    rewards = [{"name": "a", "min": 0, "max": None}]
    tasks = [{"name": "t", "weight": 2, "group": "", "rewards": ["a"]}]
    lists = {"metrics": metrics, "rewards": rewards, "tasks": tasks}
    rows = checked(NEW_CHALLENGE, {**PLAIN, **lists}).rows()
    assert rows["metrics"] == metrics
    assert rows["rewards"] == [{"name": "a", "min": 0}]
    assert rows["tasks"] == [{"name": "t", "weight": 2.0, "rewards": ["a"]}]


def test_models_are_stored_as_json() -> None:
    """A field whose value is a model needs no line of its own in `rows`."""
    models: dict[str, Any] = {
        "tasks": [{"name": "t"}],
        "rank_by": [{"key": "score", "direction": "asc", "decimals": 2}],
        "split": {"public": ["t"]},
    }
    rows = checked(NEW_CHALLENGE, {**PLAIN, **models}).rows()
    assert json.loads(json.dumps(rows)).items() >= models.items()


def test_a_change_says_only_what_is_sent() -> None:
    assert checked(CHALLENGE_CHANGE, {"goal": "Out"}).plain() == {"goal": "Out"}


def test_errors_name_the_place() -> None:
    cases: list[tuple[dict[str, Any], str, str]] = [
        ({"tasks": [{"name": "a", "weight": 0}]}, "tasks.0.weight", "above 0, at most 1000000000"),
        ({"tasks": [{"name": "a"}, {"name": "a"}]}, "tasks.1.name", 'got "a" twice'),
        ({"tasks": ["a"]}, "tasks.0", '"name", "rewards", "group"'),
        ({"tasks": [{"name": "a", "rewards": ["r", "r"]}]}, "tasks.0.rewards", "each once"),
        ({"tasks": [{"name": "a", "path": ""}]}, "tasks.0.path", "1 to 1000 visible characters"),
        ({"values": ["a b"]}, "values.0", "1 to 80 letters"),
        ({"name": " "}, "name", "1 to 120 visible"),
        ({"timeout_ms": None}, "timeout_ms", "from 1 to 600000; got null"),
        ({"scoring_startegy": "first"}, "scoring_startegy", "did you mean scoring_strategy?"),
    ]
    for fields, path, text in cases:
        error = refused(checked, NEW_CHALLENGE, {**PLAIN, **fields})
        assert list(error.fields) == [path]
        assert text in error.message
