"""Results of evaluation tools, from the file to a board made from the import's suggestion."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.importers import Source, read
from leaderboard.models import Attempt, Challenge, Standing, Tenant, User
from leaderboard.rules.ranking.places import UNRANKED
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.imports.importing import import_file
from leaderboard.services.scoring import single
from tests.importers.harbor.test_harbor_job import job, trial
from tests.importers.test_verifiers import episode, rollouts
from tests.importers.uploads import FIXTURES, folder, lines, zipped

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


Suggested = Callable[..., Challenge]
RankedBy = Callable[[Any, str], Challenge]


def bring(challenge: Challenge, user: User, upload: bytes, **options: Any) -> list[str]:
    """Import and score; return the differences between the file's values and the computed ones."""
    with Source.open(upload, "results") as source:
        imported = import_file(challenge=challenge, user=user, source=source, **options)
    assert single.score_waiting() == len(imported.attempts) > 0
    return imported.differences


@pytest.fixture
def suggested(tenant: Tenant, alice: User) -> Suggested:
    """Return a function that makes the challenge that the import of a file suggests."""

    def created(upload: bytes, name: str = "results") -> Challenge:
        with Source.open(upload, name) as source:
            fields = {"name": "Bench", **read(source).suggested}
        return create_challenge(tenant=tenant, user=alice, fields=fields)

    return created


@pytest.fixture
def ranked_by(tenant: Tenant, alice: User) -> RankedBy:
    """Return a function that makes a challenge that ranks by one metric."""

    def created(metric: Any, key: str) -> Challenge:
        fields = {"name": "Bench", "scoring_strategy": "metric", "metrics": [metric]}
        return create_challenge(
            tenant=tenant, user=alice, fields={**fields, "rank_by": [{"key": key}]}
        )

    return created


@pytest.mark.parametrize(("name", "key", "expected"), HEADLINES)
def test_a_suggested_challenge_ranks_by_the_tools_headline(
    suggested: Suggested, alice: User, name: str, key: str, expected: dict[str, float]
) -> None:
    upload = zipped(folder(name))
    challenge = suggested(upload)
    assert challenge.newest.rank_by == [{"key": key, "direction": "desc"}]
    assert bring(challenge, alice, upload) == []
    values: dict[str, float] = {}
    for attempt in Attempt.objects.filter(challenge=challenge):
        assert attempt.status == "scored"
        values[attempt.participant.handle] = attempt.scores.get().metric_values[key]["value"]
    assert values == pytest.approx(expected)


def test_reported_values_rank_as_suggested(suggested: Suggested, alice: User) -> None:
    upload = zipped({name: text for name, text in folder("simple-evals").items() if "mmlu" in name})
    challenge = suggested(upload)
    assert challenge.newest.rank_by == [{"key": "mmlu.score", "direction": "desc"}]
    assert bring(challenge, alice, upload) == []
    assert not Attempt.objects.exclude(status="scored").exists()


def test_failed_samples_count_although_tasks_are_not_declared(
    ranked_by: RankedBy, alice: User
) -> None:
    upload = folder("swe-bench")["acme__coder-7b.night-1.json"]
    logs = {name: text for name, text in folder("swe-bench").items() if "django" in name}
    challenge = ranked_by({"type": "mean", "name": "rate", "reward": "resolved"}, "rate")
    assert bring(challenge, alice, zipped({**logs, "acme__coder-7b.night-1.json": upload})) == []
    value = Attempt.objects.get().scores.get().metric_values["rate"]
    assert (value["value"], value["failed"]) == (1 / 5, 1)


def test_a_preview_reports_failed_samples(ranked_by: RankedBy, alice: User) -> None:
    challenge = ranked_by("mean", "mean")
    with Source.open(zipped(folder("tau-bench")), "runs") as source:
        preview = import_file(challenge=challenge, user=alice, source=source, dry_run=True)
    assert [(row.samples, row.failed) for row in preview.rows] == [(6, 1)]


def test_an_undefined_main_score_is_left_out_of_the_board(ranked_by: RankedBy, alice: User) -> None:
    scores = b'[{"main_score": 0.5, "hf_subset": "a"}, {"main_score": NaN, "hf_subset": "b"}]'
    upload = b'{"task_name": "T", "mteb_version": "2", "scores": {"test": %s}}' % scores
    challenge = ranked_by("mean", "mean")
    assert bring(challenge, alice, upload, participant="atlas") == []
    assert Attempt.objects.get().scores.get().metric_values["mean"]["value"] == 0.5


VERIFIED = [{"example_id": at, "reward": float(at > 2), "metrics": {"len": 3.0}} for at in range(4)]
TRACED = [
    episode(str(at), at, {"rewards": {"won": {"score": at > 2, "weight": 1.0}}}) for at in range(4)
]
LOG = {
    "status": "error",
    "eval": {"task": "t", "model": "m/1", "run_id": "r", "created": "2026-01-01T00:00:00+00:00"},
    "plan": {},
    "stats": {},
    "samples": [
        {"id": at, "epoch": 1, "scores": {name: {"value": at > 2} for name in ("reward", "b")}}
        for at in range(4)
    ],
}
DIED = [
    job(
        *(trial(f"t{at}", at, rewards={"reward": float(at > 2), "style": 0.5}) for at in range(4)),
        trial("lost", 9, rewards=None),
    ),
    rollouts(*VERIFIED, {"example_id": 4, "reward": 0.0, "error": "boom"}),
    {"traces.jsonl": lines(*TRACED, episode("x", 4, {"ok": False, "rewards": {}}))},
    {"log.json": json.dumps({**LOG, "samples": [*LOG["samples"], {"id": 9, "epoch": 1}]}).encode()},
]


@pytest.mark.parametrize("files", DIED, ids=["harbor", "verifiers-v0", "verifiers-v1", "inspect"])
def test_a_task_whose_only_sample_failed_counts_in_the_means(
    ranked_by: RankedBy, alice: User, files: dict[str, bytes]
) -> None:
    challenge = ranked_by({"type": "mean", "name": "rate", "reward": "reward"}, "rate")
    bring(challenge, alice, zipped(files), participant="a")
    value = Attempt.objects.get().scores.get().metric_values["rate"]
    assert (value["value"], value["failed"], value["total"]) == (1 / 5, 1, 5)


SUGGESTED = [
    *("harbor-job", "verifiers-v0", "verifiers-v1", "inspect-ai.json", "lm-eval", "samples.csv"),
    *("harpia.json", "attempts.csv", "attempts.jsonl", "table.csv"),
]


@pytest.mark.parametrize("name", SUGGESTED)
def test_a_suggested_challenge_can_be_created_unchanged_and_ranks(
    tenant: Tenant, alice: User, name: str
) -> None:
    path = FIXTURES / name
    upload = zipped(folder(name)) if path.is_dir() else path.read_bytes()
    first = {"name": "First", "scoring_strategy": "first"}
    looked = create_challenge(tenant=tenant, user=alice, fields=first)
    with Source.open(upload, name) as source:
        preview = import_file(challenge=looked, user=alice, source=source, dry_run=True)
    fields = {"name": "Bench", **preview.suggested}
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    bring(challenge, alice, upload)
    standings = Standing.objects.filter(board__config=challenge.newest)
    assert standings.exclude(sort_key=UNRANKED).exists()


CALLED = b"Model,pass rate,Scores,Ratings,passrate\na,0.5,3,4,5\nb,0.6,4,5,6\n"


def test_a_column_may_have_the_name_of_a_metric(tenant: Tenant, alice: User) -> None:
    fields = {"name": "Bench", "scoring_strategy": "metric", "rank_by": [{"key": "acc"}]}
    challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
    with Source.open(CALLED, "table.csv") as source:
        imported = import_file(
            challenge=challenge, user=alice, source=source, organiser=True, show_columns=True
        )
    assert not [warning for warning in imported.warnings if "not taken over" in warning]
    assert Attempt.objects.filter(values__reported_pass_rate=0.5).exists()
    challenge.refresh_from_db()
    assert challenge.values == ["Scores", "Ratings", "passrate"]
    assert [column["label"] for column in challenge.columns] == CALLED_LABELS
    create_challenge(tenant=tenant, user=alice, fields={"name": "Other", **imported.suggested})


CALLED_LABELS = ["pass rate", "Scores", "Ratings", "passrate"]


@pytest.mark.parametrize(("rule", "key"), [("refuse", "reported_rate"), ("allow", "rate")])
def test_a_metric_that_allows_reported_values_gets_the_column_of_its_name(
    ranked_by: RankedBy, alice: User, rule: str, key: str
) -> None:
    challenge = ranked_by({"type": "mean_reward", "name": "rate", "reported": rule}, "rate")
    bring(challenge, alice, b"model,rate\na,0.5\n")
    assert Attempt.objects.get().values == {key: 0.5}


REPORT = {
    "schema_version": 2,
    "total_instances": 6,
    "submitted_instances": 6,
    "submitted_ids": [f"a__a-{at}" for at in range(6)],
    "completed_ids": [f"a__a-{at}" for at in range(6)],
    "resolved_ids": ["a__a-0", "a__a-1"],
    "unresolved_ids": [f"a__a-{at}" for at in range(2, 6)],
    "empty_patch_ids": [],
    "error_ids": [],
    "incomplete_ids": [],
    "completed_instances": 6,
    "resolved_instances": 2,
    "unresolved_instances": 4,
}


def test_the_interval_of_a_share_is_between_0_and_1(suggested: Suggested, alice: User) -> None:
    upload = json.dumps(REPORT).encode()
    challenge = suggested(upload, "gpt.run.json")
    with Source.open(upload, "gpt.run.json") as source:
        import_file(challenge=challenge, user=alice, source=source)
    single.score_waiting()
    low, high = Attempt.objects.get().scores.get().metric_values["mean:resolved"]["interval"]
    assert 0 <= low < 1 / 3 < high <= 1


def test_a_model_that_lacks_a_task_of_mteb_is_not_ranked(suggested: Suggested, alice: User) -> None:
    files = {
        name: text
        for name, text in folder("mteb").items()
        if "NFCorpus" not in name or "large" in name
    }
    assert len(files) < len(folder("mteb"))
    upload = zipped(files)
    challenge = suggested(upload)
    assert bring(challenge, alice, upload) == []
    lines = Standing.objects.filter(board__config=challenge.newest)
    reasons = {line.participant.handle: line.unranked for line in lines}
    assert reasons == {"acme/embed-large": "", "acme/embed-small": "low_coverage"}
