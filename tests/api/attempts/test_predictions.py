"""Files of predictions through the API: a truth is held, files are checked, scored, sent back."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from django.utils import timezone

from leaderboard.models import (
    Attempt,
    Challenge,
    Phase,
    QuotaUse,
    Score,
    SubmittedFile,
    UploadInPieces,
)
from leaderboard.sandbox import Failure, SandboxError
from leaderboard.services.challenges.finals import begin_finals
from leaderboard.services.challenges.rescores import begin_rescore
from leaderboard.services.competition.audit import entries_of
from leaderboard.services.files import uploads
from leaderboard.services.plugins.prediction_metrics import PredictionMetricsAway
from leaderboard.services.scoring import rescoring, single
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from tests.api.conftest import Api, refused

TRUTH = (
    b"id,price,Usage\n001,10,Public\n002,20,Public\nNA,30,Private\nx4,40,Private\nx5,99,Ignored\n"
)
GOOD = b"price,id\n9999,x5\n11,001\n20,002\n30,NA\n44,x4\n"
CHALLENGE = {
    "name": "Houses",
    "scoring_strategy": "metric",
    "prediction_metrics": ["RMSE", {"id": "mae", "name": "error"}],
    "id_column": "id",
    "targets": ["price"],
    "split": {"column": "Usage"},
    "rank_by": [{"key": "rmse"}],
    "phases": [{"slug": "main", "per_day": 2}],
}


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, settings: LazySettings) -> None:
    settings.MEDIA_ROOT = tmp_path


def upload(api: Api, path: str, content: bytes, name: str = "p.csv", **fields: str) -> Any:
    headers = {key: fields.pop(key) for key in [*fields] if "-" in key}
    return api.upload(path, content, name, headers=headers, **fields)


@pytest.fixture
def houses(organiser: Api) -> Challenge:
    created = organiser.post("challenges/", CHALLENGE)
    assert created.status_code == 201, created.content
    held = upload(organiser, "challenges/houses/files/", TRUTH, "t.csv", role="truth")
    assert held.status_code == 201, held.content
    return Challenge.objects.get(slug="houses")


def scored(api: Api, attempt: str) -> dict[str, Any]:
    single.score_waiting()
    body: dict[str, Any] = api.get(f"attempts/{attempt}/").json()
    return body


def values(body: dict[str, Any]) -> dict[str, float]:
    return {key: round(value["value"], 6) for key, value in body["metric_values"].items()}


def test_only_public_rows_count_until_the_end(
    organiser: Api, submitter: Api, houses: Challenge
) -> None:
    digest = base64.b64encode(hashlib.sha256(GOOD).digest()).decode()
    key = {"Idempotency-Key": "one", "Content-Digest": f"sha-256=:{digest}:"}
    sent = upload(submitter, "challenges/houses/attempts/", GOOD, participant="atlas", **key)
    assert sent.status_code == 202, sent.content
    again = upload(submitter, "challenges/houses/attempts/", GOOD, participant="atlas", **key)
    assert (again.status_code, again.json()["id"]) == (200, sent.json()["id"])
    attempt = sent.json()["id"]
    body = scored(submitter, attempt)
    assert body["status"] == "scored", body
    assert values(body) == {"rmse": round(0.5**0.5, 6), "error": 0.5}
    board = submitter.get("challenges/houses/leaderboard/").json()
    assert board["rows"][0]["values"]["rmse"] == pytest.approx(0.5**0.5)
    begin_rescore_and_end(houses)
    assert values(scored(submitter, attempt)) == {"rmse": round(8**0.5, 6), "error": 2.0}
    assert submitter.get(f"attempts/{attempt}/file/").getvalue() == GOOD
    refused(Api().get(f"attempts/{attempt}/file/"), 404, "not_found")
    zipped = b"".join(organiser.get("challenges/houses/attempts.zip"))
    with zipfile.ZipFile(io.BytesIO(zipped)) as file:
        (name,) = (name for name in file.namelist() if "/file/" in name)
        assert file.read(name) == GOOD


def test_the_best_move_into_the_next_phase_with_their_files(
    organiser: Api, submitter: Api, houses: Challenge
) -> None:
    sent = upload(submitter, "challenges/houses/attempts/", GOOD, participant="atlas").json()["id"]
    single.score_waiting()
    log = upload(submitter, f"attempts/{sent}/evidence/", b"said", "run.log", kind="log")
    assert log.status_code == 201, log.content
    link = {"kind": "other", "url": "https://example.org/7"}
    assert submitter.post(f"attempts/{sent}/evidence/", link).status_code == 201
    begin_rescore_and_end(houses)
    Phase.objects.create(challenge=houses, slug="next", position=1, opens_at=timezone.now())
    moved = organiser.post("challenges/houses/phases/main/advance/", {"best": 1})
    assert moved.status_code == 200, moved.content
    copy = Attempt.objects.get(copied_from=sent)
    assert values(scored(organiser, str(copy.pk)))["error"] == 0.5
    assert submitter.get(f"attempts/{copy.pk}/file/").getvalue() == GOOD
    evidence = submitter.get(f"attempts/{copy.pk}/evidence/").json()["evidence"]
    assert sorted(file["name"] for file in evidence) == ["example.org", "run.log"]
    assert len({*SubmittedFile.objects.values_list("path", flat=True)}) == 2
    copy.delete()
    assert submitter.get(f"attempts/{sent}/file/").getvalue() == GOOD


def begin_rescore_and_end(challenge: Challenge) -> None:
    """End the first phase, and compute its final scores."""
    past = timezone.now() - timedelta(hours=1)
    Phase.objects.filter(challenge=challenge, slug="main").update(closes_at=past)
    assert begin_finals() == 1
    challenge.refresh_from_db()
    rescoring.work_on(challenge.newest.pk)


def test_what_is_read_of_hidden_rows_is_charged(
    submitter: Api, houses: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    Phase.objects.filter(challenge=houses).update(per_day=9, count_failed=False)
    used = QuotaUse.objects.filter(kind="day").values_list("used", flat=True)
    sent = [
        upload(
            submitter,
            "challenges/houses/attempts/",
            GOOD.replace(b"9999", b"%d" % number),
            participant="atlas",
        ).json()["id"]
        for number in range(3)
    ]
    assert submitter.post(f"attempts/{sent[2]}/cancel/", {}).status_code == 200
    single.score_waiting(limit=1)
    for unscored in sent[1:]:
        for first, second in ((sent[0], unscored), (unscored, unscored)):
            compared = submitter.get(f"challenges/houses/compare/?first={first}&second={second}")
            refused(compared, 400, "invalid", "first" if first == unscored else "second")
    fails = NOTHING_TO_RUN._replace(error=Failure("exception", "It fails.", ""))
    monkeypatch.setattr(single, "outcomes", lambda config, some, **_: iter([fails] * len(some)))
    read = scored(submitter, sent[1])
    assert (read["status"], values(read)["error"], [*used]) == ("failed", 0.5, [2])


def test_a_wrong_file_costs_nothing_and_tells_no_answer(submitter: Api, houses: Challenge) -> None:
    wrong = b"id,price\n1,11\n002,nan\nNA,x\nx4,44\nx4,1\n"
    for _ in range(3):
        sent = upload(submitter, "challenges/houses/attempts/", wrong, participant="atlas")
        assert sent.status_code == 400
        error = sent.json()["error"]
        assert any(text.startswith("line 3:") for text in error["fields"]["file"])
        text = json.dumps(error)
        assert not any(answer in text for answer in ("10", "20", "30", "40", "99"))
        assert "Usage" not in text
    assert not Attempt.objects.exists()
    sent = upload(submitter, "challenges/houses/attempts/", GOOD, participant="atlas")
    assert sent.status_code == 202


def test_a_file_arrives_in_pieces(submitter: Api, stranger: Api, houses: Challenge) -> None:
    digest = hashlib.sha256(GOOD).hexdigest()
    begun = submitter.post("uploads/", {"name": "p.csv", "size": len(GOOD), "sha256": digest})
    path, attempts = f"uploads/{begun.json()['id']}/", "challenges/houses/attempts/"
    body = {"participant": "atlas", "file": begun.json()["id"]}

    def piece(start: int, end: int, offset: int) -> Any:
        headers = {"Upload-Offset": str(offset)}
        return submitter.send(
            "patch", path, GOOD[start:end], "application/octet-stream", headers=headers
        )

    assert piece(0, 10, 0).json()["offset"] == 10
    for early in (piece(0, 10, 5), submitter.post(attempts, body)):
        assert (early.status_code, early.json()["error"]["offset"]) == (409, 10)
    assert submitter.get(path).headers["Upload-Offset"] == "10"
    refused(stranger.get(path), 404, "not_found")
    assert piece(10, 99, 10).status_code == 200
    sent = submitter.post(attempts, body, **{"Idempotency-Key": "k"})
    assert sent.status_code == 202, sent.content
    assert submitter.post(attempts, body, **{"Idempotency-Key": "k"}).status_code == 200
    assert scored(submitter, sent.json()["id"])["status"] == "scored"
    refused(submitter.post(attempts, {**body, "file": "x"}), 400, "invalid", "file")


def test_pieces_do_not_fill_the_disk(
    submitter: Api, settings: LazySettings, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.PARTICIPANT_FILES_MIB = 3
    sizes = UploadInPieces.objects.order_by("pk").values_list("size", flat=True)

    def begin(mib: int) -> Any:
        return submitter.post("uploads/", {"name": "p.csv", "size": mib << 20, "sha256": "0" * 64})

    for mib, kept in ((1, [1]), (1, [1, 1]), (2, [1, 2]), (4, [4])):
        assert begin(mib).status_code == 201
        assert [size >> 20 for size in sizes.all()] == kept
    monkeypatch.setattr(uploads, "LEAST_FREE", 1 << 60)
    refused(begin(1), 503, "unavailable")


def test_an_upload_that_makes_room_takes_its_pieces_along(
    submitter: Api, tmp_path: Path, django_capture_on_commit_callbacks: Any
) -> None:
    about = {"name": "p.csv", "size": 4, "sha256": "0" * 64}
    old = submitter.post("uploads/", about).json()["id"]
    headers = {"Upload-Offset": "0"}
    submitter.send("patch", f"uploads/{old}/", b"1234", "application/octet-stream", headers)
    assert [path.name for path in (tmp_path / "pieces").iterdir()] == [old]
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(5):
            assert submitter.post("uploads/", about).status_code == 201
    assert not list((tmp_path / "pieces").iterdir())


@pytest.mark.parametrize(
    ("content", "headers", "field"),
    [
        (b"", {}, "file"),
        (b"\x80\x04pickle", {}, "file"),
        (GOOD, {"Content-Digest": "sha-256=:AAAA:"}, "Content-Digest"),
        (GOOD, {"Content-Digest": f"sha-256=:{'A' * 43}=:"}, "Content-Digest"),
    ],
)
def test_an_empty_or_binary_file_or_a_wrong_digest_is_refused(
    submitter: Api, houses: Challenge, content: bytes, headers: dict[str, str], field: str
) -> None:
    sent = upload(submitter, "challenges/houses/attempts/", content, participant="atlas", **headers)
    assert field in sent.json()["error"]["fields"], sent.content
    assert not SubmittedFile.objects.exists()


def test_other_evidence_is_refused(submitter: Api, houses: Challenge) -> None:
    sent = submitter.post("challenges/houses/attempts/", {"participant": "a", "metrics": {}})
    refused(sent, 400, "invalid", "file")


def test_another_truth_is_another_version(
    organiser: Api, submitter: Api, houses: Challenge
) -> None:
    sent = upload(submitter, "challenges/houses/attempts/", GOOD, participant="atlas").json()
    scored(submitter, sent["id"])
    truth = TRUTH.replace(b"001,10", b"001,11")
    upload(organiser, "challenges/houses/files/", truth, "t.csv", role="truth")
    houses.refresh_from_db()
    assert houses.newest.number == houses.shown.number + 1
    begin_rescore(houses)
    rescoring.work_on(houses.newest.pk)
    score = Score.objects.get(config=houses.newest_config)
    assert score.metric_values["rmse"]["value"] == 0


def test_a_metric_that_cannot_be_asked_now_is_no_score(
    submitter: Api, houses: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away(metric_id: str) -> None:
        raise PredictionMetricsAway("away")

    monkeypatch.setattr("leaderboard.services.predictions.values.find_prediction_metric", away)
    sent = upload(submitter, "challenges/houses/attempts/", GOOD, participant="atlas").json()
    with suppress(SandboxError):
        single.score_waiting()
    assert not Score.objects.exists()
    assert Attempt.objects.get(pk=sent["id"]).status != "scored"


def test_everybody_reads_the_starting_kit_and_only_organisers_the_truth(
    organiser: Api, submitter: Api, houses: Challenge
) -> None:
    kit = upload(organiser, "challenges/houses/files/", b"hi", "kit.txt", role="starting_kit")
    files = organiser.get("challenges/houses/files/").json()["results"]
    readable = submitter.get("challenges/houses/files/").json()["results"]
    public = ["sample_submission", "starting_kit"]
    assert [file["role"] for file in files] == [*public, "truth"]
    assert [file["role"] for file in readable] == public
    truth = next(file["id"] for file in files if file["role"] == "truth")
    refused(submitter.get(f"files/{truth}/"), 404, "not_found")
    refused(organiser.delete(f"files/{truth}/"), 409, "conflict")
    assert submitter.get(f"files/{kit.json()['id']}/").getvalue() == b"hi"
    refused(submitter.delete(f"files/{kit.json()['id']}/"), 403, "permission_denied")
    assert organiser.delete(f"files/{kit.json()['id']}/").status_code == 204
    changes = [(entry.before or {}, entry.after or {}) for entry in entries_of(houses.pk)]
    named = [
        [values["file"] and values["file"]["name"] for values in change]
        for change in changes
        if "file" in change[1]
    ]
    assert named == [["kit.txt", None], [None, "kit.txt"], [None, "t.csv"]]


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"prediction_metrics": ["accuracy"]}, "prediction_metrics.0.id"),
        ({"prediction_metrics": ["nothing"]}, "prediction_metrics.0.id"),
        ({"targets": []}, "targets"),
        ({"id_column": "ids"}, "truth"),
        ({"split": {"public": ["001"]}}, "split.public"),
        ({"metrics": ["mean"]}, "prediction_metrics"),
    ],
)
def test_settings_that_contradict_the_truth_are_refused(
    organiser: Api, houses: Challenge, change: dict[str, Any], field: str
) -> None:
    sent = organiser.patch("challenges/houses/", change)
    assert sent.status_code == 400, sent.content
    assert field in sent.json()["error"]["fields"]
