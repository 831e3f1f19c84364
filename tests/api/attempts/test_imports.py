"""Uploads: result files become attempts, registries become challenges."""

from __future__ import annotations

import json
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from leaderboard.importers import known_importers
from leaderboard.models import Attempt, Challenge, Participant, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.scoring import single
from tests.api.conftest import Api, ranked_by, refused
from tests.importers.uploads import FIXTURES, folder, zipped
from tests.services.evaluation.text import EXPECTED, shared_task

PATH = "challenges/jobs/imports/"


@pytest.fixture
def jobs(default: Tenant, alice: User) -> Challenge:
    fields = ranked_by("mean_reward", "Jobs")
    return create_challenge(tenant=default, user=alice, fields=fields)


def lines(*rows: Any) -> bytes:
    return b"\n".join(json.dumps(row).encode() for row in rows)


ATLAS = {"participant": "atlas", "task_rewards": {"task-1": [1.0, None], "task-2": [0.5]}}
BOREAS = {"participant": "boreas", "values": {"solved": 9}}


def test_a_job_becomes_several_attempts(submitter: Api, jobs: Challenge) -> None:
    answer = submitter.upload(PATH, zipped(folder("harbor-job")), "job.zip")
    assert answer.status_code == 202, answer.content
    body = answer.json()
    assert body["format"] == "harbor-job"
    assert len(body["attempts"]) == len(body["rows"]) == Attempt.objects.count() > 0
    single.score_waiting()
    for row in body["rows"]:
        read = submitter.get(f"attempts/{row['attempt']}/").json()
        assert read["participant"] == row["participant"]
        assert read["meta"] == row["meta"]
        value = read["metric_values"]["mean_reward"]["value"]
        assert value == row["metric_values"]["mean_reward"]["value"]
        tasks = submitter.get(f"attempts/{row['attempt']}/tasks.json").json()["tasks"]
        assert len(tasks) == row["tasks"]
        assert sum(len(task["samples"]) for task in tasks) == row["samples"]


def test_instances_without_an_output_are_listed(
    submitter: Api, stranger: Api, default: Tenant, alice: User
) -> None:
    """Ids are shown to users who may submit outputs for them; the references are not shown."""
    shared_task(default, alice)
    path, file = "challenges/translation/imports/", b'{"1": "hello", "3": null}'
    answer = submitter.upload(f"{path}?dry_run=1", file, participant="atlas")
    (row,) = answer.json()["rows"]
    assert row["recognised"] == "1 output for 3 instances, 2 missing"
    assert row["missing"] == {"ids": ["2", "3"], "more": 0}
    assert not any(text in str(answer.json()) for text in EXPECTED["2"] + EXPECTED["3"])
    Challenge.objects.update(visibility="private")
    answer = stranger.upload(f"{path}?dry_run=1", file, participant="atlas")
    refused(answer, 404, "not_found")


def test_a_dry_run_stores_nothing(submitter: Api, jobs: Challenge) -> None:
    answer = submitter.upload(f"{PATH}?dry_run=1", lines(ATLAS, BOREAS))
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert body["attempts"] == []
    atlas, boreas = body["rows"]
    assert (atlas["participant"], atlas["tasks"], atlas["samples"]) == ("atlas", 2, 3)
    assert (atlas["failed"], atlas["attempt"]) == (1, None)
    assert atlas["metric_values"]["mean_reward"]["value"] == pytest.approx(0.5)
    assert boreas["values"] == {"solved": 9.0}
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()


def test_an_import_with_an_error_stores_nothing(
    submitter: Api, stranger: Api, jobs: Challenge
) -> None:
    assert stranger.upload(PATH, lines(BOREAS)).status_code == 202
    more = {**BOREAS, "values": {"solved": 10}}
    refused(submitter.upload(PATH, lines(ATLAS, more)), 403, "permission_denied", "participant")
    assert Attempt.objects.count() == 1


def test_one_participant_may_be_given_for_all_attempts(submitter: Api, jobs: Challenge) -> None:
    body = submitter.upload(PATH, lines(ATLAS, BOREAS), participant="ceres").json()
    assert {row["participant"] for row in body["rows"]} == {"ceres"}


def test_wrong_uploads_are_refused(submitter: Api, jobs: Challenge) -> None:
    cases: list[tuple[bytes, dict[str, Any], str]] = [
        (b"nonsense", {}, "file"),
        (b"", {}, "file"),
        (b'{"participant": "atlas", "values": {"solved": "9"}}', {}, "file"),
        (lines(ATLAS), {"format": "nonsense"}, "format"),
        (lines(ATLAS), {"participant": "a\u202eb"}, "participant"),
        (lines(ATLAS), {"participant": "a" * 121}, "participant"),
        (lines(ATLAS), {"colour": "red"}, "colour"),
        (zipped({"../evil.json": b"{}"}), {}, "file"),
        (zipped(folder("registry.json")), {}, "file"),
    ]
    for file, fields, field in cases:
        refused(submitter.upload(PATH, file, **fields), 400, "invalid", field)
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()


@pytest.mark.parametrize(("name", "value"), [("file", None), ("participant", "atlas")])
def test_a_part_that_is_given_twice_is_refused(
    submitter: Api, jobs: Challenge, name: str, value: str | None
) -> None:
    form = {"file": SimpleUploadedFile("job", lines(BOREAS))}
    twice = [value or SimpleUploadedFile(file_name, lines(BOREAS)) for file_name in ("one", "two")]
    body = encode_multipart(BOUNDARY, {**form, name: twice})
    error = refused(submitter.send("post", PATH, body, MULTIPART_CONTENT), 400, "invalid", name)
    assert "got 2 parts" in error["message"]
    assert not Attempt.objects.exists()


def test_a_missing_file_is_refused(submitter: Api, jobs: Challenge) -> None:
    body = encode_multipart(BOUNDARY, {"format": "podium-jsonl"})
    refused(submitter.send("post", PATH, body, MULTIPART_CONTENT), 400, "invalid", "file")
    text = encode_multipart(BOUNDARY, {"file": "text, not a file"})
    refused(submitter.send("post", PATH, text, MULTIPART_CONTENT), 400, "invalid", "file")
    refused(submitter.post(PATH, {"file": "x"}), 415, "invalid")
    refused(submitter.upload(f"{PATH}?dry_run=yes", lines(ATLAS)), 400, "invalid", "dry_run")


@pytest.mark.parametrize("path", [PATH, "registries/"])
def test_large_uploads_are_refused_by_their_header(
    organiser: Api, jobs: Challenge, path: str
) -> None:
    refused(organiser.declare(path, 65 * 2**20, MULTIPART_CONTENT), 413, "too_large")


def test_an_import_needs_a_token_and_an_open_visible_challenge(
    submitter: Api, anyone: Api, jobs: Challenge
) -> None:
    refused(anyone.upload(PATH, lines(ATLAS)), 401, "not_authenticated")
    Challenge.objects.update(is_active=False)
    refused(submitter.upload(PATH, lines(ATLAS)), 403, "closed")
    Challenge.objects.update(visibility="private")
    refused(submitter.upload(PATH, lines(ATLAS)), 404, "not_found")


def test_only_organisers_may_import_history(
    organiser: Api, submitter: Api, jobs: Challenge
) -> None:
    dated = {**ATLAS, "submitted_at": "2024-02-29T12:00:00Z"}
    (theirs,) = organiser.upload(PATH, lines(dated)).json()["attempts"]
    assert organiser.get(f"attempts/{theirs}/").json()["submitted_at"] == "2024-02-29T12:00:00Z"
    later = {**BOREAS, "submitted_at": "2024-02-29T12:00:00Z"}
    (own,) = submitter.upload(PATH, lines(later)).json()["attempts"]
    assert submitter.get(f"attempts/{own}/").json()["submitted_at"] > "2025"


def test_each_attempt_of_a_file_counts_for_the_throttle(
    organiser: Api, submitter: Api, jobs: Challenge, settings: Any
) -> None:
    """They count as the lines of a bulk do, except for organisers. A preview does not count."""
    settings.THROTTLE_BULK = "3/day"
    two_attempts = lines(ATLAS, BOREAS)
    for _ in range(3):
        assert submitter.upload(f"{PATH}?dry_run=1", two_attempts).status_code == 200
    assert submitter.upload(PATH, two_attempts).status_code == 202
    more = lines(*({**ATLAS, "participant": f"p{at}"} for at in range(2)))
    answer = submitter.upload(PATH, more)
    refused(answer, 429, "throttled")
    assert 1 <= int(answer["Retry-After"]) <= 86400
    many = lines(*({**ATLAS, "participant": f"q{at}"} for at in range(4)))
    refused(submitter.upload(PATH, many), 413, "too_large")
    assert jobs.attempts.count() == 2
    assert organiser.upload(PATH, many).status_code == 202


def test_a_session_needs_its_csrf_token(bob: User, jobs: Challenge) -> None:
    api = Api(user=bob)
    refused(api.upload(PATH, lines(ATLAS)), 403, "permission_denied")


REGISTRY = (FIXTURES / "registry.json").read_bytes()


@pytest.mark.parametrize("way", ["body", "file", "archive"])
def test_a_registry_becomes_challenges(organiser: Api, way: str) -> None:
    if way == "body":
        answer = organiser.send("post", "registries/", REGISTRY)
    elif way == "file":
        answer = organiser.upload("registries/", REGISTRY, "registry.json")
    else:
        answer = organiser.upload("registries/", zipped({"registry.json": REGISTRY}), "r.zip")
    assert answer.status_code == 200, answer.content
    body = answer.json()
    assert len(body["created"]) == len(json.loads(REGISTRY))
    assert body["updated"] == []
    for made in body["created"]:
        challenge = organiser.get(made["url"]).json()
        assert (challenge["slug"], challenge["name"]) == (made["slug"], made["name"])
        assert challenge["scoring_strategy"] == "metric"
        assert challenge["tasks"]
    again = organiser.send("post", "registries/", REGISTRY).json()
    assert again["created"] == []
    assert again["updated"] == body["created"]


def test_wrong_registries_are_refused(organiser: Api, submitter: Api, anyone: Api) -> None:
    for wrong in (b"", b"{}", b"[]", b"nonsense", lines(ATLAS)):
        refused(organiser.send("post", "registries/", wrong), 400, "invalid", "file")
    refused(organiser.upload("registries/", REGISTRY, colour="red"), 400, "invalid", "colour")
    refused(submitter.send("post", "registries/", REGISTRY), 403, "permission_denied")
    refused(anyone.send("post", "registries/", REGISTRY), 401, "not_authenticated")
    other = organiser.send("post", "registries/?tenant=acme", REGISTRY)
    refused(other, 403, "permission_denied")
    assert not Challenge.objects.exists()


def test_a_challenge_of_another_tenant_is_not_overwritten(organiser: Api, stranger: Api) -> None:
    assert organiser.send("post", "registries/", REGISTRY).status_code == 200
    refused(stranger.send("post", "registries/", REGISTRY), 409, "conflict")


def test_metrics_and_formats_are_listed(anyone: Api) -> None:
    body = anyone.get("plugins/").json()
    metrics = {metric["name"]: metric for metric in body["metrics"]}
    assert {"mean", "mean_reward", "pass_rate", "pass@K", "pass^K:unbiased"} <= set(metrics)
    assert metrics["pass@K"]["installed"]
    assert metrics["pass@K"]["over"] == "tasks"
    assert [importer["name"] for importer in body["importers"]] == list(known_importers())


def test_the_sources_of_a_registrys_tasks_are_shown(organiser: Api) -> None:
    task = {"name": "a", "git_url": "https://x.org/a", "git_commit_id": "abc", "path": "a"}
    tasks = [task, {"name": "b", "path": "b"}]
    registry = [{"name": "kept", "version": "1", "description": "", "metrics": [], "tasks": tasks}]
    made = organiser.post("registries/", registry).json()["created"]
    path = made[0]["url"].removeprefix("/api/v1/")
    assert organiser.get(path).json()["tasks"] == tasks
    answer = organiser.patch(path, {"tasks": tasks})
    assert answer.status_code == 200, answer.content
    assert (answer.json()["tasks"], answer.json()["scoring_version"]) == (tasks, 1)


def test_a_file_names_the_phase_of_its_attempts(submitter: Api, jobs: Challenge) -> None:
    jobs.phases.create(slug="side", position=1, overlaps=True)
    refused(submitter.upload(PATH, lines(ATLAS)), 400, "invalid", "phase")
    for phase in ("main", "side"):
        answer = submitter.upload(PATH, lines(ATLAS), phase=phase)
        assert answer.status_code == 202, answer.content
    own = {**ATLAS, "phase": "side", "note": "Again."}
    assert submitter.upload(PATH, lines(own)).status_code == 202
    slugs = Attempt.objects.order_by("pk").values_list("phase__slug", flat=True)
    assert list(slugs) == ["main", "side", "side"]
    assert submitter.upload(PATH, lines(ATLAS), phase="side").json()["rows"][0]["known"]
    refused(submitter.upload(PATH, lines(BOREAS), phase="finals"), 400, "invalid", "phase")
