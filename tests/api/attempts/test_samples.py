"""Attempts with samples: what is accepted, how errors name what is refused, how it is read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Evidence, Participant, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.api.conftest import METRICS, Api, ranked_by, refused

PATH = "challenges/exams/attempts/"
FIRST = {"task": "task-1", "sample": 0, "rewards": {"physics": 0.5}}
USAGE = {"tokens_total": 900, "elapsed_ms": 4000, "cost_usd": 0.01}


@pytest.fixture
def exams(default: Tenant, alice: User) -> Challenge:
    fields = ranked_by("mean_reward", "Exams")
    return create_challenge(tenant=default, user=alice, fields=fields)


def with_samples(*samples: Any, **more: Any) -> dict[str, Any]:
    return {"participant": "atlas", "samples": list(samples), **more}


def test_several_kinds_of_evidence_are_accepted_together(submitter: Api, exams: Challenge) -> None:
    samples = [
        {**FIRST, "usage": USAGE},
        {"task": "task-1", "sample": 1, "rewards": {"physics": None, "chemistry": 1}},
        {"task": "task-2", "sample": 0, "rewards": None, "error": "container died"},
        {"task": "task-2", "sample": 1, "rewards": {}, "usage": None, "error": None},
    ]
    body = with_samples(*samples, metrics=METRICS, values={"solved": 9, "unknown": None})
    answer = submitter.post(PATH, body)
    assert answer.status_code == 202, answer.content
    assert answer.json()["values"] == {"solved": 9.0}
    assert answer.json()["metrics"]["rating"] == 8
    assert [tuple(sample) for sample in Evidence.objects.get().read()] == [
        ("task-1", 0, {"physics": 0.5}, USAGE, "", None),
        ("task-1", 1, {"physics": None, "chemistry": 1.0}, None, "", None),
        ("task-2", 0, None, None, "container died", None),
        ("task-2", 1, {}, None, "", None),
    ]


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"samples": [{**FIRST, "task": "a\nb"}]}, "samples.0.task"),
    ({"samples": [FIRST, FIRST]}, "samples.1.sample"),
    ({"samples": [{**FIRST, "rewards": {"physics": "1"}}]}, "samples.0.rewards.physics"),
    ({"task_rewards": {"": [1.0]}}, "task_rewards"),
    ({"task_rewards": {"task-1": [True]}}, "task_rewards.task-1.0"),
    ({"samples": [FIRST], "task_rewards": {"task-1": [1.0]}}, "task_rewards"),
]
"""tests/schemas/test_attempts.py has the samples whose form is wrong."""


def test_wrong_samples_are_refused(submitter: Api, exams: Challenge) -> None:
    for evidence, field in WRONG:
        body = {"participant": "atlas", **evidence}
        refused(submitter.post(PATH, body), 400, "invalid", field)
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()


def test_only_bodies_with_samples_may_be_large(submitter: Api, exams: Challenge) -> None:
    padding = b" " * (256 * 1024)
    plain = json.dumps({"participant": "atlas", "values": {"solved": 9}}).encode()
    samples = json.dumps(with_samples(FIRST)).encode()
    assert submitter.send("post", PATH, samples + padding).status_code == 202
    refused(submitter.send("post", PATH, plain + padding), 413, "too_large")
    most = 16 * 1024 * 1024
    fits = samples + b" " * (most - len(samples))
    assert submitter.send("post", PATH, fits).status_code == 202
    refused(submitter.send("post", PATH, fits + b" "), 413, "too_large")


@pytest.mark.slow
def test_a_hundred_thousand_samples_are_accepted(submitter: Api, exams: Challenge) -> None:
    samples = [
        {"task": f"t{at // 8}", "sample": at % 8, "rewards": {"physics": at / 7}, "usage": USAGE}
        for at in range(100_000)
    ]
    body = json.dumps(with_samples(*samples)).encode()
    answer = submitter.send("post", PATH, body)
    assert answer.status_code == 202, answer.content[:500]
    assert Attempt.objects.get().sample_count == 100_000
    more = with_samples(*samples, {"task": "another", "sample": 0, "rewards": None})
    refused(submitter.post(PATH, more), 400, "invalid", "samples")


def test_samples_are_accepted_in_bulk(submitter: Api, exams: Challenge) -> None:
    wrong = {**FIRST, "rewards": {"physics": "1"}}
    large = {"participant": "borealis", "task_rewards": {"task-1": [0.25] * 60_000}}
    answer = submitter.lines(
        f"{PATH}bulk/",
        with_samples(FIRST, values={"solved": 9}),
        with_samples(FIRST, wrong),
        large,
        {"participant": "ceres", "values": {"solved": 7}, "note": "n" * 300_000},
    ).json()
    assert answer["accepted"] == 2
    two, four = answer["rejected"]
    assert (two["line"], set(two["error"]["fields"])) == (2, {"samples.1.rewards.physics"})
    assert (four["line"], four["error"]["code"]) == (4, "too_large")
    counts = Attempt.objects.order_by("participant__slug").values_list("sample_count", flat=True)
    assert list(counts) == [1, 60_000]


def test_the_values_of_metrics_are_shown(submitter: Api, exams: Challenge) -> None:
    body = {"participant": "atlas", "task_rewards": {"task-1": [1.0, 0.0, None], "task-2": [1.0]}}
    address = submitter.post(PATH, body).json()["url"]
    single.score_waiting()
    read = submitter.get(address).json()
    value = read["metric_values"]["mean_reward"]
    assert value["value"] == pytest.approx(2 / 3)
    assert (value["defined"], value["total"], value["failed"]) == (2, 2, 1)
    assert value["error"] is None
    assert value["standard_error"] == pytest.approx(1 / 3)
    assert (value["interval"], value["margin"]) == (None, None)
    assert value["interval_reason"] == "few_tasks"
    assert read["rank"] == 1


def tasks_of(api: Api, url: str, query: str = "") -> Any:
    answer = api.get(f"{url}tasks.json{query}")
    assert answer.status_code == 200, answer.content
    return answer.json()


def test_the_tasks_of_an_attempt_are_shown(submitter: Api, anyone: Api, exams: Challenge) -> None:
    second = {"task": "task-2", "sample": 1, "rewards": None, "error": "container died"}
    samples = [second, {**FIRST, "usage": USAGE}, {**FIRST, "sample": 1, "rewards": {"art": None}}]
    address = submitter.post(PATH, with_samples(*samples)).json()["url"]
    assert tasks_of(anyone, address) == {
        "tasks": [
            {
                "task": "task-2",
                "samples": [{"sample": 1, "rewards": None, "usage": {}, "error": "container died"}],
            },
            {
                "task": "task-1",
                "samples": [
                    {"sample": 0, "rewards": {"physics": 0.5}, "usage": USAGE, "error": ""},
                    {"sample": 1, "rewards": {"art": None}, "usage": {}, "error": ""},
                ],
            },
        ],
        "total": 2,
        "next": None,
    }


def test_tasks_that_were_not_run_are_shown(
    organiser: Api, submitter: Api, exams: Challenge
) -> None:
    declared = {"tasks": [{"name": f"task-{at}"} for at in range(1, 4)]}
    assert organiser.patch("challenges/exams/", declared).status_code == 200
    body = {"participant": "atlas", "task_rewards": {"task-2": [1.0], "task-3": []}}
    address = submitter.post(PATH, body).json()["url"]
    sample_counts = {
        task["task"]: len(task["samples"]) for task in tasks_of(submitter, address)["tasks"]
    }
    assert sample_counts == {"task-1": 0, "task-2": 1, "task-3": 0}


def test_tasks_have_pages(submitter: Api, exams: Challenge) -> None:
    body = {"participant": "atlas", "task_rewards": {f"t{at}": [1.0] for at in range(450)}}
    address = submitter.post(PATH, body).json()["url"]
    task_ids: list[str] = []
    cursor: str | None = "0"
    pages = 0
    while cursor:
        page = tasks_of(submitter, address, f"?cursor={cursor}")
        assert page["total"] == 450
        task_ids += [task["task"] for task in page["tasks"]]
        cursor, pages = page["next"], pages + 1
    assert task_ids == [f"t{at}" for at in range(450)]
    assert pages == 3
    assert tasks_of(submitter, address, "?cursor=450") == {"tasks": [], "total": 450, "next": None}
    assert len(tasks_of(submitter, address, "?limit=7")["tasks"]) == 7


def test_an_attempt_without_samples_has_no_tasks(submitter: Api, exams: Challenge) -> None:
    body = {"participant": "atlas", "values": {"solved": 9}}
    address = submitter.post(PATH, body).json()["url"]
    assert tasks_of(submitter, address) == {"tasks": [], "total": 0, "next": None}


def test_tasks_of_a_hidden_attempt_are_not_found(
    submitter: Api, stranger: Api, anyone: Api, exams: Challenge
) -> None:
    address = submitter.post(PATH, with_samples(FIRST)).json()["url"]
    Challenge.objects.update(visibility="private")
    for api in (stranger, anyone):
        refused(api.get(f"{address}tasks.json"), 404, "not_found")


def test_lists_and_boards_read_no_evidence(submitter: Api, exams: Challenge) -> None:
    address = submitter.post(PATH, with_samples(FIRST)).json()["url"]
    single.score_waiting()
    with CaptureQueriesContext(connection) as queries:
        for path in (PATH, address, "challenges/exams/leaderboard/"):
            assert submitter.get(path).status_code == 200
    table = Evidence._meta.db_table
    assert queries.captured_queries
    assert not [
        captured_query
        for captured_query in queries.captured_queries
        if table in (captured_query["sql"] or "")
    ]
