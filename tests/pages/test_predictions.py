"""Predictions on pages: a challenge is made from its truth, and a file is submitted."""

from __future__ import annotations

import base64
import hashlib
import re
from typing import Any
from uuid import UUID

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Attempt, Challenge, Tenant, UploadInPieces, User
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring import single
from tests.api.attempts.test_predictions import GOOD, TRUTH
from tests.people import organiser_of, signed_in, tenant

__all__ = ["tenant"]

CHOSEN = {
    "name": "Houses",
    "id_column": "id",
    "targets": "price",
    "prediction_kind": "values",
    "prediction_metrics": "rmse",
    "way": "column",
    "column": "Usage",
    "template": "",
    "visibility": "public",
}
NEW = "/new/?kind=predictions"


@pytest.fixture
def organiser(tenant: Tenant, own_folder: None) -> Client:
    return signed_in(organiser_of(tenant, "alice"))


def file(content: bytes, name: str = "t.csv") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def hidden(answer: Any, name: str) -> str:
    """The value of a hidden field of a page."""
    text = answer.content.decode()
    match = re.search(rf'name="{name}" value="([^"]*)"', text)
    assert match, text
    return match[1]


def made(organiser: Client) -> Challenge:
    first = organiser.post(NEW, {"name": "Houses", "truth": file(TRUTH), "action": "preview"})
    assert b"<code>Usage</code>" in first.content
    kept = hidden(first, "kept")
    answer = organiser.post(NEW, {**CHOSEN, "kept": kept, "action": "create"})
    assert answer.status_code == 302, answer.content
    return Challenge.objects.get()


def test_a_challenge_is_made_from_a_truth_and_scores_a_file(organiser: Client) -> None:
    challenge = made(organiser)
    assert challenge.newest.truth is not None
    page = f"/c/{challenge.slug}/submit/"
    response = organiser.get(page)
    assert b"sample_submission.csv" in response.content
    sent = {"participant": "atlas", "note": ""}
    wrong = organiser.post(page, {**sent, "file": file(b"id,price\n001,x\n")})
    assert wrong.status_code == 422
    assert b"ine 2" in wrong.content
    assert not Attempt.objects.exists()
    answer = organiser.post(page, {**sent, "file": file(GOOD)})
    single.score_waiting()
    assert Attempt.objects.get().status == "scored"
    assert organiser.get(answer["Location"]).status_code == 200


def test_a_large_file_comes_from_an_upload(organiser: Client) -> None:
    challenge = made(organiser)
    page, eve = f"/c/{challenge.slug}/submit/", signed_in(User.objects.create_user("eve"))
    sent = {"participant": "atlas", "note": ""}
    assert b"data-uploads" in organiser.get(page).content
    begun = [
        client.post("/api/v1/uploads/", {"name": "p.csv", "size": len(GOOD)}, "application/json")
        for client in (organiser, eve)
    ]
    own, other = (answer.json()["id"] for answer in begun)

    def piece(digest: bytes) -> int:
        return organiser.patch(
            f"/api/v1/uploads/{own}/",
            GOOD,
            "application/octet-stream",
            headers={
                "Upload-Offset": "0",
                "Content-Digest": f"sha-256=:{base64.b64encode(digest).decode()}:",
            },
        ).status_code

    assert piece(hashlib.sha256(b"damaged").digest()) == 400
    assert organiser.post(page, {**sent, "upload": own}).status_code == 422
    assert piece(hashlib.sha256(GOOD).digest()) == 200
    assert organiser.post(page, {**sent, "upload": other}).status_code == 422
    assert organiser.post(page, {**sent, "upload": own}).status_code == 302
    assert Attempt.objects.get().submitted_file.sha256 == hashlib.sha256(GOOD).hexdigest()
    assert UploadInPieces.objects.get().pk == UUID(other)


def test_a_phase_limits_the_size_of_files(organiser: Client) -> None:
    challenge = made(organiser)
    challenge.phases.update(file_mib=1)
    page = f"/c/{challenge.slug}/submit/"
    content = organiser.get(page).content.decode()
    assert f'data-most="{1 << 20}"' in content
    large = GOOD.replace(b"\n", b"," + b"-" * (1 << 18) + b"\n")
    for most, code, attempts in ((1, 422, 0), (2, 302, 1)):
        challenge.phases.update(file_mib=most)
        sent = {"participant": "atlas", "note": "", "file": file(large)}
        assert organiser.post(page, sent).status_code == code
        assert Attempt.objects.count() == attempts


def test_a_wrong_truth_leaves_no_challenge(organiser: Client) -> None:
    truth = TRUTH.replace(b"20", b"much")
    first = organiser.post(NEW, {"truth": file(truth), "action": "preview"})
    kept = hidden(first, "kept")
    answer = organiser.post(NEW, {**CHOSEN, "kept": kept, "action": "create"})
    assert answer.status_code == 422
    assert b"ine 3" in answer.content
    assert not Challenge.objects.exists()


def test_organisers_manage_truth_and_files(organiser: Client) -> None:
    challenge = made(organiser)
    page = f"/c/{challenge.slug}/manage/truth/"
    sent = {
        **CHOSEN,
        "positive_label": "",
        "prediction_metrics": "rmse\nmae",
        "state": hidden(organiser.get(page), "state"),
        "action": "save",
    }
    assert organiser.post(page, sent).status_code == 302
    challenge.refresh_from_db()
    assert challenge.newest.prediction_metrics == ["rmse", "mae"]
    files = f"/c/{challenge.slug}/manage/files/"
    kit = {"action": "add", "role": "starting_kit", "phase": "", "file": file(b"hi", "kit.txt")}
    assert organiser.post(files, kit).status_code == 302
    ids = {entry.role: entry.pk for entry in challenge.files.all()}
    for role in ("truth", "starting_kit"):
        assert organiser.post(files, {"action": "remove", "file": ids[role]}).status_code == 302
    assert {entry.role for entry in challenge.files.all()} == {"truth", "sample_submission"}
    assert organiser.get(files).status_code == 200
    stranger = signed_in(User.objects.create_user("eve"))
    assert stranger.get(files).status_code == 404


def test_rows_are_drawn_and_compared_for_those_who_may_see_them(organiser: Client) -> None:
    challenge = made(organiser)
    slug = challenge.slug
    for name, content in (("atlas", GOOD), ("borea", GOOD.replace(b"11,", b"15,"))):
        sent = {"participant": name, "note": "", "file": file(content)}
        assert organiser.post(f"/c/{slug}/submit/", sent).status_code == 302
    single.score_waiting()
    Challenge.objects.update(is_draft=False)
    first, second = Attempt.objects.order_by("participant__handle")
    eve = signed_in(User.objects.create_user("eve"))

    def sees_rows(client: Client) -> bool:
        return b'aria-labelledby="rows"' in client.get(first.get_absolute_url()).content

    def compared(client: Client) -> tuple[int, bool]:
        query = {"first": str(first.pk), "second": str(second.pk)}
        answer = client.get(f"/api/v1/challenges/{slug}/compare/", query)
        page = client.get(f"/c/{slug}/compare/?p=atlas,borea")
        return answer.status_code, b'id="pair-1"' in page.content

    assert (sees_rows(organiser), sees_rows(eve)) == (True, False)
    assert (compared(organiser), compared(eve)) == ((200, True), (200, True))
    query = {"first": str(first.pk), "second": str(second.pk)}
    (metric,) = organiser.get(f"/api/v1/challenges/{slug}/compare/", query).json()["metrics"]
    assert (metric["key"], metric["shared"], metric["tasks"]) == ("rmse", 2, [])
    Challenge.objects.update(references_visibility="public")
    assert sees_rows(eve)
    Attempt.objects.update(submitted_by=User.objects.get(username="eve"))
    rounded = {"phases": [{"slug": "main", "decimals": 1}]}
    change_challenge(challenge, user=None, fields=rounded)
    fill_boards(challenge)
    assert (sees_rows(organiser), sees_rows(eve)) == (True, False)
    assert (compared(organiser), compared(eve)) == ((200, True), (403, False))
