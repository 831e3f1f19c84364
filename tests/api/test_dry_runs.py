"""Dry runs: every operation that changes something answers as if it did, and keeps nothing."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test.client import BOUNDARY, MULTIPART_CONTENT, encode_multipart

from leaderboard.models import Attempt, Challenge, Notice, Participant, Tenant, User
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.attempts.test_imports import REGISTRY
from tests.api.attempts.test_predictions import CHALLENGE, GOOD, TRUTH
from tests.api.conftest import ME, Api, refused
from tests.api.test_own_plugins import SCORER
from tests.bundles.test_platforms import zipped
from tests.bundles.twins import CODABENCH_BUNDLE
from tests.management.backups import everything

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def store(tmp_path: Path, settings: LazySettings) -> Path:
    settings.MEDIA_ROOT = tmp_path / "uploads"
    return tmp_path / "uploads" / "files"


def form(content: bytes, name: str = "p.csv", **fields: str) -> bytes:
    return encode_multipart(BOUNDARY, {"file": SimpleUploadedFile(name, content), **fields})


def stored(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())


def test_a_dry_run_keeps_no_row_and_no_file(
    organiser: Api, alice: User, default: Tenant, sprint: Challenge, carol: User, store: Path
) -> None:
    def upload(method: str, path: str, body: bytes) -> Any:
        return organiser.send(method, path, body, MULTIPART_CONTENT)

    assert organiser.post("challenges/", CHALLENGE).status_code == 201
    truth = form(TRUTH, "t.csv", role="truth")
    assert upload("post", "challenges/houses/files/", truth).status_code == 201
    kit = upload("post", "challenges/houses/files/", form(b"hi", "kit.txt", role="starting_kit"))
    for slug in ("sprint", "houses"):
        put = upload("put", f"challenges/{slug}/plugins/", form(SCORER, "s.py"))
        assert put.status_code == 200
    references = b'{"instances": [{"id": "1", "expected-output": "a"}]}'
    assert organiser.send("put", "challenges/sprint/references/", references).status_code == 200
    sent = organiser.post("challenges/sprint/attempts/", ME).json()["id"]
    single.score_waiting()
    Notice.objects.create(user=alice, challenge=sprint, kind="attempts", what="scored")
    anywhere = Api(create_token(user=alice, scopes=["read"])[1])
    grant = {"participant": "atlas", "phase": "main", "extra": 2, "reason": "Outage"}
    hook = {"url": "https://198.41.0.4/hook", "types": ["attempt.scored"]}
    path, attempt, houses = "challenges/sprint/", f"attempts/{sent}/", "challenges/houses/"
    changes: list[tuple[str, str, object, int]] = [
        ("post", f"{path}grants/", grant, 200),
        ("put", f"{path}organisers/{carol.username}/", {"role": "reviewer"}, 200),
        ("post", f"{path}webhooks/", hook, 200),
        ("post", f"{path}announcements/", {"title": "Dates", "text": "Later"}, 200),
        ("put", f"{path}registrations/atlas/row/", {"row": "baseline"}, 200),
        ("put", f"{path}registrations/atlas/disqualification/", {"reason": "Twice"}, 200),
        ("post", f"{path}rescore/", None, 202),
        ("delete", f"{path}references/", None, 204),
        ("post", f"{attempt}withdraw/", {"reason": "Mine"}, 200),
        ("put", f"{attempt}verification/", {"link": ""}, 200),
        ("post", f"{attempt}annotations/", {"text": "Look"}, 200),
        ("post", f"{attempt}evidence/", {"kind": "log", "url": "https://example.org/"}, 200),
        ("post", f"{attempt}evidence/", form(b"said", "run.log", kind="log"), 200),
        ("post", "registries/", form(REGISTRY, "registry.json"), 200),
        ("post", "bundles/", form(zipped(CODABENCH_BUNDLE), "b.zip"), 200),
        ("post", f"{houses}files/", form(b"new", "new.txt", role="starting_kit"), 200),
        ("post", f"{houses}files/", form(TRUTH + b"x6,1,Public\n", "t.csv", role="truth"), 200),
        ("post", f"{houses}files/", form(b"id,price\n1,x\n", "t.csv", role="truth"), 400),
        ("delete", f"files/{kit.json()['id']}/", None, 204),
        ("post", f"{houses}attempts/", form(GOOD, participant="atlas"), 200),
        ("put", f"{path}plugins/", form(SCORER + b"\n", "t.py", also="houses"), 200),
        ("delete", f"{path}plugins/", None, 204),
        ("post", "notices/read/", {}, 200),
    ]
    tables, files = everything(), stored(store)
    del tables["leaderboard.ApiToken"]  # says when it was last used
    for method, address, body, status in changes:
        api = anywhere if address == "notices/read/" else organiser
        is_form = isinstance(body, bytes)
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        kind = MULTIPART_CONTENT if is_form else "application/json"
        answer = api.send(method, f"{address}?dry_run=1", content if body else b"", kind)
        assert answer.status_code == status, (address, answer.content)
        refused(api.send(method, f"{address}?dry_run=yes", content, kind), 400, "invalid")
        assert stored(store) == files, address
    assert {label: rows for label, rows in everything().items() if label in tables} == tables


def test_a_dry_run_checks_and_keeps_nothing(
    submitter: Api, organiser: Api, sprint: Challenge
) -> None:
    answers = [
        submitter.post("challenges/sprint/attempts/?dry_run=1", ME),
        submitter.lines("challenges/sprint/attempts/bulk/?dry_run=1", ME, ME),
        organiser.post("challenges/?dry_run=1", {"name": "New", "scoring_strategy": "first"}),
        organiser.patch("challenges/sprint/?dry_run=1", {"scoring_strategy": "first"}),
        organiser.send(
            "put",
            "challenges/sprint/references/?dry_run=1",
            b'{"instances": [{"id": "1", "expected-output": "a"}]}',
        ),
    ]
    assert [answer.status_code for answer in answers] == [200] * 5, answers
    bodies = [answer.json() for answer in answers]
    assert (bodies[0]["participant"], bodies[1]["accepted"]) == ("atlas", 2)
    assert (bodies[2]["slug"], bodies[3]["scoring_version"]) == ("new", 2)
    assert bodies[4]["scoring_version"] == 2
    assert not Attempt.objects.exists()
    assert not Participant.objects.exists()
    assert Challenge.objects.get().newest.number == 1
    wrong = {**ME, "metrics": {"rating": "8"}}
    refused(submitter.post("challenges/sprint/attempts/?dry_run=1", wrong), 400, "invalid")


def test_a_team_sees_what_a_dry_run_would_make_of_it(
    sprint: Challenge, bob: User, alice: User
) -> None:
    declare_rules(sprint, {"largest_team": 3})
    first, second = (
        Api(create_token(user=user, scopes=["submit", "read"])[1]) for user in (bob, alice)
    )
    team = "challenges/sprint/team/"
    register(sprint, bob, {"participant": "atlas", "kind": "team"})
    code = first.post(f"{team}links/").json()["code"]
    joined = second.post(f"{team}join/?dry_run=1", {"code": code})
    assert len(joined.json()["members"]) == 2
    register(sprint, alice, {"participant": "zephyr", "kind": "team"})
    first.post(f"{team}merge/", {"participant": "zephyr"})
    assert first.delete(f"{team}merge/?dry_run=1").status_code == 204
    assert second.delete(f"{team}merges/atlas/?dry_run=1").status_code == 204
    merged = second.post(f"{team}merges/atlas/?dry_run=1")
    assert len(merged.json()["members"]) == 2
    assert second.get(team).json()["asked_by"] == ["atlas"]
    assert len(second.get(team).json()["members"]) == 1
