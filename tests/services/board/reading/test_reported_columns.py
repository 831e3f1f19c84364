"""Values that participants report for metrics, beside computed values."""

from __future__ import annotations

import csv
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from leaderboard.api.files.board_csv import csv_text
from leaderboard.api.files.boards import row_facts, row_json
from leaderboard.api.files.spreadsheets import BOM, excel
from leaderboard.models import Challenge, Score, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.reported_columns import Unlisted
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard
from tests.services.conftest import Ranks, Rows, Run
from tests.services.refusals import check_refusals, refusal
from tests.services.workers import rescored

Make = Callable[..., Challenge]


@pytest.fixture
def make(tenant: Tenant, alice: User) -> Make:
    """Return a function that makes a board of the metric `skill` with a rule for reported
    values."""

    def made(rule: str, **fields: Any) -> Challenge:
        plain = {
            "name": "Bench",
            "scoring_strategy": "metric",
            "metrics": [{"type": "mean_reward", "name": "skill", "reported": rule}],
            "rank_by": [{"key": "skill"}],
        }
        return create_challenge(tenant=tenant, user=alice, fields=plain | fields)

    return made


def test_a_reported_value_is_refused_unless_the_metric_allows_it(make: Make, run: Run) -> None:
    error = refusal(lambda: run(make("refuse"), "atlas", values={"skill": 1.0}))
    assert list(error.fields) == ["values.skill"]
    assert '"allow" or "rank"' in error.message


def test_a_reported_value_ranks_if_the_metric_says_so(
    make: Make, run: Run, rows: Rows, ranks: Ranks
) -> None:
    challenge = make("rank", min_coverage=0.9)
    run(challenge, "old", values={"skill": 0.8})
    run(challenge, "new", task_rewards={"a": [0.7]})
    run(challenge, "best", task_rewards={"a": [0.9]})
    assert ranks(challenge) == {"best": 1, "old": 2, "new": 3}
    by_name = rows(challenge)
    assert by_name["old"].cells["skill"] == {"defined": 0, "total": 0, "level": "reported"}
    assert "level" not in by_name["new"].cells["skill"]
    stated = Score.objects.get(attempt__participant__handle="old").metric_values["skill"]
    assert (stated["value"], stated["level"], stated["interval"]) == (0.8, "reported", None)


def test_an_allowed_reported_value_is_shown_without_a_rank(
    make: Make, run: Run, rows: Rows
) -> None:
    challenge = make("allow")
    run(challenge, "boaster", values={"skill": 1.0})
    run(challenge, "honest", task_rewards={"a": [0.1]})
    by_name = rows(challenge)
    assert list(by_name) == ["honest", "boaster"]
    row = by_name["boaster"]
    assert (row.rank, row.unranked, row.values["skill"]) == (None, "no_value", 1.0)
    assert row.cells["skill"]["not_ranked"] == "reported"
    assert not row.cells["skill"].keys() & {"interval", "interval_reason", "standard_error"}


def test_a_reported_value_breaks_no_tie_unless_it_ranks(make: Make, run: Run, ranks: Ranks) -> None:
    by = [{"key": "rating"}, {"key": "skill"}]
    challenge = make("allow", rank_by=by)
    run(challenge, "stated", metrics={"rating": 5.0}, values={"skill": 1.0})
    run(challenge, "computed", metrics={"rating": 5.0}, task_rewards={"a": [0.1]})
    assert ranks(challenge) == {"computed": 1, "stated": 2}


def test_a_computed_value_replaces_the_reported_one_and_both_are_shown(
    make: Make, run: Run, rows: Rows
) -> None:
    challenge = make("rank")
    run(challenge, "atlas", task_rewards={"a": [0.5]}, values={"skill": 0.9})
    row = rows(challenge)["atlas"]
    assert row.values["skill"] == 0.5
    assert row.cells["skill"] == {
        "defined": 1,
        "total": 1,
        "reported": 0.9,
        "interval_reason": "few_tasks",
    }
    assert row.rank == 1
    run(challenge, "failed", task_rewards={"a": [None]}, values={"skill": 0.9})
    assert rows(challenge)["failed"].values["skill"] == 0.0


def test_a_reported_value_is_used_if_the_evidence_has_none(
    make: Make, run: Run, rows: Rows
) -> None:
    metrics = [
        {"type": "mean", "name": name, "reward": name, "reported": "rank"}
        for name in ("physics", "chemistry")
    ]
    challenge = make("rank", metrics=metrics, rank_by=[{"key": "chemistry"}])
    samples = [Sample("a", 0, {"physics": 1.0})]
    run(challenge, "atlas", samples=samples, values={"chemistry": 0.4})
    row = rows(challenge)["atlas"]
    assert (row.rank, row.values["physics"], row.values["chemistry"]) == (1, 1.0, 0.4)
    assert row.cells["chemistry"]["level"] == "reported"


def test_the_name_of_a_metric_may_hold_any_characters(make: Make, run: Run, ranks: Ranks) -> None:
    metrics = [{"type": "mean", "name": "Mean (Task)", "reported": "rank"}]
    challenge = make("rank", metrics=metrics, rank_by=[{"key": "Mean (Task)"}])
    run(challenge, "paper", values={"Mean (Task)": 61.0})
    assert ranks(challenge) == {"paper": 1}


def test_only_keys_of_declared_rewards_are_accepted(make: Make, run: Run) -> None:
    tasks = [{"name": "a", "rewards": ["x", "y"]}]
    challenge = make("rank", tasks=tasks, rank_by=[{"key": "skill:x"}])
    run(challenge, "atlas", values={"skill:x": 1.0})
    error = refusal(lambda: run(challenge, "borea", values={"skill:junk": 1.0}))
    assert "skill:x, skill:y" in error.message


def test_text_metrics_accept_reported_values(
    make: Make, run: Run, rows: Rows, ranks: Ranks
) -> None:
    challenge = make(
        "rank",
        metrics=[],
        text_metrics=[{"id": "CHRF", "reported": "rank"}, {"id": "F1", "reported": "allow"}],
        rank_by=[{"key": "CHRF"}],
    )
    run(challenge, "paper", values={"CHRF": 61.2, "F1": 0.5})
    assert ranks(challenge) == {"paper": 1}
    assert rows(challenge)["paper"].cells["F1"]["not_ranked"] == "reported"
    check_refusals(
        lambda value: run(challenge, "paper", values={"F1": value}),
        [(88.5, "values.F1", "from 0 to 1; got 88.5")],
    )
    wrong = {"id": "CHRF", "reported": "yes"}
    error = refusal(lambda: make("rank", text_metrics=[wrong]))
    assert list(error.fields) == ["text_metrics.0.reported"]


def test_a_rescore_and_a_rebuild_give_the_same_values(make: Make, run: Run, ranks: Ranks) -> None:
    challenge = make("allow")
    run(challenge, "stated", values={"skill": 1.0})
    run(challenge, "computed", task_rewards={"a": [0.5]}, values={"skill": 0.7})
    assert verify_standings(challenge) == []
    change_challenge(
        challenge,
        user=None,
        fields={"metrics": [{"type": "mean_reward", "name": "skill", "reported": "rank"}]},
    )
    rescored(challenge)
    assert ranks(challenge) == {"stated": 1, "computed": 2}
    assert verify_standings(challenge) == []
    rebuild_standings(challenge)
    assert ranks(challenge) == {"stated": 1, "computed": 2}


def test_every_value_of_the_csv_has_a_level(make: Make, run: Run) -> None:
    challenge = make("rank", values=["solved"])
    run(challenge, "stated", values={"skill": 1.0, "solved": 3.0})
    run(challenge, "computed", task_rewards={"a": [0.5]}, metrics={"elapsed_ms": 5})
    challenge.refresh_from_db()
    text = "".join(
        csv_text(
            VisibleBoard(board_at(challenge), Access(challenge.pk)), ranking.columns_of(challenge)
        )
    )
    lines = {line["participant"]: line for line in csv.DictReader(text.splitlines())}
    assert lines["stated"]["skill (level)"] == lines["stated"]["solved (level)"] == "reported"
    assert lines["computed"]["skill (level)"] == "computed"
    assert lines["computed"]["solved (level)"] == ""
    assert "elapsed_ms (level)" not in lines["computed"]
    assert lines["stated"]["skill (low)"] == lines["stated"]["skill (margin)"] == ""
    assert lines["stated"]["skill (defined)"] == lines["stated"]["skill (total)"] == ""
    assert lines["computed"]["skill (defined)"] == lines["computed"]["skill (total)"] == "1"


def test_a_reported_value_covers_no_tasks(make: Make, run: Run, rows: Rows) -> None:
    challenge = make("rank")
    run(challenge, "stated", values={"skill": 1.0})
    row = rows(challenge)["stated"]
    board = VisibleBoard(board_at(challenge), Access(challenge.pk))
    shown_row = row_json(row, ranking.columns_of(challenge), None, row_facts(board, [row]))
    assert shown_row["cells"]["skill"] == {"level": "reported"}


def test_the_excel_export_has_reported_values(make: Make, run: Run) -> None:
    challenge = make("rank")
    run(challenge, "stated", values={"skill": 0.5, "other": 3.5})
    challenge.refresh_from_db()
    columns = ranking.columns_of(challenge)
    unlisted = Unlisted(challenge.shown, columns)
    text = "".join(
        csv_text(
            VisibleBoard(board_at(challenge), Access(challenge.pk)), columns, unlisted, excel("de")
        )
    )
    (stated,) = csv.DictReader(text.removeprefix(BOM).splitlines(), delimiter=";")
    assert (stated["skill"], stated["other"]) == ("0,5", "3,5")
    assert stated["skill (level)"] == stated["other (level)"] == "reported"


def test_a_computed_value_over_no_tasks_never_ranks(make: Make, run: Run, rows: Rows) -> None:
    """A value of EvSys that is 0.0 stays in the attempt; the board shows no value, and the
    reason."""
    tasks = [{"name": "a"}, {"name": "b"}]
    for name in ("mean_reward", "avg", "pass_rate", "pass@1", "pass^3"):
        metrics = [{"type": name, "name": "skill"}]
        challenge = make("refuse", name=name, metrics=metrics, tasks=tasks, min_coverage=None)
        run(challenge, "nothing", task_rewards={"a": []})
        run(challenge, "zero", task_rewards={"a": [0.0]})
        run(challenge, "lost", task_rewards={"a": [None]})
        board = rows(challenge)
        row = board["nothing"]
        assert (row.rank, row.unranked, row.values) == (None, "no_value", {}), name
        assert row.cells["skill"] == {"defined": 0, "total": 2, "reason": "not_run"}, name
        stored = Score.objects.get(attempt=row.attempt_id).metric_values["skill"]
        assert stored["value"] == 0.0, name
        assert board["zero"].rank == board["lost"].rank == 1, name


def test_a_reported_value_that_the_metric_cannot_have_is_refused(make: Make, run: Run) -> None:
    for metric, impossible, text in (
        ("mean_reward", 71.2, "from 0 to 1; got 71.2"),
        ("pass_rate", 71.2, "from 0 to 1; got 71.2"),
        ("pass@3", -0.1, "from 0 to 1; got -0.1"),
        ("wins", -1.0, "0 or more; got -1.0"),
        ("std", -1.0, "0 or more; got -1.0"),
    ):
        challenge = make(
            "rank",
            name=metric,
            metrics=[{"type": metric, "name": "skill", "reported": "rank"}],
            rewards=[{"name": "reward", "min": 0, "max": 1}],
        )
        reported = {"skill": impossible}
        error = refusal(partial(run, challenge, "atlas", values=reported))
        assert list(error.fields) == ["values.skill"], metric
        assert text in error.message, metric
        run(challenge, "atlas", values={"skill": 1.0})


def test_a_reported_value_must_be_within_the_bounds_of_its_reward(make: Make, run: Run) -> None:
    run(make("rank", name="Without bounds"), "atlas", values={"skill": 71.2})
    challenge = make(
        "rank",
        metrics=[{"type": "mean", "name": "skill", "reported": "rank", "failed": "exclude"}],
        tasks=[{"name": "a", "rewards": ["points", "style"]}],
        rewards=[{"name": "points", "min": 10, "max": 100}],
        rank_by=[{"key": "skill:points"}],
    )
    check_refusals(
        lambda value: run(challenge, "atlas", values={"skill:points": value}),
        [(value, "values.skill:points", "from 10 to 100") for value in (5.0, 101.0)],
    )
    run(challenge, "atlas", values={"skill:points": 10.0, "skill:style": 101.0})
