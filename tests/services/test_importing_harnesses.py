"""Results of evaluation tools, from the file to a board made of what the import suggests."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.importers import Source, read
from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services import scoring
from leaderboard.services.challenges import create_challenge
from leaderboard.services.importing import import_file
from tests.importers.uploads import folder, zipped

HEADLINES = [
    ("promptfoo.json", "mean:pass", {"parrot": 1.0, "flaky-model": 0.0}),
    ("promptfoo.jsonl", "mean:pass", {"parrot": 1.0, "flaky-model": 0.0}),
    ("swe-bench", "mean:resolved", {"acme/coder-7b": 1 / 5}),
    ("mteb", "mean_reward:main_score", {"acme/embed-large": 1.7 / 3, "acme/embed-small": 1.45 / 3}),
    ("openai-evals", "mean:accuracy", {"tiny/model": 2 / 3}),
    ("simple-evals", "mean:healthbench_hard.score", {"gpt-large_high": 0.45, "gpt-mini": 0.4}),
    ("helm", "mean:exact_match", {"simple/model1": 0.5}),
    ("evalplus", "pass@1:unbiased:plus", {"org/coder-7b": 4 / 9}),
    ("tau-bench", "pass^1:unbiased:reward", {"tool-calling (acme-1b)": 0.5}),
    ("tau2-bench", "pass^1:unbiased:reward", {"llm_agent (acme-1b)": 0.5}),
]


def bring(challenge: Challenge, user: User, upload: bytes, **options: Any) -> list[str]:
    """Import, score, and give the differences between the file's values and ours."""
    with Source.open(upload, "results") as source:
        result = import_file(challenge=challenge, user=user, source=source, **options)
    assert scoring.score_waiting() == len(result.attempts) > 0
    return result.differences


@pytest.mark.parametrize(("name", "key", "expected"), HEADLINES)
def test_a_suggested_challenge_ranks_by_the_tools_headline(
    tenant: Tenant, alice: User, name: str, key: str, expected: dict[str, float]
) -> None:
    upload = zipped(folder(name))
    with Source.open(upload, "results") as source:
        fields = {"name": "Bench", **read(source).suggested}
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    assert fields["rank_by"] == [{"key": key, "direction": "desc"}]
    assert bring(challenge, alice, upload) == []
    found: dict[str, float] = {}
    for attempt in Attempt.objects.filter(challenge=challenge):
        assert attempt.status == "scored"
        found[attempt.participant.handle] = attempt.scores.get().metric_values[key]["value"]
    assert found == pytest.approx(expected)


def test_values_on_trust_rank_as_suggested(tenant: Tenant, alice: User) -> None:
    upload = zipped({name: text for name, text in folder("simple-evals").items() if "mmlu" in name})
    with Source.open(upload, "results") as source:
        fields = {"name": "Bench", **read(source).suggested}
    assert fields["rank_by"] == [{"key": "mmlu.score", "direction": "desc"}]
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    assert bring(challenge, alice, upload) == []
    assert not Attempt.objects.exclude(status="scored").exists()


def test_what_broke_counts_although_nobody_declared_the_tasks(tenant: Tenant, alice: User) -> None:
    upload = folder("swe-bench")["acme__coder-7b.night-1.json"]
    logs = {name: text for name, text in folder("swe-bench").items() if "django" in name}
    metrics = [{"type": "mean", "name": "rate", "reward": "resolved"}]
    fields = {"scoring_strategy": "metric", "metrics": metrics, "rank_by": [{"key": "rate"}]}
    challenge = create_challenge(tenant=tenant, user=alice, fields={"name": "Bench", **fields})
    assert bring(challenge, alice, zipped({**logs, "acme__coder-7b.night-1.json": upload})) == []
    value = Attempt.objects.get().scores.get().metric_values["rate"]
    assert (value["value"], value["failed"]) == (1 / 5, 1)


def test_what_broke_is_told_before_the_import(tenant: Tenant, alice: User) -> None:
    fields = {"name": "Bench", "scoring_strategy": "metric", "rank_by": [{"key": "mean"}]}
    challenge = create_challenge(tenant=tenant, user=alice, fields={**fields, "metrics": ["mean"]})
    with Source.open(zipped(folder("tau-bench")), "runs") as source:
        result = import_file(challenge=challenge, user=alice, source=source, dry_run=True)
    assert [(row.samples, row.failed) for row in result.rows] == [(6, 1)]


def test_an_undefined_main_score_is_left_out_of_the_board(tenant: Tenant, alice: User) -> None:
    scores = b'[{"main_score": 0.5, "hf_subset": "a"}, {"main_score": NaN, "hf_subset": "b"}]'
    upload = b'{"task_name": "T", "mteb_version": "2", "scores": {"test": %s}}' % scores
    fields = {"name": "Bench", "scoring_strategy": "metric", "rank_by": [{"key": "mean"}]}
    challenge = create_challenge(tenant=tenant, user=alice, fields={**fields, "metrics": ["mean"]})
    assert bring(challenge, alice, upload, participant="atlas") == []
    assert Attempt.objects.get().scores.get().metric_values["mean"]["value"] == 0.5
