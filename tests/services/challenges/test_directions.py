"""A value's own direction is the default wherever it ranks, and the opposite has a warning."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import SimpleNamespace
from typing import Any

import pytest

from leaderboard.columns import known_columns
from leaderboard.models import Challenge
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.checklist import checklist
from leaderboard.services.challenges.directions import direction_warnings
from tests.plugin_files import WORST_TASK, Install
from tests.services.conftest import Create

Make = Callable[..., Challenge]

LOW_TASK = WORST_TASK.replace('"worst_task"', '"low_task"').replace(
    "    def compute", '    direction: ClassVar[str] = "asc"\n\n    def compute'
)
FIELDS: dict[str, Any] = {
    "metrics": [
        "std",
        "mean_reward",
        {"type": "std", "name": "spread", "reward": "physics"},
        "low_task",
        "worst_task",
    ],
    "text_metrics": ["EDIT_DISTANCE", "CHRF", {"id": "EDIT_DISTANCE", "name": "edits"}],
    "values": ["solved"],
}
OWN = {
    "EDIT_DISTANCE": "asc",
    "edits": "asc",
    "EDIT_DISTANCE:similarity": "desc",
    "CHRF": "desc",
    "std": "asc",
    "spread": "asc",
    "mean_reward": "desc",
    "low_task": "asc",
    "worst_task": "desc",
    "solved": "desc",
    **{key: column.direction for key, column in known_columns().items() if key != "score"},
}


@pytest.fixture
def make(create: Create, install_metrics: Install) -> Make:
    install_metrics(house={"worst": WORST_TASK, "low": LOW_TASK})

    def made(*rank_by: dict[str, Any], **fields: Any) -> Challenge:
        plain = {"scoring_strategy": "metric", "rank_by": rank_by, **FIELDS}
        return create("Bench", **plain | fields)

    return made


def test_a_key_without_a_direction_has_its_own(make: Make) -> None:
    keys = list(OWN)
    for at in range(0, len(keys), 4):
        some = keys[at : at + 4]
        challenge = make(*({"key": key} for key in some))
        stored = {key["key"]: key["direction"] for key in challenge.newest.rank_by}
        assert stored == {key: OWN[key] for key in some}
        assert direction_warnings(challenge.newest, challenge.columns) == []


def test_the_opposite_is_stored_and_has_a_warning(make: Make) -> None:
    for key, own in OWN.items():
        opposite = "asc" if own == "desc" else "desc"
        challenge = make({"key": key, "direction": opposite}, is_draft=True)
        assert challenge.newest.rank_by == [{"key": key, "direction": opposite}]
        warnings = direction_warnings(challenge.newest, challenge.columns)
        assert [key in warning for warning in warnings] == ([] if key == "solved" else [True]), key


def test_the_checklist_warns(make: Make) -> None:
    challenge = make({"key": "EDIT_DISTANCE", "direction": "desc"}, is_draft=True)
    (point,) = (point for point in checklist(challenge).points if point.key == "ranking")
    assert (point.state, "EDIT_DISTANCE" in point.text) == ("warning", True)


def test_a_win_rate_compares_by_the_own_directions(make: Make) -> None:
    costly = {"key": "cost_usd", "direction": "desc"}
    of: list[Any] = ["EDIT_DISTANCE", {"key": "std"}, "CHRF", costly]
    rate = {"type": "mean_win_rate", "of": of}
    challenge = make({"key": "CHRF"}, metrics=[*FIELDS["metrics"], rate])
    (spec,) = challenge.newest.comparing_specs
    assert [(key.key, key.direction) for key in spec.compared] == [
        ("EDIT_DISTANCE", "asc"),
        ("std", "asc"),
        ("CHRF", "desc"),
        ("cost_usd", "desc"),
    ]
    (warning,) = direction_warnings(challenge.newest)
    assert "cost_usd" in warning
    number = challenge.newest.number
    change_challenge(challenge, user=None, fields={"metrics": [*FIELDS["metrics"], rate]})
    assert challenge.newest.number == number, "the same metrics as they were sent before"


def test_a_column_with_the_opposite_direction_has_a_warning(make: Make) -> None:
    columns = [{"key": "std", "direction": "desc"}, {"key": "solved", "direction": "asc"}]
    challenge = make({"key": "CHRF"}, columns=columns)
    (warning,) = direction_warnings(challenge.newest, challenge.columns)
    assert "std" in warning


def test_a_column_says_the_direction_of_a_value_that_says_nothing_itself(make: Make) -> None:
    columns = [{"key": "solved", "direction": "asc"}]
    challenge = make({"key": "solved"}, columns=columns)
    assert challenge.newest.rank_by == [{"key": "solved", "direction": "asc"}]
    change_challenge(challenge, user=None, fields={"rank_by": [{"key": "std"}]})
    change_challenge(challenge, user=None, fields={"rank_by": [{"key": "solved"}]})
    assert challenge.newest.rank_by == [{"key": "solved", "direction": "asc"}]


def test_win_rates_from_before_keep_their_order() -> None:
    migration = import_module("leaderboard.migrations.0064_existing_rows")
    config = SimpleNamespace(
        metrics=["std", {"type": "low_task", "name": "low"}],
        text_metrics=["CHRF", {"id": "EDIT_DISTANCE", "name": "edits"}],
        metric_notes={
            "low_task": {"direction": "asc"},
            "text:EDIT_DISTANCE": {"direction": "asc", "directions": {"similarity": "desc"}},
        },
    )
    kept = ["CHRF", "edits:similarity", {"key": "cost_usd", "direction": "asc"}, "solved"]
    low = ["std", {"key": "low"}, "edits", "elapsed_ms"]
    entry = {"type": "mean_win_rate", "of": [*kept, *low]}
    assert migration.explicit(config, entry)["of"] == [
        *kept,
        *({"key": key, "direction": "desc"} for key in ("std", "low", "edits", "elapsed_ms")),
    ]
