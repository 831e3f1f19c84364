"""Evidence is added by participants, kept from files, judged, and seen like samples."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.models import Challenge, Event, EvidenceFile, Tenant, User
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.files.store import storage
from leaderboard.services.standing.rejudging import sweep_verdicts
from tests.api.competition.test_admission import (
    Submit,
    agents,
    change,
    decide,
    put_rules,
    rita,
    submit,
)
from tests.api.conftest import Api, refused
from tests.importers.uploads import folder, zipped
from tests.services.challenges.splitting import PRIVATE, PUBLIC, rewards, split_challenge

__all__ = ["agents", "rita", "submit"]

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]
STEPS = json.dumps([{"role": "user", "content": "hi"}]).encode()
IMPORTS = "challenges/agents/imports/"
NEEDED = [{"rule": "evidence_of_passes", "kind": "trajectory"}]


def add(api: Api, pk: str, content: bytes = STEPS, **fields: Any) -> Any:
    body = {"kind": "trajectory", **fields}
    return api.upload(f"attempts/{pk}/evidence/", content, "steps.json", **body)


def test_evidence_after_a_return_is_judged_logged_and_new_to_reviewers(
    submit: Submit, organiser: Api, submitter: Api, stranger: Api, anyone: Api, rita: Api
) -> None:
    put_rules(organiser, NEEDED)
    change(organiser, review="all")
    pk = submit("atlas", [1.0])
    assert decide(rita, pk, "returned", "no trajectories").status_code == 201
    added = add(submitter, pk, task="a", sample=0)
    assert added.status_code == 201, added.content
    assert add(submitter, pk, task="b", sample=0).status_code == 201
    assert anyone.get(f"attempts/{pk}/admission/").json()["verdict"] == "ok"
    assert decide(submitter, pk, "received", "here").status_code == 201
    (entry,) = rita.get("challenges/agents/review/").json()["attempts"]
    assert entry["new_evidence"] == 2
    listed = anyone.get(f"attempts/{pk}/evidence/?limit=1").json()
    assert (listed["total"], listed["next"]) == (2, "1")
    assert listed["evidence"] == [added.json()]
    file: Any = anyone.client.get(listed["evidence"][0]["url"])
    assert b"".join(file.streaming_content) == STEPS
    assert file["Content-Disposition"].startswith("attachment")
    events = Event.objects.filter(kind=Event.Kind.EVIDENCE)
    assert next(json.loads(event.body)["evidence"] for event in events) == added.json()["id"]
    refused(add(stranger, pk), 403, "permission_denied")
    refused(add(organiser, pk), 403, "permission_denied")


@pytest.mark.parametrize(
    ("visibility", "anybody", "participant"),
    [("samples", 2, 2), ("participant", 0, 2), ("organisers", 0, 1)],
)
def test_a_challenge_may_show_evidence_to_fewer(
    visibility: str,
    anybody: int,
    participant: int,
    submit: Submit,
    submitter: Api,
    organiser: Api,
    rita: Api,
    anyone: Api,
) -> None:
    change(organiser, evidence_visibility=visibility)
    pk = submit("atlas", [1.0])
    first, second = (add(submitter, pk, task=task, sample=0).json() for task in ("a", "b"))
    EvidenceFile.objects.filter(pk=first["id"]).update(added_by=None)
    counts = [
        api.get(f"attempts/{pk}/evidence/").json()["total"]
        for api in (anyone, submitter, rita, organiser)
    ]
    assert counts == [anybody, participant, 2, 2]
    assert anyone.client.get(first["url"]).status_code == (200 if anybody else 404)
    assert anyone.client.get(f"/attempts/{pk}/evidence/{second['id']}/").status_code == (
        200 if anybody else 404
    )
    refused(organiser.patch("challenges/agents/", {"evidence_visibility": "x"}), 400, "invalid")


def test_wrong_evidence_is_refused(
    submit: Submit, submitter: Api, anyone: Api, monkeypatch: pytest.MonkeyPatch, settings: Any
) -> None:
    pk = submit("atlas", [1.0])
    path = f"attempts/{pk}/evidence/"
    refused(add(submitter, pk, task="a", sample=7), 400, "invalid", "sample")
    refused(add(submitter, pk, task="a"), 400, "invalid", "sample")
    refused(add(submitter, pk, kind="film"), 400, "invalid", "kind")
    refused(add(submitter, pk, b""), 400, "invalid", "file")
    refused(submitter.post(path, {"kind": "log"}), 400, "invalid", "file")
    link = {"kind": "log", "url": "https://ci.example.org/7"}
    refused(submitter.post(path, {**link, "url": "javascript:x"}), 400, "invalid", "url")
    added = submitter.post(path, link)
    assert (added.status_code, added.json()["name"]) == (201, "ci.example.org")
    assert anyone.get(f"{path}{added.json()['id']}/").status_code == 404
    settings.PARTICIPANT_FILES_MIB = 0
    refused(add(submitter, pk), 413, "too_large")
    monkeypatch.setattr("leaderboard.services.standing.evidence.MOST_FILES", 1)
    refused(submitter.post(path, link), 409, "conflict")
    assert submitter.post(f"attempts/{pk}/withdraw/", {"reason": ""}).status_code == 200
    refused(submitter.post(path, link), 409, "conflict")


def test_evidence_is_seen_where_samples_are(
    default: Tenant, bob: User, submitter: Api, organiser: Api, anyone: Api
) -> None:
    challenge = split_challenge(default)
    new = NewAttempt(participant="nova", task_rewards=rewards(PUBLIC))
    attempt, _ = submit_attempt(challenge=challenge, user=bob, new=new)
    public, private = PUBLIC[0], PRIVATE[0]
    for task in (public, private):
        assert add(submitter, str(attempt.pk), task=task, sample=0).status_code == 201
    assert add(submitter, str(attempt.pk)).status_code == 201
    path = f"attempts/{attempt.pk}/evidence/"

    def tasks(api: Api) -> set[str]:
        return {file["task"] for file in api.get(path).json()["evidence"]}

    assert tasks(anyone) == {public}
    number = EvidenceFile.objects.get(task=private).pk
    assert anyone.get(f"{path}{number}/").status_code == 404
    assert tasks(submitter) == tasks(organiser) == {"", public, private}
    hidden = [{"slug": "main", "scores": "hidden"}]
    answer = organiser.patch(f"challenges/{challenge.slug}/", {"phases": hidden})
    assert answer.status_code == 200, answer.content
    assert tasks(anyone) == set()
    assert tasks(submitter) == {"", public, private}


def test_a_harbor_job_brings_its_trajectories_and_an_erased_account_takes_them_along(
    submitter: Api,
    anyone: Api,
    agents: Challenge,
    bob: User,
    django_capture_on_commit_callbacks: Any,
) -> None:
    files = folder("harbor-job")
    trial = next(name for name in files if name.startswith("hello-file__U74bSfk/result"))
    kept = trial.replace("result.json", "agent/trajectory.json")
    content = json.dumps({"steps": [{"source": "user", "message": "hi"}]}).encode()
    answer = submitter.upload(IMPORTS, zipped({**files, kept: content}), "job.zip")
    assert answer.status_code == 202, answer.content
    (stored,) = EvidenceFile.objects.all()
    assert (stored.task, stored.kind, stored.name) == (
        "hello-file",
        "trajectory",
        "trajectory.json",
    )
    path = f"attempts/{stored.attempt_id}/evidence/{stored.pk}/"
    assert b"".join(anyone.get(path).streaming_content) == content
    with django_capture_on_commit_callbacks(execute=True):
        erase_account(bob)
    assert not EvidenceFile.objects.exists()
    assert not storage().exists(stored.path)


@pytest.mark.parametrize(("fixture", "kept"), [("inspect-ai.json", 5), ("tau2-bench", 6)])
def test_messages_in_result_files_are_kept_as_trajectories(
    fixture: str, kept: int, submitter: Api, anyone: Api, agents: Challenge
) -> None:
    ((name, content),) = folder(fixture).items()
    answer = submitter.upload(IMPORTS, content, name)
    assert answer.status_code == 202, answer.content
    stored = EvidenceFile.objects.all()
    assert {(file.kind, file.name) for file in stored} == {("trajectory", "messages.json")}
    assert len({(file.task, file.sample) for file in stored}) == kept
    page = anyone.client.get(f"/attempts/{stored[0].attempt_id}/evidence/{stored[0].pk}/")
    assert b"assistant" in page.content


def test_only_evidence_that_is_kept_counts_and_the_same_file_brings_what_was_missing(
    submitter: Api, organiser: Api, anyone: Api, agents: Challenge, settings: Any
) -> None:
    put_rules(organiser, [{**NEEDED[0], "passes": 0.0}])
    settings.PARTICIPANT_FILES_MIB = 0
    ((name, content),) = folder("tau2-bench").items()
    kept, without_room = (
        submitter.upload(IMPORTS + query, content, name).json() for query in ("?dry_run=1", "")
    )
    assert len(without_room["warnings"]) == len(kept["warnings"]) + 1
    assert not EvidenceFile.objects.exists()
    (pk,) = without_room["attempts"]
    path = f"attempts/{pk}/admission/"
    (finding,) = anyone.get(path).json()["findings"]
    settings.PARTICIPANT_FILES_MIB = 100
    again = organiser.upload(IMPORTS, content, name).json()
    assert (again["attempts"], EvidenceFile.objects.count()) == ([pk], 0)
    again = submitter.upload(IMPORTS, content, name).json()
    assert again["attempts"] == [pk]
    assert EvidenceFile.objects.count() == 6
    assert Event.objects.filter(kind=Event.Kind.EVIDENCE).count() == 6
    left = anyone.get(path).json()["findings"]
    assert finding["count"] > 0
    assert left == []
    assert submitter.upload(IMPORTS, content, name).status_code == 202
    assert EvidenceFile.objects.count() == 6


def test_evidence_that_is_only_claimed_is_none(submit: Submit, organiser: Api, anyone: Api) -> None:
    put_rules(organiser, NEEDED)
    pk = submit("atlas", [1.0], run={"evidence": ["trajectory"]})
    path = f"attempts/{pk}/admission/"
    assert anyone.get(path).json()["verdict"] == "refused"
    put_rules(organiser, [*NEEDED, {"rule": "all_tasks"}])
    sweep_verdicts()
    assert anyone.get(path).json()["verdict"] == "refused"
