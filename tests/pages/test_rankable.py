"""An attempt made from the example request or the form of a challenge's pages can be ranked."""

from __future__ import annotations

import json
import re
import shlex
from html import unescape
from typing import Any
from urllib.parse import urlsplit
from uuid import UUID

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.importers import Source
from leaderboard.models import Attempt, Challenge, User
from leaderboard.schemas.documents import parse_document
from leaderboard.services.challenges.references import store_references
from leaderboard.services.imports.examples import example_of
from leaderboard.services.imports.importing import import_file
from leaderboard.services.scoring.single import score_attempt
from leaderboard.services.tokens import create_token
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

TASKS = [
    {"name": "it's <easy>", "rewards": ["physics"]},
    {"name": "task-2", "rewards": ["physics", "style"]},
    {"name": "task-3", "rewards": ["style"]},
]
HELD = {
    "instances": [
        {"id": name, "input": "Hello?", "expected-output": ["hello"]}
        for name in ("nr-1", "nr-2", "nr-3")
    ]
}
KINDS: dict[str, dict[str, Any]] = {
    "first": {"scoring_strategy": "first"},
    "fastest": {"scoring_strategy": "fastest"},
    "fewest tokens": {"scoring_strategy": "fewest_tokens"},
    "highest rating": {"scoring_strategy": "highest_rating"},
    "scorer of facts": {
        "scoring_strategy": "custom",
        "scoring_entrypoint": "scorers.weighted:WeightedScorer",
    },
    "by cost": {"scoring_strategy": "metric", "rank_by": [{"key": "cost_usd", "direction": "asc"}]},
    "by time of arrival": {"scoring_strategy": "metric", "rank_by": [{"key": "submitted_at"}]},
    "by a reported value": {
        "scoring_strategy": "metric",
        "rank_by": [{"key": "solved"}],
        "columns": [{"key": "solved", "label": "Solved"}],
    },
    "by a metric": {
        "scoring_strategy": "metric",
        "metrics": ["pass@1"],
        "rank_by": [{"key": "pass@1"}],
    },
    "by an unbiased metric, of successes": {
        "scoring_strategy": "metric",
        "only_succeeded": True,
        "metrics": ["pass@3:unbiased"],
        "rank_by": [{"key": "pass@3:unbiased"}],
    },
    "by the reward of declared tasks": {
        "scoring_strategy": "metric",
        "tasks": TASKS,
        "metrics": ["mean_reward"],
        "rank_by": [{"key": "mean_reward:style"}],
        "min_coverage": 0.6,
    },
    "by a metric that wants all tasks of a group": {
        "scoring_strategy": "metric",
        "tasks": [
            {"name": f"task-{number}", "group": "odd" if number % 2 else "even"}
            for number in range(12)
        ],
        "metrics": [{"type": "mean", "name": "Odd", "group": "odd", "min_coverage": 1.0}],
        "rank_by": [{"key": "Odd"}],
    },
    "by the mean of groups, of all tasks with the reward": {
        "scoring_strategy": "metric",
        "tasks": [
            {"name": "alone", "rewards": ["style"]},
            *({**task, "group": "g"} for task in TASKS),
        ],
        "metrics": [
            {"type": "mean", "name": "M", "over": "groups", "reward": "style", "min_coverage": 1.0}
        ],
        "rank_by": [{"key": "M"}],
    },
    "by a metric for which undefined is zero": {
        "scoring_strategy": "metric",
        "tasks": TASKS,
        "metrics": [{"type": "mean", "undefined": "zero", "reward": "style", "min_coverage": 1.0}],
        "rank_by": [{"key": "mean"}],
    },
    "by a reward that is never 1": {
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "rewards": [{"name": "reward", "min": 50, "max": 60}],
        "rank_by": [{"key": "mean"}],
    },
    "by the time of a task": {
        "scoring_strategy": "metric",
        "metrics": ["mean"],
        "rank_by": [{"key": "time_per_task", "direction": "asc"}],
    },
    "by the time of a task, of all tasks whatever their rewards": {
        "scoring_strategy": "metric",
        "tasks": [*TASKS, {"name": "task-4"}],
        "rank_by": [{"key": "time_per_task", "direction": "asc"}],
        "min_coverage": 1.0,
    },
    "by a scorer that wants all tasks": {
        "scoring_strategy": "custom",
        "scoring_entrypoint": "scorers.weighted:WeightedScorer",
        "tasks": [*TASKS, {"name": "task-4"}],
        "metrics": ["mean"],
        "min_coverage": 1.0,
    },
    "by a text metric": {
        "scoring_strategy": "metric",
        "text_metrics": ["EXACT_MATCH"],
        "rank_by": [{"key": "EXACT_MATCH"}],
    },
    "by a text metric on instances of the challenge": {
        "scoring_strategy": "metric",
        "text_metrics": ["EXACT_MATCH"],
        "rank_by": [{"key": "EXACT_MATCH"}],
        "holds": True,
    },
    "by a text metric on all instances of the challenge": {
        "scoring_strategy": "metric",
        "text_metrics": ["EXACT_MATCH"],
        "rank_by": [{"key": "EXACT_MATCH"}],
        "min_coverage": 1.0,
        "holds": True,
    },
}


def challenge_of(make: Make, ann: User, kind: str) -> Challenge:
    fields = {name: value for name, value in KINDS[kind].items() if name != "holds"}
    challenge = make("Kind", fields.pop("scoring_strategy"), **fields)
    if "holds" in KINDS[kind]:
        store_references(challenge, user=ann, document=parse_document(HELD))
        challenge.refresh_from_db()
    return challenge


def is_ranked(client: Client, attempt_id: Any) -> bool:
    assert score_attempt(UUID(str(attempt_id)))
    answer = client.get(f"/api/v1/attempts/{attempt_id}/").json()
    return answer["rank"] is not None


def commands_on(html: str) -> list[list[str]]:
    """Return the curl commands on a page, as a shell reads them."""
    pattern = r"<code>(curl (?:-X POST|-H \S+ \S+ \S+ \S+ -o).*?)</code>"
    (code,) = re.findall(pattern, unescape(html), re.DOTALL)
    commands = code.replace("\\\n", " ").split("\ncurl ")
    return [shlex.split(command.removeprefix("curl ")) for command in commands]


def request_on(html: str) -> dict[str, Any]:
    """Return the body of the curl command on a page."""
    (arguments,) = commands_on(html)
    body: dict[str, Any] = json.loads(arguments[arguments.index("-d") + 1])
    return body


@pytest.mark.parametrize("kind", KINDS)
def test_an_attempt_of_the_example_or_of_the_form_is_ranked_and_an_empty_form_refused(
    client: Client, as_ben: Client, make: Make, ann: User, ben: User, kind: str
) -> None:
    challenge = challenge_of(make, ann, kind)
    assert as_ben.post("/c/kind/submit/", {"participant": "atlas"}).status_code == 422
    assert not Attempt.objects.exists()
    body: Any = request_on(get(client, "/c/kind/"))
    assert body == example_of(challenge)
    assert request_on(get(as_ben, "/c/kind/submit/")) == example_of(challenge, "ben")
    token = create_token(user=ben, scopes=["submit"])[1]
    answer = client.post(
        "/api/v1/challenges/kind/attempts/",
        body,
        content_type="application/json",
        headers={"Authorization": f"Bearer {token}"},
    )
    assert answer.status_code == 202, answer.content
    assert is_ranked(client, answer.json()["id"])
    Attempt.objects.update(withdrawn_at=timezone.now())

    facts = {"succeeded": "yes"} if body.get("metrics", {}).get("succeeded") else {}
    given = {name: str(value) for name, value in body.get("metrics", {}).items()} | facts
    given |= {"values": json.dumps(body["values"])} if "values" in body else {}
    if body.keys() & {"task_rewards", "samples", "outputs", "evaluation"}:
        given = {"evidence": json.dumps({key: body[key] for key in body if key != "participant"})}
    response = as_ben.post("/c/kind/submit/", {"participant": "borea", **given})
    assert response.status_code == 302, words(response.content.decode())
    assert is_ranked(as_ben, Attempt.objects.get(participant__handle="borea").pk)


REFUSED: list[tuple[str, dict[str, str], str]] = [
    ("fastest", {"succeeded": "no", "elapsed_ms": "5"}, "successful attempts only"),
    ("fastest", {"succeeded": "yes"}, 'id="id_elapsed_ms_error"'),
    ("by a reported value", {"values": '{"other": 1}'}, "number for solved"),
    ("scorer of facts", {"note": "hello"}, "one fact"),
    ("by a metric", {"evidence": "{}"}, "bring samples"),
    ("by a metric", {"evidence": '{"metrics": {"rating": 3}}'}, "bring samples"),
    ("by a metric", {"evidence": '{"task_rewards": {"a": []}}'}, "bring samples"),
    ("by a metric", {"evidence": '{"participant": "b"}'}, "must be absent"),
    ("by a metric", {"evidence": '{"task_rewards": {"a": ["x"]}}'}, "task_rewards"),
    (
        "by an unbiased metric, of successes",
        {"evidence": '{"task_rewards": {"a": [1, 1, 1]}}'},
        "succeeded: must be true",
    ),
    (
        "by an unbiased metric, of successes",
        {"evidence": '{"metrics": {"succeeded": true}, "task_rewards": {"a": [1]}}'},
        "reward that pass@3:unbiased",
    ),
    (
        "by a metric that wants all tasks of a group",
        {"evidence": '{"task_rewards": {"task-1": [1], "task-3": [1]}}'},
        "got 2 of 6",
    ),
    (
        "by the reward of declared tasks",
        {"evidence": '{"samples": [{"task": "task-3", "sample": 0, "rewards": {"style": 1}}]}'},
        "at least 60%",
    ),
    ("by a text metric", {"evidence": '{"metrics": {"rating": 3}}'}, "bring outputs"),
]


def test_an_attempt_that_can_never_rank_is_refused_with_the_reason(
    as_ben: Client, make: Make, ann: User
) -> None:
    for kind, given, message in REFUSED:
        path = f"/c/{challenge_of(make, ann, kind).slug}/submit/"
        response = as_ben.post(path, {"participant": "atlas", **given})
        assert response.status_code == 422, given
        assert message in unescape(response.content.decode()), given
    assert not Attempt.objects.exists()


def test_a_long_example_is_a_file_that_can_be_ranked(
    client: Client, as_ben: Client, make: Make, ben: User
) -> None:
    """All of 200 tasks are needed: the page has two commands, and no list of tasks."""
    tasks = [{"name": f"task-{number}"} for number in range(200)]
    challenge = make(
        "Many", "metric", tasks=tasks, metrics=["mean"], rank_by=[{"key": "mean"}], min_coverage=1.0
    )
    headers = {"Authorization": f"Bearer {create_token(user=ben, scopes=['submit'])[1]}"}
    for page in (get(client, "/c/many/"), get(as_ben, "/c/many/submit/")):
        fetch, post = commands_on(page)
        assert "task-199" not in page
        assert fetch[-2:] == ["-o", "attempt.json"]
        assert post[-2:] == ["-d", "@attempt.json"]
    file = client.get(urlsplit(fetch[-3]).path, headers=headers)
    assert file.json() == example_of(challenge, "ben")
    assert len(file.json()["task_rewards"]) == 200
    path = urlsplit(post[post.index("POST") + 1]).path
    answer = client.post(path, file.content, content_type="application/json", headers=headers)
    assert answer.status_code == 202, answer.content
    assert is_ranked(client, answer.json()["id"])
    Attempt.objects.all().delete()
    with Source.open(file.content, "example.json") as source:
        import_file(challenge=challenge, user=ben, source=source)
    assert is_ranked(client, Attempt.objects.get().pk)


def test_the_example_has_all_that_a_scorer_may_read(make: Make) -> None:
    scorer = {"scoring_entrypoint": "scorers.weighted:WeightedScorer"}
    challenge = make("Any", "custom", **scorer, metrics=["mean"], values=["solved"])
    body: Any = example_of(challenge)
    assert set(body) == {"participant", "metrics", "values", "task_rewards"}
    assert set(body["metrics"]) >= {"succeeded", "rating", "elapsed_ms", "tokens_total", "cost_usd"}
    assert body["values"] == {"solved": 9}


def test_the_example_for_a_win_rate_has_all_compared_values(
    client: Client, make: Make, as_ben: Client
) -> None:
    """It ranks as soon as there is another participant to compare with."""
    challenge = make(
        "Win rates",
        "metric",
        tasks=[
            *({"name": f"m{at}", "group": "MMLU", "rewards": ["exact_match"]} for at in range(3)),
            {"name": "cnn", "group": "Summaries", "rewards": ["rouge_2"]},
        ],
        metrics=[
            {"type": "mean_win_rate", "of": ["MMLU", "Summaries", "speed"], "min_coverage": 1.0},
            {"type": "mean", "name": "MMLU", "group": "MMLU", "reward": "exact_match"},
            {"type": "mean", "name": "Summaries", "group": "Summaries", "reward": "rouge_2"},
        ],
        values=["speed"],
        rank_by=[{"key": "mean_win_rate"}, {"key": "MMLU"}],
    )
    body = {name: value for name, value in example_of(challenge).items() if name != "participant"}
    for name in ("atlas", "borea"):
        given = {"participant": name, "evidence": json.dumps(body)}
        response = as_ben.post("/c/win-rates/submit/", given)
        assert response.status_code == 302, words(response.content.decode())
        assert score_attempt(Attempt.objects.latest("pk").pk)
    rows = client.get("/api/v1/challenges/win-rates/leaderboard/").json()["rows"]
    assert [(row["rank"], row["values"]["mean_win_rate"]) for row in rows] == [(1, 0.5)] * 2
    page = get(client, "/c/win-rates/")
    assert "0.500" in page


def test_an_attempt_without_any_compared_value_is_refused(as_ben: Client, make: Make) -> None:
    metrics = [{"type": "mean", "name": name, "reward": name} for name in ("MMLU", "GSM8K")]
    make(
        "Win rates",
        "metric",
        metrics=[{"type": "mean_win_rate", "of": ["MMLU", "GSM8K"]}, *metrics],
        rank_by=[{"key": "mean_win_rate"}, {"key": "MMLU"}],
    )
    given = json.dumps({"samples": [{"task": "a", "sample": 0, "rewards": {"other": 1}}]})
    response = as_ben.post("/c/win-rates/submit/", {"participant": "a", "evidence": given})
    assert response.status_code == 422
    assert "mean_win_rate compares" in response.content.decode()
