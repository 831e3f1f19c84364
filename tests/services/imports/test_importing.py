"""Result files become attempts: all or none of them, each once, with a preview before."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError

from leaderboard.importers import Source
from leaderboard.models import Attempt, Challenge, Evidence, Participant, Tenant, User
from leaderboard.services.attempts import batches
from leaderboard.services.attempts.drafts import save_drafts
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import page_after
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.challenges.registries import checked_registry, import_checked
from leaderboard.services.imports.importing import import_file
from leaderboard.services.imports.previews import ImportResult
from leaderboard.services.scoring import single
from tests.importers.uploads import FIXTURES, folder, zipped
from tests.services.refusals import check_refusals, refusal

Import = Callable[..., ImportResult]

LINES: list[dict[str, Any]] = [
    {"participant": "atlas", "task_rewards": {"a": [1.0, None]}, "meta": {"model": "m"}},
    {"participant": "borealis", "values": {"solved": 3}, "metrics": {"elapsed_ms": 5}},
]


@pytest.fixture
def bench(tenant: Tenant, alice: User) -> Challenge:
    fields = {"name": "Bench", "scoring_strategy": "metric", "metrics": ["mean", "pass@1"]}
    return create_challenge(
        tenant=tenant, user=alice, fields={**fields, "rank_by": [{"key": "mean"}]}
    )


@pytest.fixture
def bring(bench: Challenge, alice: User) -> Import:
    def imported(content: Any, *, user: User = alice, **options: Any) -> ImportResult:
        if isinstance(content, list):
            content = "\n".join(map(json.dumps, content)).encode()
        with Source.open(content, "results") as source:
            return import_file(challenge=bench, user=user, source=source, **options)

    return imported


def test_a_conflict_does_not_count_attempts_twice(
    bring: Import, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second try has the same places in the queue, not those after the first try."""
    settings.MAX_WAITING = settings.MAX_WAITING_TENANT = 2
    tries = []

    def late(drafting: Any, some: Any) -> None:
        tries.append(len(some))
        save_drafts(drafting, some)
        if len(tries) == 1:
            raise OperationalError("deadlock detected")

    monkeypatch.setattr(batches, "save_drafts", late)
    assert len(bring(LINES).attempts) == 2
    assert tries == [2, 2]


def test_a_real_job_becomes_attempts_with_samples(bring: Import) -> None:
    imported = bring(zipped(folder("harbor-job")))
    assert imported.format == "harbor-job"
    assert imported.differences == []
    attempts = Attempt.objects.in_bulk(imported.attempts)
    assert len(attempts) == len(imported.rows) > 0
    for row in imported.rows:
        attempt = attempts[row.attempt]
        assert (attempt.sample_count, attempt.participant.handle) == (row.samples, row.participant)
        assert attempt.meta == row.meta
        stated = [stated_value for stated_value in row.stated if stated_value.differs is not None]
        assert stated, "the job states metrics that ours should equal"
        assert attempt.evidence.stated == [stated_value.as_json() for stated_value in row.stated]


def test_the_preview_shows_the_values_that_are_scored(bring: Import) -> None:
    content = zipped(folder("harbor-job"))
    before = bring(content, dry_run=True)
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()
    assert before.attempts == []
    after = bring(content)
    for planned, done in zip(before.rows, after.rows, strict=True):
        assert planned.attempt is None
        assert done.attempt is not None
        single.score_attempt(done.attempt)
        score = Attempt.objects.get(pk=done.attempt).scores.get()
        assert planned.metric_values == score.metric_values
        assert planned.metric_values.keys() >= {"mean", "pass@1"}


def test_results_are_imported_once(bring: Import, bob: User) -> None:
    first = bring(LINES)
    again = bring(LINES, user=bob)
    assert again.attempts == first.attempts
    assert all(row.known for row in again.rows)
    assert not any(row.known for row in first.rows)
    assert len(again.warnings) == 2
    assert "already" in again.warnings[0]
    assert Attempt.objects.count() == 2
    more = bring([*LINES, {"participant": "cirrus", "values": {"solved": 1}}])
    assert (len(more.attempts), Attempt.objects.count()) == (3, 3)


def test_an_idempotency_key_of_a_client_does_not_count_as_an_import(
    bring: Import, bench: Challenge, alice: User
) -> None:
    imported = bring(LINES[1:], dry_run=True)
    (row,) = imported.rows
    mine = Attempt.objects.filter(idempotency_key__startswith="import:")
    bring(LINES[1:])
    mine.update(body_hash="0" * 64, submitted_by=None)
    assert not bring(LINES[1:]).rows[0].known
    assert row.values == {"solved": 3}


def test_an_import_with_an_error_saves_nothing(bring: Import) -> None:
    wrong = {"participant": "cirrus", "values": {"mean": 1.0}}
    check_refusals(bring, [([*LINES, wrong], "file", "cirrus: values.mean: ", "computed here")])
    assert not Attempt.objects.exists()
    assert not Evidence.objects.exists()


def test_a_name_of_another_user_is_refused(bring: Import, bob: User) -> None:
    bring(LINES)
    other = {**LINES[1], "values": {"solved": 4}}
    error = refusal(lambda: bring([other], user=bob))
    assert (error.code, list(error.fields)) == ("permission_denied", ["participant"])
    assert bring([other], user=bob, organiser=True).attempts


def test_errors_describe_what_is_wrong_in_the_file(bring: Import, bench: Challenge) -> None:
    cases: list[tuple[Any, ...]] = [
        ((b"nothing at all", {}), "file", "known format"),
        ((LINES, {"format": "excel"}), "format", "one of"),
        ((LINES, {"participant": "\u202e"}), "participant", "not hold"),
        (([{"participant": "a", "evaluation": {}}], {}), "file", "evaluation.instances: "),
        (([{"participant": "a", "values": {"b": "c"}}], {}), "file", "line 1"),
    ]
    check_refusals(lambda sent: bring(sent[0], **sent[1]), cases)
    Challenge.objects.filter(pk=bench.pk).update(is_active=False)
    assert refusal(lambda: bring(LINES, dry_run=True)).code == "closed"


def test_only_organisers_may_import_history(bring: Import) -> None:
    old = {**LINES[1], "submitted_at": "2020-01-01T00:00:00Z"}
    (mine,) = bring([old]).attempts
    assert Attempt.objects.get(pk=mine).submitted_at.year > 2020
    (theirs,) = bring([{**old, "note": "x"}], organiser=True).attempts
    assert Attempt.objects.get(pk=theirs).submitted_at.year == 2020


def test_a_value_that_differs_from_the_computed_one_is_reported(bring: Import) -> None:
    files = folder("verifiers-v0")
    name = next(name for name in files if name.endswith("metadata.json"))
    stated = json.loads(files[name])
    stated["avg_reward"] += 0.25
    imported = bring(zipped({**files, name: json.dumps(stated).encode()}))
    (line,) = [difference for difference in imported.differences if "reward" in difference]
    assert line.endswith("here")
    assert bring(zipped(files), dry_run=True).differences == []


REGISTRY: list[dict[str, Any]] = [
    {
        "name": "tiny",
        "version": "1.0",
        "description": "Two tasks.",
        "metrics": [{"type": "max"}, {"type": "sum"}],
        "tasks": [{"name": "t-1", "path": "t-1"}, {"name": "t-2", "path": "t-2"}],
    }
]


def test_a_registry_creates_and_updates_challenges(tenant: Tenant, alice: User) -> None:
    def imported(registry: Any) -> Any:
        with Source.open(json.dumps(registry).encode(), "registry.json") as source:
            return import_checked(checked_registry(source), tenant=tenant, user=alice)

    registry = deepcopy(REGISTRY)
    (created,) = imported(registry).created
    assert (created.slug, created.newest.strategy) == ("tiny-1-0", "metric")
    assert created.newest.metrics == [
        {"type": "max", "undefined": "zero"},
        {"type": "sum", "undefined": "zero"},
    ]
    assert [task["name"] for task in created.newest.tasks] == ["t-1", "t-2"]
    registry[0]["tasks"].append({"name": "t-3", "path": "t-3"})
    again = imported(registry)
    assert ([challenge.slug for challenge in again.updated], again.created) == (["tiny-1-0"], [])
    assert again.updated[0].newest.number == 2
    assert imported(registry).updated[0].newest.number == 2, "nothing has changed"


def test_a_registry_is_imported_completely_or_not_at_all(tenant: Tenant, alice: User) -> None:
    other = Tenant.objects.create(slug="other", name="Other")
    fields = {"name": "Mine", "slug": "b-1", "scoring_strategy": "first"}
    create_challenge(tenant=other, user=alice, fields=fields)
    registry = [{**REGISTRY[0], "name": name, "version": "1"} for name in "ab"]
    with Source.open(json.dumps(registry).encode(), "registry.json") as source:
        error = refusal(lambda: import_checked(checked_registry(source), tenant=tenant, user=alice))
    assert "b 1: slug: " in error.message
    assert "got b-1, which is taken" in error.message
    assert not Challenge.objects.filter(tenant=tenant).exists()


def test_files_of_every_format_are_accepted(bring: Import) -> None:
    formats = {
        "attempts.csv": "podium-csv",
        "attempts.jsonl": "podium-jsonl",
        "harbor-job": "harbor-job",
        "inspect-ai.json": "inspect-ai",
        "lm-eval": "lm-eval",
        "samples.csv": "podium-csv",
        "verifiers-v0": "verifiers-v0",
        "verifiers-v1": "verifiers-v1",
    }
    for name, expected in formats.items():
        imported = bring(zipped(folder(name)))
        assert (imported.format, imported.differences) == (expected, []), name
        assert single.score_waiting() == len(imported.attempts) > 0, name
    assert not Attempt.objects.exclude(status="scored").exists()


def test_a_name_that_is_stored_in_another_spelling_is_reported(bring: Import) -> None:
    bring(LINES)
    lines = [
        {"participant": "ATLAS", "values": {"solved": 1}},
        {"participant": " Ｃirrus", "values": {"solved": 2}},
        {"participant": "atlas", "values": {"solved": 3}},
    ]
    for dry_run in (True, False):
        imported = bring(lines, dry_run=dry_run)
        assert imported.renamed == [(0, ("ATLAS", "atlas")), (1, (" Ｃirrus", "Cirrus"))]
        for warning, (_at, names) in zip(imported.warnings, imported.renamed, strict=True):
            assert all(f"“{name}”" in warning for name in names)
    with_option = bring([{"participant": "x", "values": {"solved": 4}}], participant="aTLas ")
    assert with_option.renamed == [(0, ("aTLas ", "atlas"))]
    table = bring(b"participant,solved\nAtlas,9\n")
    assert table.renamed == [(0, ("Atlas", "atlas"))]


def test_warnings_about_a_file_without_attempts_are_reported(bring: Import) -> None:
    files = folder("harbor-job")
    (name,) = (file for file in files if file == "result.json")
    assert "whole job folder" in refusal(lambda: bring(files[name])).message


def test_a_log_without_scores_is_not_ranked(tenant: Tenant, alice: User) -> None:
    declared = [{"name": f"q{at}", "rewards": ["match"]} for at in range(4)]
    kinds = ("mean_reward", "mean", "pass@1")
    for number, (kind, tasks) in enumerate(product(kinds, ([], declared))):
        fields = {
            "name": f"Logs {number}",
            "scoring_strategy": "metric",
            "metrics": [{"type": kind, "name": "m", "reward": "match"}],
            "rank_by": [{"key": "m"}],
            "tasks": tasks,
        }
        challenge = create_challenge(tenant=tenant, user=alice, fields=fields)
        with Source.open(FIXTURES / "inspect-ai-unscored.json") as source:
            imported = import_file(challenge=challenge, user=alice, source=source)
        assert imported.warnings[0].startswith("not scored: ")
        single.score_attempt(imported.attempts[0])
        challenge.refresh_from_db()
        (row,) = page_after(board_at(challenge)).rows
        assert (row.rank, row.unranked) == (None, "no_value")


def test_a_preview_stores_all_that_was_read_for_the_import(bring: Import, tmp_path: Path) -> None:
    content = (FIXTURES / "inspect-ai-epochs.json").read_bytes()
    looked = bring(content, dry_run=True, remember=tmp_path / "kept")
    assert (tmp_path / "kept").exists()
    again = bring(content, dry_run=True, remember=tmp_path / "kept")
    assert [row.stated for row in again.rows] == [row.stated for row in looked.rows]
    assert any(
        stated_value.name.endswith("/stderr") and stated_value.differs is False
        for stated_value in again.rows[0].stated
    )


def test_a_preview_stores_names_as_they_were_sent(bring: Import, tmp_path: Path) -> None:
    lines = [{"participant": " Ｃirrus", "values": {"solved": 2}}]
    for _ in range(2):
        looked = bring(lines, dry_run=True, remember=tmp_path / "kept")
        assert looked.renamed == [(0, (" Ｃirrus", "Cirrus"))]
