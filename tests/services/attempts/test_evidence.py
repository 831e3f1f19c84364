"""Samples of tasks and reported values: what is accepted, what is refused, where they are
stored."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Evidence, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts import evidence
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from tests.services.conftest import Bring, Create
from tests.services.refusals import check_refusals, refusal

SAMPLES = [
    Sample("a", 0, {"reward": 1.0}, {"tokens_total": 7}),
    Sample("a", 1, {"reward": None}),
    Sample("b", 0, None, None, "it died"),
]

BY_MEAN = {"scoring_strategy": "metric", "metrics": ["mean"], "rank_by": [{"key": "mean"}]}


@pytest.fixture
def bench(create: Create) -> Challenge:
    return create("Bench", **BY_MEAN)


@pytest.fixture
def declared(create: Create) -> Challenge:
    tasks = [{"name": "a", "rewards": ["reward"]}, {"name": "b"}]
    return create("Declared", tasks=tasks, num_samples=2)


def test_samples_are_read_as_they_were_sent(bench: Challenge, bring: Bring) -> None:
    attempt = bring(bench, samples=SAMPLES, values={"solved": 3})
    attempt.refresh_from_db()
    assert attempt.sample_count == 3
    assert attempt.values == {"solved": 3}
    assert attempt.evidence.read() == SAMPLES


def test_the_short_form_has_one_reward(bench: Challenge, bring: Bring) -> None:
    attempt = bring(bench, task_rewards={"a": [1.0, None], "b": [], "c": [0.5]})
    stored_evidence = attempt.evidence.under(bench.newest, None)
    assert attempt.sample_count == 3
    assert stored_evidence.tasks == ["a", "b", "c"]
    assert stored_evidence.metric_input("reward").task_rewards == [[1.0, 0.0], [], [0.5]]
    failed = bring(bench, task_rewards={"a": [None]})
    assert failed.evidence.under(bench.newest, None).metric_input("reward").task_rewards == [[0.0]]


def test_lists_do_not_read_evidence(bench: Challenge, bring: Bring) -> None:
    bring(bench, samples=SAMPLES)
    with CaptureQueriesContext(connection) as queries:
        list(Attempt.objects.select_related("participant", "scoring_config"))
    assert not any("evidence" in (query["sql"] or "") for query in queries.captured_queries)


def test_errors_name_the_wrong_samples(declared: Challenge, bring: Bring) -> None:
    cases: list[tuple[Any, ...]] = [
        ([Sample("a", 0, {}), Sample("z", 0, {})], "samples.1.task", 'got "z"'),
        ([Sample("a", 0, {}), Sample("a", 0, None)], "samples.1.sample", "of a; got 0 twice"),
        ([Sample("a", at, {}) for at in (5, 6, 7)], "samples.2.sample", "2 samples of a; got 3"),
        ([Sample("", 0, {})], "samples.0.task", "characters"),
        ([Sample("a", 0, {"x\x00": 1.0})], "samples.0.rewards", "characters"),
        ([Sample("a", 0, {"r": 1.0}), Sample("b", 0, {"\ud800": None})], "samples.1.rewards"),
    ]
    check_refusals(lambda samples: bring(declared, samples=samples), cases)
    short_form: list[tuple[Any, ...]] = [
        ({"a": [1.0], "z": [1.0]}, "task_rewards.z"),
        ({"a": [1.0, 0.0, 1.0]}, "task_rewards.a"),
    ]
    check_refusals(lambda rewards: bring(declared, task_rewards=rewards), short_form)
    two_forms = {"samples": SAMPLES[:1], "task_rewards": {"a": [1.0]}}
    check_refusals(lambda fields: bring(declared, **fields), [(two_forms, "task_rewards")])
    assert not Attempt.objects.exists()


def test_unknown_tasks_may_be_kept(create: Create, bring: Bring) -> None:
    challenge = create("Open", tasks=[{"name": "a"}], unknown_tasks="keep")
    attempt = bring(challenge, samples=[Sample("z", 0, {"reward": 1.0})])
    assert attempt.evidence.under(challenge.newest, None).tasks == ["a", "z"]


def test_samples_have_limits(
    bench: Challenge, bring: Bring, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(evidence, "MAX_SAMPLES", 2)
    cases = [
        ({"samples": SAMPLES}, "samples", "at most 2", "got 3"),
        ({"task_rewards": {"a": [1.0] * 3}}, "task_rewards", "at most 2", "got 3"),
    ]
    check_refusals(lambda fields: bring(bench, **fields), cases)
    monkeypatch.setattr(evidence, "MAX_CELLS", 3)
    wide = [Sample("a", at, {"x": 1.0, "y": 1.0}) for at in range(2)]
    check_refusals(
        lambda fields: bring(bench, **fields), [({"samples": wide}, "samples", "got 2 rewards")]
    )


def test_invalid_values_are_refused(bench: Challenge, bring: Bring) -> None:
    cases: list[tuple[Any, ...]] = [
        ("so lved", 1.0, "1 to 80", 'got "so lved"'),
        ("elapsed_ms", 1.0, "under metrics", "got 1.0"),
        *((name, 1.0, "computed here") for name in ("score", "mean", "mean:physics")),
        ("cost_per_task", 1.0, "computed here"),
        ("solved", float("inf"), "finite"),
    ]
    for name, value, *parts in cases:
        check_refusals(
            lambda values: bring(bench, values=values), [({name: value}, f"values.{name}", *parts)]
        )
    most = {f"v{at}": 1.0 for at in range(100)}
    bring(bench, values=most)
    check_refusals(
        lambda values: bring(bench, values=values),
        [(most | {"v100": 1.0}, "values", "at most 100", "got 101")],
    )


def test_a_batch_stores_its_evidence(declared: Challenge, alice: User) -> None:
    news = [
        NewAttempt(participant="a", samples=[Sample("a", 0, {"reward": 1.0})]),
        NewAttempt(participant="b", samples=[Sample("z", 0, {"reward": 1.0})]),
        NewAttempt(participant="c", metrics={"elapsed_ms": 5}),
        NewAttempt(participant="d", task_rewards={"b": [0.5]}),
    ]
    bulk = submit_many(challenge=declared, user=alice, news=news)
    assert [position for position, _ in bulk.rejected] == [1]
    handles = {row.attempt.participant.handle for row in Evidence.objects.all()}
    assert handles == {"a", "d"}
    ids = [accepted.pk for accepted in bulk.accepted]
    assert [Attempt.objects.get(pk=id_).sample_count for id_ in ids] == [1, None, 1]


BOUNDS = [{"name": "reward", "min": 0, "max": 1}, {"name": "physics", "max": 100}]


@pytest.fixture
def bounded(create: Create) -> Challenge:
    return create("Bounded", **BY_MEAN, rewards=BOUNDS)


def test_rewards_within_their_bounds_are_accepted(bounded: Challenge, bring: Bring) -> None:
    rewards = [{"reward": 0.0, "physics": -1e9}, {"reward": 1.0, "physics": 100.0}, {"other": 7.0}]
    samples = [Sample("a", at, reward) for at, reward in enumerate(rewards)]
    assert bring(bounded, samples=[*samples, Sample("b", 0, None)]).sample_count == 4


def test_rewards_outside_their_bounds_are_refused(bounded: Challenge, bring: Bring) -> None:
    beyond = [Sample("a", 0, {"reward": 1}), Sample("b", 3, {"physics": 100.5})]
    cases: list[tuple[Any, ...]] = [
        ({"task_rewards": {"a": [1.0, 1.5]}}, "task_rewards.a.1", "from 0 to 1; got 1.5"),
        ({"samples": beyond}, "samples.1.rewards.physics", "sample 3", "100 or less; got 100.5"),
    ]
    check_refusals(lambda fields: bring(bounded, **fields), cases)
    error = refusal(lambda: bring(bounded, task_rewards={"a": [-1.0] * 30}))
    assert list(error.fields) == [f"task_rewards.a.{at}" for at in range(20)]
