"""Pages of instances, sorted by the results of a metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.columns import Column
from leaderboard.models import Attempt, Challenge, InstanceBlock, MetricRun
from leaderboard.rules.rewards.instances import Instance
from leaderboard.services.evaluation.run_columns import shown_runs
from leaderboard.services.evaluation.tables import (
    InstancePage,
    ResultKey,
    instance_page,
    result_keys,
)
from tests.helpers.evaluations import held_references, stored_evaluation, stored_run
from tests.services.conftest import Submit

pytestmark = pytest.mark.django_db


COLUMNS = {
    "F1": Column("F1", "F1", "desc"),
    "EDIT_DISTANCE": Column("EDIT_DISTANCE", "EDIT_DISTANCE", "asc"),
    "EDIT_DISTANCE:similarity": Column("EDIT_DISTANCE:similarity", "similarity", "desc"),
    "ROUGE": Column("ROUGE", "ROUGE", "desc"),
    "ROUGE:rougeL": Column("ROUGE:rougeL", "rougeL", "desc"),
}


@pytest.fixture
def attempt(sprint: Challenge, submit: Submit) -> Attempt:
    return submit(sprint, "atlas")


def instances(count: int) -> list[Instance]:
    return [Instance(str(at), f"ask {at}", (f"say {at}",), (f"want {at}",)) for at in range(count)]


def keys_of(attempt: Attempt) -> dict[str, ResultKey]:
    runs = shown_runs(attempt, attempt.scoring_config)
    return {key.key: key for key in result_keys(runs, COLUMNS)}


def page(
    attempt: Attempt,
    sort: str = "",
    *,
    worst_first: bool = True,
    start: int = 0,
    limit: int = 50,
) -> InstancePage:
    keys = keys_of(attempt)
    return instance_page(
        attempt,
        attempt.scoring_config,
        list(keys.values()),
        start=start,
        limit=limit,
        sort=keys[sort] if sort else None,
        worst_first=worst_first,
    )


def ids(page: InstancePage) -> list[str | int]:
    return [row.instance.id for row in page.rows]


def test_instances_have_their_original_order_by_default(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(600))
    stored_run(attempt, "F1", [at / 1000 for at in range(600)])
    table_page = page(attempt, start=490, limit=20)
    assert ids(table_page) == [str(at) for at in range(490, 510)]
    assert table_page.total == 600
    assert [row.results["F1"] for row in table_page.rows] == [at / 1000 for at in range(490, 510)]
    assert table_page.rows[0].instance == Instance("490", "ask 490", ["say 490"], ["want 490"])
    assert ids(page(attempt, start=590, limit=50)) == [str(at) for at in range(590, 600)]


@pytest.mark.parametrize(
    ("worst_first", "order"), [(True, "1 4 0 3 2 5"), (False, "0 3 4 1 2 5")], ids=["worst", "best"]
)
def test_instances_without_a_result_are_sorted_last(
    attempt: Attempt, worst_first: bool, order: str
) -> None:
    stored_evaluation(attempt, instances(6))
    stored_run(attempt, "F1", [0.9, 0.1, None, 0.9, 0.5, None])
    assert ids(page(attempt, "F1", worst_first=worst_first)) == order.split()


def test_the_sort_direction_is_that_of_the_result(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(3))
    results = [{"edit_distance": float(at), "similarity": 1 - at / 10} for at in (1, 3, 2)]
    stored_run(attempt, "EDIT_DISTANCE", results)
    assert list(keys_of(attempt)) == ["EDIT_DISTANCE", "EDIT_DISTANCE:similarity"]
    assert ids(page(attempt, "EDIT_DISTANCE")) == ["1", "2", "0"]
    assert ids(page(attempt, "EDIT_DISTANCE:similarity")) == ["1", "2", "0"]


def test_a_metric_outside_the_board_has_its_own_direction(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(2))
    results = [{"edit_distance": 1.0, "similarity": 0.9}, {"edit_distance": 3.0, "similarity": 0.5}]
    named = {"id": "edit_distance", "parameters": {}}
    stored_run(attempt, named, results, key="mine", value={"mine": {}, "mine:similarity": {}})
    assert [(key.key, key.column.direction) for key in keys_of(attempt).values()] == [
        ("mine", "asc"),
        ("mine:similarity", "desc"),
    ]


@pytest.mark.parametrize(
    ("names", "keys"),
    [
        (["recall", "f1", "precision"], ["PRF:recall", "PRF", "PRF:precision"]),
        (["recall", "precision"], ["PRF:recall", "PRF:precision"]),
    ],
)
def test_results_may_have_more_names_than_the_score_has(
    attempt: Attempt, names: list[str], keys: list[str]
) -> None:
    """The metric's value is the score's first number, wherever that is among the results."""
    stored_evaluation(attempt, instances(2))
    results = [{name: at / 10 for at, name in enumerate(names)}] * 2
    score = {"how": "by words", "f1": 0.1, "precision": 0.0}
    value: dict[str, Any] = {"PRF": {}, "PRF:precision": {}}
    stored_run(attempt, "PRF", results, score=score, names=list(score), value=value)
    assert list(keys_of(attempt)) == keys
    (row, _) = page(attempt).rows
    assert row.results == {key: at / 10 for at, key in enumerate(keys)}


def test_a_removed_metric_is_sorted_with_the_highest_first(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(2))
    stored_run(attempt, "GONE", [0.2, 0.1])
    assert ids(page(attempt, "GONE")) == ["1", "0"]


def test_sorted_pages_are_consecutive(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(900))
    stored_run(attempt, "F1", [float(at * 7 % 900) for at in range(900)])
    collected_ids: list[str | int] = []
    for start in range(0, 900, 250):
        collected_ids += ids(page(attempt, "F1", start=start, limit=250))
    assert collected_ids == sorted((str(at) for at in range(900)), key=lambda at: int(at) * 7 % 900)


def test_a_row_has_the_results_and_warnings_of_several_metrics(
    attempt: Attempt,
) -> None:
    stored_evaluation(attempt, instances(3))
    stored_run(attempt, "F1", [0.1, 0.2, None], warnings={1: "is short"})
    stored_run(attempt, "ROUGE", [{"rouge1": 0.5, "rougeL": None}, None, {"rouge1": 1.0}])
    rows = page(attempt).rows
    assert rows[0].results == {"F1": 0.1, "ROUGE": 0.5, "ROUGE:rougeL": None}
    assert rows[1].results == {"F1": 0.2, "ROUGE": None, "ROUGE:rougeL": None}
    assert rows[2].results == {"F1": None, "ROUGE": 1.0, "ROUGE:rougeL": None}
    assert [row.warnings for row in rows] == [{}, {"F1": "is short"}, {}]


def test_a_metric_without_results_for_instances_has_no_key(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(3))
    stored_run(attempt, "CORPUS", [None, None, None])
    assert keys_of(attempt) == {}
    assert ids(page(attempt)) == ["0", "1", "2"]


def test_instances_of_missing_blocks_have_no_results(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(600))
    run = stored_run(attempt, "F1", [float(at) for at in range(600)], finished_at=None)
    run.blocks.filter(number=1).delete()
    table_page = page(attempt, "F1", start=348, limit=4)
    assert ids(table_page) == ["598", "599", "250", "251"]
    assert table_page.rows[-1].results == {}


def test_a_page_reads_only_its_own_blocks(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(1000))
    stored_run(attempt, "F1", [float(at) for at in range(1000)])
    with CaptureQueriesContext(
        connection,
    ) as queries:
        page(attempt, "F1", limit=10)
    texts = [query["sql"] for query in queries if InstanceBlock._meta.db_table in query["sql"]]
    assert [sql for sql in texts if "content" in sql and " IN (0)" not in sql] == []


class TestHeld:
    """Instances whose inputs and references are stored with the challenge."""

    @pytest.fixture
    def challenge(self, attempt: Attempt) -> Challenge:
        return attempt.challenge

    def test_outputs_and_references_are_matched_by_id(self, attempt: Attempt) -> None:
        held_references(attempt.scoring_config, instances(600))
        stored_evaluation(attempt, outputs(range(600)), outputs_only=True)
        (row,) = page(attempt, start=300, limit=1).rows
        assert row.instance == Instance("300", "ask 300", ["say 300"], ["want 300"])

    def test_a_missing_instance_has_no_output(self, attempt: Attempt) -> None:
        held_references(attempt.scoring_config, instances(3))
        stored_evaluation(attempt, outputs([0, 2]), outputs_only=True)
        assert [row.instance.outputs for row in page(attempt).rows] == [["say 0"], (), ["say 2"]]

    def test_outputs_are_found_after_a_change_of_the_references(self, attempt: Attempt) -> None:
        """The blocks of the outputs then differ from those of the references."""
        held_references(attempt.scoring_config, instances(600)[::-1])
        stored_evaluation(attempt, outputs([*range(600), 700]), outputs_only=True)
        stored_run(attempt, "F1", [float(at) for at in range(600)])
        table_page = page(attempt, "F1", limit=3)
        assert table_page.total == 600
        assert [row.instance.outputs for row in table_page.rows] == [
            ["say 599"],
            ["say 598"],
            ["say 597"],
        ]
        assert table_page.rows[0].instance.references == ["want 599"]

    def test_numeric_ids_equal_their_text(self, attempt: Attempt) -> None:
        held_references(attempt.scoring_config, instances(1))
        stored_evaluation(attempt, [Instance(0, outputs=("zero",))], outputs_only=True)
        assert page(attempt).rows[0].instance.outputs == ["zero"]


def outputs(numbers: Sequence[int]) -> list[Instance]:
    return [Instance(str(at), outputs=(f"say {at}",)) for at in numbers]


def test_runs_of_another_config_are_left_out(attempt: Attempt) -> None:
    stored_evaluation(attempt, instances(1))
    other = attempt.challenge.configs.create(number=99, strategy="fastest")
    stored_run(attempt, "F1", [0.5], config=other)
    assert shown_runs(attempt, attempt.scoring_config) == []
    assert shown_runs(attempt, other) == list(MetricRun.objects.all())
