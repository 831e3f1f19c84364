"""Boards of metrics: values, their coverage, and reasons for missing values."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlencode

import pytest

from leaderboard.models import Challenge
from leaderboard.rules.ranking.places import MAX_KEYS
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.api.conftest import Api, refused

PHYSICS = [65, 72, 58, 81, 45, 67, 73, 59, 68, 74]
CHEMISTRY = [88, 76]
MEANS = [
    {"type": "mean_reward", "name": name, "reward": f"{name}_reward"}
    for name in ("physics", "chemistry", "biology")
]
COLUMNS = [{"key": "physics", "label": "Physics", "unit": "%", "decimals": 1}]
FACTS = ("rating", "cost_usd", "elapsed_ms", "tokens_total")
BOARD = "challenges/prof/leaderboard/"


@pytest.fixture
def prof(organiser: Api) -> Api:
    """A challenge of two domains; its organiser's client."""
    fields = {
        "name": "Prof",
        "scoring_strategy": "metric",
        "metrics": MEANS,
        "rank_by": [{"key": "physics"}, {"key": "chemistry"}],
        "columns": COLUMNS,
    }
    assert organiser.post("challenges/", fields).status_code == 201
    return organiser


def domains(physics: list[Any], chemistry: list[Any]) -> list[dict[str, Any]]:
    """Return one sample for each task, with a reward of its domain only."""
    rewards = [
        *(("p", at, "physics_reward", value) for at, value in enumerate(physics)),
        *(("c", at, "chemistry_reward", value) for at, value in enumerate(chemistry)),
    ]
    return [
        {"task": f"{kind}{at}", "sample": 0, "rewards": {reward: value}}
        for kind, at, reward, value in rewards
    ]


def submit(api: Api, participant: str, **evidence: Any) -> dict[str, Any]:
    """Submit and score; return the row of the board."""
    answer = api.post("challenges/prof/attempts/", {"participant": participant, **evidence})
    assert answer.status_code == 202, answer.content
    single.score_waiting()
    rows = api.get(BOARD).json()["rows"]
    (row,) = (row for row in rows if row["participant"]["handle"] == participant)
    return dict(row)


def test_undefined_rewards_do_not_count(prof: Api) -> None:
    row = submit(prof, "atlas", samples=domains(PHYSICS, CHEMISTRY))
    assert row["values"]["physics"] == pytest.approx(66.2)
    assert row["values"]["chemistry"] == pytest.approx(82.0)
    assert row["values"]["biology"] is None
    physics, chemistry, biology = (row["cells"][key] for key in ("physics", "chemistry", "biology"))
    assert (physics["defined"], physics["total"]) == (10, 12)
    assert (chemistry["defined"], chemistry["total"]) == (2, 12)
    assert physics["interval"][0] < 66.2 < physics["interval"][1]
    assert physics["standard_error"] > 0
    assert "reason" not in physics
    assert biology == {"defined": 0, "total": 12, "reason": "undefined"}
    (label,) = (
        column for column in prof.get(BOARD).json()["columns"] if column["key"] == "physics"
    )
    assert (label["label"], label["unit"], label["decimals"]) == ("Physics", "%", 1)


def test_failed_and_missing_samples_are_not_undefined(prof: Api) -> None:
    tasks = [
        {"name": f"{kind}{at}", "rewards": [reward]}
        for kind, reward in (("p", "physics_reward"), ("c", "chemistry_reward"))
        for at in range(2)
    ]
    metrics = [{**mean, "type": "mean"} for mean in MEANS]
    changes = {"tasks": tasks, "metrics": metrics}
    assert prof.patch("challenges/prof/", changes).status_code == 200
    lost = [{"task": "p0", "sample": 0, "rewards": None}, *domains([], [90])]
    submit(prof, "failed", samples=lost)
    submit(prof, "not run", samples=domains([60], []))
    rescored()
    board = {row["participant"]["handle"]: row for row in prof.get(BOARD).json()["rows"]}
    failed, not_run = board["failed"], board["not run"]
    assert failed["values"]["physics"] == 0.0
    assert failed["cells"]["physics"]["failed"] == 1
    assert not_run["values"]["chemistry"] is None
    assert not_run["cells"]["chemistry"]["reason"] == "not_run"
    assert not_run["cells"]["physics"]["defined"] == 1
    assert not_run["cells"]["physics"]["total"] == 2  # tasks of chemistry do not lower the coverage


def rescored() -> None:
    config, _ = start_rescore(Challenge.objects.get(slug="prof"))
    while work_on(config.pk, seconds=5):
        pass


def test_exports_have_the_values_of_metrics(prof: Api) -> None:
    submit(prof, "atlas", samples=domains(PHYSICS, CHEMISTRY), values={"solved": 9})
    submit(prof, "boreas", values={"solved": 9})
    atlas, boreas = prof.table("challenges/prof/leaderboard.csv")
    assert float(atlas["physics"]) == pytest.approx(66.2)
    assert (atlas["physics (defined)"], atlas["physics (total)"]) == ("10", "12")
    assert atlas["biology"] == ""
    assert (atlas["biology (defined)"], atlas["biology (total)"]) == ("0", "12")
    assert boreas["physics"] == boreas["physics (defined)"] == boreas["physics (total)"] == ""
    assert boreas["unranked"] == "no_value"
    lines = prof.json_lines("challenges/prof/leaderboard.jsonl")
    assert lines == prof.get(BOARD).json()["rows"]


def test_any_name_of_a_metric_can_be_sorted_by(prof: Api) -> None:
    names = ("a b", "it's", 'say "a"', "50%", "%s", "a__b", "$.a", "=1+1", "ä–")
    metrics = [{"type": "mean", "name": name} for name in names]
    for start in range(0, len(names), MAX_KEYS):
        ranked = names[start : start + MAX_KEYS]
        rank_by = [{"key": name, "direction": "asc"} for name in ranked]
        changes = {"metrics": metrics, "rank_by": rank_by, "columns": []}
        assert prof.patch("challenges/prof/", changes).status_code == 200
        rescored()
        for participant, reward in [("a", 2), ("b", 3), ("c", 1)]:
            submit(prof, participant, task_rewards={"t": [reward]})
        for name in ranked:
            for query, wanted in [({}, [1, 2, 3]), ({"sort": f"-{name}"}, [3, 2, 1])]:
                rows = prof.get(f"{BOARD}?{urlencode(query)}").json()["rows"]
                assert [row["values"][name] for row in rows] == wanted, name
    header = list(prof.table("challenges/prof/leaderboard.csv")[0])
    assert not any(label.startswith(("=", "+", "-", "@")) for label in header)
    for name in names:
        assert any(label.endswith(f"{name} (total)") for label in header), name


def test_declared_bounds_limit_intervals_and_make_a_new_version(prof: Api) -> None:
    assert prof.get("challenges/prof/").json()["rewards"] == []
    high = [100.0] * 6 + [30.0]
    free = submit(prof, "atlas", samples=domains(high, []))["cells"]["physics"]
    assert free["interval"][1] == 100, "the highest reward that was seen"
    rewards = [{"name": "physics_reward", "min": 0, "max": 100}, {"name": "elo", "min": 0}]
    changed = prof.patch("challenges/prof/", {"rewards": rewards}).json()
    assert (changed["rewards"], changed["scoring_version"]) == (rewards, 2)
    again = prof.patch("challenges/prof/", {"rewards": changed["rewards"]}).json()
    assert again["scoring_version"] == 2
    rescored()
    body = prof.get(BOARD).json()
    interval = body["rows"][0]["cells"]["physics"]["interval"]
    assert interval == [pytest.approx(90 - 2.446912 * 10), 100]
    body = {"participant": "boreas", "samples": domains([101], [])}
    place = "samples.0.rewards.physics_reward"
    error = refused(prof.post("challenges/prof/attempts/", body), 400, "invalid", place)
    assert "from 0 to 100; got 101" in error["message"]


def test_earlier_samples_outside_the_bounds_widen_them(prof: Api) -> None:
    submit(prof, "atlas", samples=domains([*[100.0] * 6, 140.0], []))
    rewards = [{"name": "physics_reward", "min": 0, "max": 100}]
    assert prof.patch("challenges/prof/", {"rewards": rewards}).status_code == 200
    rescored()
    row = prof.get(BOARD).json()["rows"][0]
    low, high = row["cells"]["physics"]["interval"]
    assert low < row["values"]["physics"] < high <= 140


def test_a_missing_interval_has_a_reason(prof: Api) -> None:
    metrics = [*MEANS, {"type": "min", "name": "worst", "reward": "physics_reward"}]
    assert prof.patch("challenges/prof/", {"metrics": metrics}).status_code == 200
    rescored()
    cells = submit(prof, "atlas", samples=domains([7] * 5, CHEMISTRY))["cells"]
    assert {key: cells[key].get("interval_reason") for key in cells if key not in FACTS} == {
        "physics": "no_spread",
        "chemistry": "few_tasks",
        "biology": None,
        "worst": "not_estimated",
    }
    assert not any("interval" in cell for cell in cells.values())
