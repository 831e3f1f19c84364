"""Rescores of attempts with outputs: other parameters, other references, and long evaluations."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, MetricRun, RescoreSlice, Score, Tenant, User
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges import rescores
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.references import release_references, store_references
from leaderboard.services.evaluation import evaluate, time_slices
from leaderboard.services.evaluation.attempts_to_score import attempt_to_score
from leaderboard.services.evaluation.instances import Instances
from leaderboard.services.evaluation.output_documents import output_document
from leaderboard.services.scoring import rescoring, single
from tests.services.conftest import Run
from tests.services.evaluation.evaluating import end_time_slices_early
from tests.services.evaluation.text import EXPECTED, document, instances, shared_task, translation

pytestmark = pytest.mark.usefixtures("in_house")

HELLO = parse_outputs({"1": "hello"})
"""The right output of the first instance, and no other."""


@pytest.fixture
def challenge(tenant: Tenant, alice: User) -> Challenge:
    """A challenge with references."""
    return shared_task(tenant, alice)


@pytest.fixture
def one_block_each(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make a block of each instance."""
    monkeypatch.setattr("leaderboard.rules.rewards.instances.ROWS_PER_BLOCK", 1)


def rescored(challenge: Challenge) -> None:
    config, _ = rescoring.start_rescore(challenge)
    for _ in range(20):
        rescoring.work_on(config.pk)
        challenge.refresh_from_db()
        if challenge.shown == config:
            break
    assert challenge.shown == config
    assert verify_standings(challenge) == []


def value(attempt: Attempt, challenge: Challenge) -> float | None:
    """Return the value of the shown board's first text metric for an attempt."""
    score = Score.objects.get(attempt=attempt, config=challenge.shown)
    metric_value: float | None = next(iter(score.metric_values.values()))["value"]
    return metric_value


def test_a_rescore_uses_other_parameters(tenant: Tenant, alice: User, run: Run) -> None:
    challenge = translation(tenant, alice, text_metrics=["words"], rank_by=[{"key": "WORDS"}])
    attempt = run(challenge, evaluation=document())
    assert value(attempt, challenge) == 1.0
    before = challenge.shown
    metrics = [{"id": "WORDS", "parameters": {"times": 3.0}}]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    assert value(attempt, challenge) == 1.0
    rescored(challenge)
    assert value(attempt, challenge) == 3.0
    score = Score.objects.select_related("config").get(attempt=attempt, config=challenge.shown)
    assert output_document(Attempt.objects.get(pk=attempt.pk), score) == []
    assert MetricRun.objects.get().given == metrics[0]
    assert not MetricRun.objects.filter(config=before).exists(), "nobody reads them any more"


def test_a_rescore_uses_other_references(challenge: Challenge, alice: User, run: Run) -> None:
    """The new references have another order, one more, one less, and another answer."""
    right = {key: expected[0] for key, expected in EXPECTED.items()}
    attempt = run(challenge, outputs=parse_outputs(right))
    assert value(attempt, challenge) == 1.0
    rows = [
        {"id": 9, "expected-output": "new"},
        {"id": 3, "expected-output": "the cat sleeps"},
        {"id": "1", "expected-output": "no longer"},
    ]
    store_references(challenge, user=alice, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    rescored(challenge)
    assert value(attempt, challenge) == pytest.approx(1 / 3)
    metric_values = Score.objects.get(attempt=attempt, config=challenge.shown).metric_values
    assert (metric_values["EXACT_MATCH"]["total"], metric_values["EXACT_MATCH"]["failed"]) == (3, 1)


def test_a_rescore_compares_with_nothing_after_references_were_removed(
    challenge: Challenge, alice: User, run: Run
) -> None:
    attempt = run(challenge, outputs=HELLO)
    release_references(challenge, user=alice)
    challenge.refresh_from_db()
    rescored(challenge)
    exact = Score.objects.get(attempt=attempt, config=challenge.shown).metric_values["EXACT_MATCH"]
    assert (exact["value"], exact["reason"], exact["defined"]) == (None, "undefined", 0)


def test_a_rescore_uses_references_that_were_added(tenant: Tenant, alice: User, run: Run) -> None:
    """The references count, and only the challenge's metrics are computed."""
    challenge = translation(tenant, alice)
    attempt = run(challenge, evaluation=document("f1"))
    assert value(attempt, challenge) == pytest.approx(2 / 3)
    rows = [{"id": 1, "expected-output": "hello"}]
    store_references(challenge, user=alice, document=parse_document({"instances": rows}))
    challenge.refresh_from_db()
    rescored(challenge)
    assert value(attempt, challenge) == 1.0
    assert list(MetricRun.objects.values_list("key", flat=True)) == ["EXACT_MATCH"]


def test_an_attempt_is_scored_for_the_shown_and_the_newest_config(
    challenge: Challenge, run: Run
) -> None:
    run(challenge, outputs=HELLO)
    metrics = ["exact_match", "words"]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    late = run(challenge, "boreas", outputs=parse_outputs({"1": "hello", "2": "thank you"}))
    own, shown_score = Score.objects.filter(attempt=late).order_by("-config__number")
    assert set(own.metric_values) == {"EXACT_MATCH", "WORDS"}
    assert set(shown_score.metric_values) == {"EXACT_MATCH"}
    assert MetricRun.objects.filter(evaluation=late.pk).count() == 3


@pytest.fixture
def computed(monkeypatch: pytest.MonkeyPatch) -> list[tuple[int, str]]:
    """Return a list of the computed runs: the number of the config, and the key."""
    runs: list[tuple[int, str]] = []
    work_on = evaluate._work_on

    def looking(run: MetricRun, *args: Any) -> None:
        runs.append((run.config.number, run.key))
        work_on(run, *args)

    monkeypatch.setattr(evaluate, "_work_on", looking)
    return runs


@pytest.mark.usefixtures("one_block_each")
def test_a_metric_of_both_configs_is_computed_once(
    tenant: Tenant,
    alice: User,
    run: Run,
    computed: list[tuple[int, str]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(evaluate, "BLOCKS_PER_STATEMENT", 2)
    challenge = shared_task(tenant, alice, text_metrics=["exact_match", "words"])
    run(challenge, outputs=HELLO)
    again = {"id": "WORDS", "parameters": {"times": 2.0}}
    fields = {"text_metrics": ["f1", "exact_match", again]}
    challenge = change_challenge(challenge, user=None, fields=fields)
    computed.clear()
    late = run(challenge, "boreas", outputs=parse_outputs({"1": "hello", "2": "what else"}))
    assert computed == [(3, "F1"), (3, "EXACT_MATCH"), (3, "WORDS"), (2, "WORDS")]
    own, shown_score = Score.objects.filter(attempt=late).order_by("-config__number")
    assert own.metric_values["EXACT_MATCH"] == shown_score.metric_values["EXACT_MATCH"]
    assert (
        own.metric_values["WORDS"]["value"] == 2 * shown_score.metric_values["WORDS"]["value"] > 0
    )
    own_run, shown_run = MetricRun.objects.filter(evaluation=late.pk, key="EXACT_MATCH")
    assert (own_run.score, own_run.names, own_run.elapsed) == (
        shown_run.score,
        shown_run.names,
        shown_run.elapsed,
    )
    rows = [
        [block.rows() for block in run.blocks.order_by("number")] for run in (own_run, shown_run)
    ]
    assert rows[0] == rows[1] == [[[1.0, None]], [[0.0, None]], [[0.0, None]]]
    read = Attempt.objects.get(pk=late.pk)
    assert [entry["id"] for entry in output_document(read, shown_score)] == ["EXACT_MATCH", "WORDS"]
    rescored(challenge)


def test_a_failing_metric_of_both_configs_is_computed_once(
    tenant: Tenant, alice: User, run: Run, computed: list[tuple[int, str]]
) -> None:
    """A metric that exceeds its time does so only once. A retry computes all of it again."""
    challenge = shared_task(tenant, alice, text_metrics=["fails"], rank_by=[{"key": "FAILS"}])
    run(challenge, outputs=HELLO)
    challenge = change_challenge(challenge, user=None, fields={"counting": "latest"})
    computed.clear()
    late = run(challenge, "boreas", outputs=parse_outputs({"1": "secret"}))
    assert computed == [(3, "FAILS")]
    runs = MetricRun.objects.filter(evaluation=late.pk)
    assert [run.error_code for run in runs] == ["exception"] * 2
    assert len({run.error_detail for run in runs}) == 1
    assert not runs.exclude(blocks=None).exists()
    evaluate.forget_failed_runs(late.pk)
    assert [(run.error_code, run.finished_at) for run in runs.all()] == [("", None)] * 2


@pytest.mark.usefixtures("one_block_each")
def test_a_metric_of_both_configs_is_computed_once_in_time_slices(
    challenge: Challenge, run: Run, computed: list[tuple[int, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    run(challenge, outputs=HELLO)
    challenge = change_challenge(challenge, user=None, fields={"counting": "latest"})
    end_time_slices_early(monkeypatch)
    computed.clear()
    late = run(challenge, "boreas", outputs=HELLO)
    for _ in range(20):
        single.score_waiting()
    assert Attempt.objects.get(pk=late.pk).status == "scored"
    assert {number for number, _ in computed} == {3}
    own, shown_score = Score.objects.filter(attempt=late)
    assert own.metric_values == shown_score.metric_values


def test_a_worker_without_a_lease_copies_no_results(challenge: Challenge, run: Run) -> None:
    run(challenge, outputs=HELLO)
    challenge = change_challenge(challenge, user=None, fields={"counting": "latest"})
    late = run(challenge, "boreas", outputs=HELLO)
    of_shown = MetricRun.objects.filter(evaluation=late.pk, config=challenge.shown)
    of_shown.delete()
    with pytest.raises(time_slices.LeaseLost):
        evaluate.evaluated(
            challenge.shown, attempt_to_score(late), time_slices.TimeSlice(lambda stored: False)
        )
    (unfinished,) = of_shown.all()
    assert (unfinished.finished_at, unfinished.blocks.count()) == (None, 0)


@pytest.mark.parametrize(
    "change", [{"text_timeout_ms": 1000}, {"hold": instances()[:2]}, {"release": True}]
)
def test_a_run_with_other_inputs_is_computed_again(
    challenge: Challenge,
    alice: User,
    run: Run,
    computed: list[tuple[int, str]],
    change: dict[str, Any],
) -> None:
    run(challenge, outputs=HELLO)
    fields = {name: setting for name, setting in change.items() if name == "text_timeout_ms"}
    hold = parse_document({"instances": change["hold"]}) if "hold" in change else None
    challenge = change_challenge(
        challenge, user=alice, fields=fields, hold=hold, release="release" in change
    )
    computed.clear()
    new = {"outputs": HELLO}
    run(challenge, "boreas", **({"evaluation": document()} if "release" in change else new))
    assert [number for number, _ in computed] == [3, 2]


def test_a_rescore_computes_everything_again(
    challenge: Challenge, run: Run, computed: list[tuple[int, str]]
) -> None:
    """The file of a metric may have changed, so earlier results are not valid for the new board."""
    run(challenge, outputs=HELLO)
    computed.clear()
    rescored(challenge)
    assert computed == [(3, "EXACT_MATCH")]


@pytest.mark.usefixtures("one_block_each")
def test_a_rescore_pauses_and_continues_within_a_slice(
    tenant: Tenant,
    alice: User,
    run: Run,
    notifications: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    challenge = translation(tenant, alice, text_metrics=["words"], rank_by=[{"key": "WORDS"}])
    for name in ("atlas", "boreas"):
        run(challenge, name, evaluation=document())
    metrics = [{"id": "WORDS", "parameters": {"times": 2.0}}]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    config, _ = rescoring.start_rescore(challenge)
    notifications.clear()
    end_time_slices_early(monkeypatch)
    assert rescoring.work_on(config.pk, seconds=0.001) == 0
    slice_ = RescoreSlice.objects.get()
    assert (slice_.done, slice_.lease_token, slice_.deliveries) == (False, None, 0)
    assert ("rescore", config.pk) in notifications
    assert 0 < MetricRun.objects.filter(config=config).count() < 3
    rescored(challenge)
    scores = Score.objects.filter(config=config)
    assert {score.metric_values["WORDS"]["value"] for score in scores} == {2.0}


def test_only_as_many_outputs_count_as_the_challenge_allows(
    tenant: Tenant, alice: User, run: Run
) -> None:
    """Also of attempts that were submitted when it allowed more, or held no references."""
    guesses = ["a", "b", EXPECTED["2"][0]]
    challenge = shared_task(tenant, alice, max_outputs=3)
    attempt = run(challenge, outputs=parse_outputs({"2": guesses}))
    for most, expected in ((2, 0.0), (3, 1 / 3), (None, 0.0)):
        challenge = change_challenge(challenge, user=None, fields={"max_outputs": most})
        rescored(challenge)
        assert value(attempt, challenge) == pytest.approx(expected), most
    release_references(challenge, user=alice)
    challenge.refresh_from_db()
    rows = instances(**{"2": guesses})
    attempt = run(challenge, evaluation=parse_document({"instances": rows}))
    score = Score.objects.get(attempt=attempt, config=challenge.newest)
    assert score.metric_values["EXACT_MATCH"]["value"] > 0
    store_references(challenge, user=alice, document=parse_document({"instances": instances()}))
    challenge.refresh_from_db()
    rescored(challenge)
    assert value(attempt, challenge) == 0.0


@pytest.mark.parametrize(
    ("attempts", "instances", "size"),
    [(50, 0, 100), (5000, 0, 200), (10, 100, 100), (10, 50_000, 1), (1000, 100_000, 50)],
)
def test_slices_are_small_if_attempts_take_long(attempts: int, instances: int, size: int) -> None:
    assert rescores._size(attempts, instances) == size


@pytest.mark.usefixtures("one_block_each")
def test_a_late_attempt_is_evaluated_in_time_slices(
    challenge: Challenge,
    run: Run,
    notifications: list[tuple[Any, ...]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """An attempt that the rescore has not reached is scored just before the board switches."""
    run(challenge, outputs=HELLO)
    metrics = ["exact_match", "words"]
    challenge = change_challenge(challenge, user=None, fields={"text_metrics": metrics})
    config, _ = rescoring.start_rescore(challenge)
    RescoreSlice.objects.update(done=True)
    end_time_slices_early(monkeypatch)
    notifications.clear()
    assert not rescoring.finish_if_done(config.pk)
    assert notifications == [("rescore", config.pk)]
    for _ in range(20):
        if rescoring.finish_if_done(config.pk):
            break
    challenge.refresh_from_db()
    assert challenge.shown == config
    assert verify_standings(challenge) == []


def test_instances_are_matched_by_id(tenant: Tenant, alice: User, run: Run) -> None:
    challenge = shared_task(tenant, alice, max_outputs=2)
    attempt = run(challenge, outputs=parse_outputs({"2": ["a", "b"], "3": None}))
    ((number, picked),) = (
        Instances(attempt.pk, challenge.newest, attempt.phase_id).pick({0: range(3)}).items()
    )
    assert number == 0
    assert [instance.id for instance in picked] == ["1", "2", "3"]
    assert [list(instance.outputs) for instance in picked] == [[], ["a", "b"], []]
    assert [instance.input for instance in picked] == [row["input"] for row in instances()]
