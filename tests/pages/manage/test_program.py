"""Organisers upload a program in a browser, and everybody sees the logs that they may see."""

from __future__ import annotations

import io

import pytest
from django.conf import LazySettings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Challenge, User
from leaderboard.services.attempts.new_attempts import NewAttempt, SentFile
from leaderboard.services.attempts.submit import submit_attempt
from leaderboard.services.scoring import single
from tests.pages.reading import get, words
from tests.programs import twins
from tests.services.programs.conftest import zipped

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("contexts", "own_folder")]
PAGE = "/c/sprint/manage/program/"
PLAIN = {"values": "set1_score", "seconds": "60", "memory_mb": "1024"}


def file(name: str, files: twins.Files) -> SimpleUploadedFile:
    return SimpleUploadedFile(name, zipped(files))


def test_a_program_is_uploaded_and_its_logs_are_shown(
    sprint: Challenge, ben: User, as_ann: Client, as_ben: Client, client: Client
) -> None:
    wrong = file("metric.zip", {"run.sh": "", "metadata": "command: bash run.sh"})
    refused = as_ann.post(PAGE, {**PLAIN, "scoring_file": wrong})
    assert "got bash" in words(refused.content.decode())
    sent = {
        **PLAIN,
        "scoring_file": file("scoring.zip", twins.CODALAB),
        "truth_file": SimpleUploadedFile("truth.txt", b"a b"),
        "ingestion_file": file("ingestion.zip", twins.INGESTION),
        "input_file": SimpleUploadedFile("x.txt", b"A C"),
    }
    assert as_ann.post(PAGE, sent).status_code == 302
    sprint.refresh_from_db()
    assert sprint.newest.program["kind"] == "codabench"
    assert sprint.newest.ranked_keys == ["set1_score"]
    code = SentFile(io.BytesIO(b"def predict(x): return x.lower()"), "model.py")
    attempt, _ = submit_attempt(
        challenge=sprint, user=ben, new=NewAttempt(participant="atlas"), file=code
    )
    assert single.score_next()
    page = f"/attempts/{attempt.pk}/"
    assert "predicted 2" in get(as_ben, page)
    assert "Scoring done" not in words(get(as_ben, page))
    assert "reported" not in words(get(as_ben, page))
    assert "predicted 2" not in get(client, page)
    log = f"/api/v1{page}log/"
    for reader, steps in ((as_ben, ["ingestion"]), (as_ann, ["ingestion", "scoring"])):
        runs = reader.get(log).json()["results"]
        assert sorted(run["step"] for run in runs) == steps
        assert "predicted 2" in "".join(run["output"] for run in runs)
    assert client.get(log).status_code == 404
    for html in (get(as_ann, page), get(as_ann, PAGE)):
        assert "predicted 2" in html
        assert "Scoring done" in words(html)


def test_settings_are_fields_with_their_errors(sprint: Challenge, as_ann: Client) -> None:
    sent = {**PLAIN, "values": "result asc", "id_column": "id", "rows_match": "on"}
    first = as_ann.post(
        PAGE,
        sent
        | {
            "scoring_file": file("metric.zip", twins.KAGGLE),
            "truth_file": SimpleUploadedFile("solution.csv", twins.SOLUTION.encode()),
        },
    )
    assert first.status_code == 422
    power, clip = "program.settings.power", "program.settings.clip"
    form = first.context["form"]
    assert list(form.errors) == [power]
    assert (form[clip].field.help_text, form[clip].value()) == ("Empty: 100.", None)
    parts = {part: form[part].value() for part in ("scoring", "truth")}
    wrong = as_ann.post(PAGE, {**sent, **parts, power: "much", clip: "5"})
    assert list(wrong.context["form"].errors) == [power]
    assert as_ann.post(PAGE, {**sent, **parts, power: "0.5", clip: "5"}).status_code == 302
    sprint.refresh_from_db()
    assert sprint.newest.program["settings"] == {"power": 0.5, "clip": 5}
    context = as_ann.get(PAGE).context
    assert context["form"][power].value() == 0.5
    assert any(package.startswith("pandas==") for package in context["environment"].packages)


def test_programs_may_be_turned_off(
    sprint: Challenge, as_ann: Client, settings: LazySettings
) -> None:
    settings.CHALLENGE_CODE = False
    sent = {**PLAIN, "scoring_file": file("scoring.zip", twins.CODALAB)}
    assert "turned off" in words(as_ann.post(PAGE, sent).content.decode())
    assert not sprint.files.exists()
