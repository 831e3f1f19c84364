"""Uploading result files on a page: they are previewed first, and then imported."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import Attempt, Challenge, Evidence, User
from leaderboard.pages import file_form
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.imports import importing
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

PATH = "/c/solve/submit/file/"


@pytest.fixture(autouse=True)
def _own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(settings, "MEDIA_ROOT", tmp_path)


@pytest.fixture
def solve(make: Make) -> Challenge:
    return make("Solve", "metric", metrics=["pass_rate"], rank_by=[{"key": "pass_rate"}])


def lines(*attempts: dict[str, Any]) -> SimpleUploadedFile:
    text = "\n".join(json.dumps(each) for each in attempts)
    return SimpleUploadedFile("results.jsonl", text.encode())


def attempt(participant: str, *rewards: float | None) -> dict[str, Any]:
    return {"participant": participant, "task_rewards": {"lock": list(rewards)}}


def hidden(html: str) -> dict[str, str]:
    """Return what the button below a preview would post."""
    found = re.findall(
        r'<input type="hidden" name="(kept|participant|format)" value="([^"]*)"', html
    )
    return dict(found)


def looked_at(client: Client, file: SimpleUploadedFile, **fields: str) -> str:
    response = client.post(PATH, {"file": file, **fields})
    assert response.status_code == 200, words(response.content.decode())
    return response.content.decode()


def test_the_preview_shows_what_would_be_created_and_creates_nothing(
    as_ben: Client, solve: Challenge
) -> None:
    html = looked_at(as_ben, lines(attempt("atlas", 1.0, None), attempt("borealis", 1.0)))
    text = words(html)
    assert "JSON lines: 2 attempts. Nothing has been saved yet." in text
    assert "atlas 1 2 1 pass_rate 0.500" in text
    assert "borealis 1 1 – pass_rate 1.000" in text
    assert "Submit 2 attempts" in text
    assert not Attempt.objects.exists()


def test_the_previewed_file_is_imported(as_ben: Client, solve: Challenge, ben: User) -> None:
    html = looked_at(as_ben, lines(attempt("atlas", 1.0), attempt("borealis", 1.0)))
    response = as_ben.post(PATH, hidden(html), follow=True)
    assert response.redirect_chain == [("/c/solve/", 302)]
    assert "2 attempts taken from the file." in words(response.content.decode())
    assert {each.participant.handle for each in Attempt.objects.all()} == {"atlas", "borealis"}
    assert {each.submitted_by for each in Attempt.objects.all()} == {ben}
    assert not list(Path(settings.MEDIA_ROOT, "previews").iterdir())


def test_attempts_of_files_count_for_the_throttle(
    as_ben: Client, solve: Challenge, settings: Any
) -> None:
    settings.THROTTLE_BULK = "2/day"
    for who in ("atlas", "boreas", "cirrus"):
        fields = hidden(looked_at(as_ben, lines(attempt(who, 1.0))))
        response = as_ben.post(PATH, fields)
        if who != "cirrus":
            assert response.status_code == 302
    assert (response.status_code, response.has_header("Retry-After")) == (429, True)
    assert "At most 2/day attempts are taken of one sender" in words(response.content.decode())
    assert solve.attempts.count() == 2


def test_a_single_imported_attempt_is_opened(as_ben: Client, solve: Challenge) -> None:
    html = looked_at(as_ben, lines(attempt("atlas", 1.0)))
    response = as_ben.post(PATH, hidden(html))
    assert response.headers["Location"] == f"/attempts/{Attempt.objects.get().pk}/"


def test_the_preview_shows_attempts_that_exist_already(as_ben: Client, solve: Challenge) -> None:
    file = [attempt("atlas", 1.0)]
    as_ben.post(PATH, hidden(looked_at(as_ben, lines(*file))))
    text = words(looked_at(as_ben, lines(*file)))
    assert "atlas here already" in text
    assert "Everything in it is here already." in text


def test_all_attempts_may_belong_to_one_participant(as_ben: Client, solve: Challenge) -> None:
    html = looked_at(as_ben, lines(attempt("atlas", 1.0)), participant="Borealis")
    as_ben.post(PATH, hidden(html))
    assert Attempt.objects.get().participant.handle == "Borealis"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"what is this", "results.jsonl: must be of a known format"),
        (b'{"participant": "a", "metrics": {"rating": 11}}', "rating"),
        (b"", "Must be a file that is not empty; got an empty one"),
    ],
)
def test_errors_of_a_file_are_shown(
    as_ben: Client, solve: Challenge, content: bytes, message: str
) -> None:
    file = SimpleUploadedFile("results.jsonl", content)
    response = as_ben.post(PATH, {"file": file})
    assert response.status_code == 422
    assert message.lower() in words(response.content.decode()).lower()
    assert 'id="id_file_file_error"' in response.content.decode()
    assert not Attempt.objects.exists()


def test_a_too_large_file_is_refused(
    as_ben: Client, solve: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(file_form, "MAX_FILE_BYTES", 2 << 20)
    file = SimpleUploadedFile("results.jsonl", b" " * ((2 << 20) + 1))
    response = as_ben.post(PATH, {"file": file})
    assert response.status_code == 422
    assert "Must have at most 2 MiB; got more." in response.content.decode()


def test_after_a_refused_name_the_file_can_be_previewed_again(
    as_ben: Client, as_zoe: Client, solve: Challenge
) -> None:
    as_zoe.post(PATH, hidden(looked_at(as_zoe, lines(attempt("zephyr", 1.0)))))
    file = lines(attempt("atlas", 0.0))
    response = as_ben.post(PATH, {"file": file, "participant": "zephyr"})
    html = response.content.decode()
    assert response.status_code == 422
    assert 'id="id_file_participant_error"' in html
    assert "results.jsonl is here: look at it again, or choose another file." in words(html)
    (again,) = re.findall(r'name="again" value="([^"]*)"', html)
    assert "required" not in re.findall('<input type="file"[^>]*>', html)[0]
    response = as_ben.post(PATH, {"again": again, "participant": "Borealis"})
    as_ben.post(PATH, hidden(response.content.decode()))
    assert Attempt.objects.filter(participant__handle="Borealis").count() == 1


def test_a_refused_file_must_be_chosen_again(as_ben: Client, solve: Challenge) -> None:
    response = as_ben.post(PATH, {"file": SimpleUploadedFile("results.jsonl", b"{")})
    assert 'name="again"' not in response.content.decode()


def test_htmx_gets_the_errors_of_a_file(as_ben: Client, solve: Challenge) -> None:
    """htmx replaces nothing unless the status is 200, and the browser would log an error."""
    file = SimpleUploadedFile("results.jsonl", b"{")
    response = as_ben.post(PATH, {"file": file}, headers={"HX-Request": "true"})
    assert response.status_code == 200
    assert 'id="id_file_file_error"' in response.content.decode()


def test_a_deleted_file_must_be_chosen_again(as_ben: Client, solve: Challenge) -> None:
    html = looked_at(as_ben, lines(attempt("atlas", 1.0)))
    for kept in Path(settings.MEDIA_ROOT, "previews").iterdir():
        kept.unlink()
    response = as_ben.post(PATH, hidden(html))
    assert response.status_code == 422
    assert "choose it again" in words(response.content.decode())


def test_the_upload_of_another_user_cannot_be_imported(
    as_ben: Client, as_zoe: Client, solve: Challenge
) -> None:
    html = looked_at(as_ben, lines(attempt("atlas", 1.0)))
    response = as_zoe.post(PATH, hidden(html))
    assert response.status_code == 422
    assert not Attempt.objects.exists()


def test_an_invented_name_opens_no_file(as_ben: Client, solve: Challenge) -> None:
    response = as_ben.post(PATH, {"kept": "../../secret_key", "participant": "", "format": ""})
    assert response.status_code == 422


def test_importing_needs_a_signed_in_user(client: Client, solve: Challenge) -> None:
    assert client.get(PATH).headers["Location"] == f"/sign-in/?next={PATH}"


def test_importing_has_its_own_page(as_ben: Client, solve: Challenge, ann: User) -> None:
    assert "From a result file" in words(get(as_ben, PATH))
    assert "From a result file" in words(get(as_ben, "/c/solve/submit/"))
    change_challenge(solve, user=ann, fields={"is_active": False})
    assert "takes no attempts any more" in words(get(as_ben, PATH))


TABLE = b"Model,Acc (%),Votes,Org\nAlpha,86.4,12,A\nBeta,71.2,7,B\n"


def posted(html: str, **changed: str) -> dict[str, Any]:
    """Return what the form below a table's preview would post, with some columns changed."""
    chosen = re.findall(r'<option value="([^"=]*)=([^"]*)" selected>', html)
    uses = {label: changed.get(label, use) for label, use in chosen}
    return {**hidden(html), "map": [f"{label}={use}" for label, use in uses.items()]}


def table() -> SimpleUploadedFile:
    return SimpleUploadedFile("table.csv", TABLE)


def test_the_preview_of_a_table_shows_the_uses_of_its_columns(
    as_ben: Client, solve: Challenge
) -> None:
    html = looked_at(as_ben, table())
    assert "is Table by columns: 2 attempts" in words(html)
    assert '<option value="Model=participant" selected>Participant</option>' in html
    assert '<option value="Acc (%)=value:Acc" selected>Value (Acc)</option>' in html
    assert '<option value="Org=ignore">Leave out</option>' in html
    assert "Alpha Acc (%) 86.4 reported" in words(html)


def test_the_uses_of_columns_can_be_changed_and_previewed_again(
    as_ben: Client, solve: Challenge
) -> None:
    form = posted(looked_at(as_ben, table()), Model="meta", Org="participant", Votes="ignore")
    response = as_ben.post(PATH, {**form, "again": form["kept"]})
    assert response.status_code == 200
    html = response.content.decode()
    assert '<option value="Org=participant" selected>' in html
    assert "A Acc (%) 86.4 reported" in words(html)
    assert not Attempt.objects.exists()
    as_ben.post(PATH, posted(html))
    assert {each.participant.handle for each in Attempt.objects.all()} == {"A", "B"}
    assert {tuple(each.values) for each in Attempt.objects.all()} == {("Acc",)}


def test_a_refused_table_can_be_mapped(as_ben: Client, solve: Challenge) -> None:
    file = SimpleUploadedFile("table.csv", b"acc,votes\n0.5,3\n0.25,2\n")
    response = as_ben.post(PATH, {"file": file, "format": "table"})
    html = response.content.decode()
    assert response.status_code == 422
    assert "ust say with COLUMN=participant which column" in words(html)
    (again,) = re.findall(r'name="again" value="([^"]*)"', html)
    entries = ["acc=value", "votes=participant"]
    response = as_ben.post(PATH, {"again": again, "map": entries, "format": "table"})
    assert response.status_code == 200
    assert "3 acc 0.5 reported" in words(response.content.decode())


def test_a_new_file_does_not_have_the_mapping_of_the_previous_one(
    as_ben: Client, solve: Challenge
) -> None:
    again = hidden(looked_at(as_ben, table()))["kept"]
    file = SimpleUploadedFile("other.csv", b"name,f1\nx,1\n")
    response = as_ben.post(PATH, {"again": again, "file": file, "map": ["Org=participant"]})
    assert response.status_code == 200
    assert "x f1 1 reported" in words(response.content.decode())


def test_an_organiser_may_show_the_values_on_the_board(as_ann: Client, solve: Challenge) -> None:
    html = looked_at(as_ann, table())
    assert "Show on the board: Acc (%), Votes" in words(html)
    as_ann.post(PATH, {**posted(html), "show_columns": "1"})
    solve.refresh_from_db()
    assert [(each["key"], each["label"]) for each in solve.columns] == [
        ("Acc", "Acc (%)"),
        ("Votes", "Votes"),
    ]


def test_only_organisers_may_change_the_board(as_ben: Client, solve: Challenge) -> None:
    assert "Show on the board" not in words(looked_at(as_ben, table()))


SAMPLES = b"model,question,correct\na,q1,1\na,q2,0\nb,q1,null\n"


@pytest.mark.parametrize(
    ("content", "taken"),
    [(TABLE, {}), (SAMPLES, {"a": 2, "b": 1}), (SAMPLES.replace(b"model", b"participant"), {})],
)
def test_a_file_is_read_once_for_its_preview_and_its_import(
    as_ben: Client,
    solve: Challenge,
    monkeypatch: pytest.MonkeyPatch,
    content: bytes,
    taken: dict[str, int],
) -> None:
    form = posted(looked_at(as_ben, SimpleUploadedFile("table.csv", content)))
    monkeypatch.setattr(importing, "read", _not_again)
    assert as_ben.post(PATH, form).status_code == 302
    counts = {each.participant.handle: each.sample_count for each in Attempt.objects.all()}
    assert counts
    assert counts.items() >= taken.items()


def _not_again(*args: Any, **options: Any) -> None:
    raise AssertionError("the file was read again")


def test_a_file_of_lines_is_read_once(
    as_ben: Client, solve: Challenge, monkeypatch: pytest.MonkeyPatch
) -> None:
    form = hidden(looked_at(as_ben, lines(attempt("atlas", 1.0, None))))
    monkeypatch.setattr(importing, "read", _not_again)
    assert as_ben.post(PATH, form).status_code == 302
    assert [each.rewards for each in Evidence.objects.get().read()] == [{"reward": 1.0}, None]


def test_a_file_is_read_again_for_another_participant(as_ben: Client, solve: Challenge) -> None:
    form = hidden(looked_at(as_ben, lines(attempt("atlas", 1.0))))
    as_ben.post(PATH, {**form, "participant": "Borealis"})
    assert Attempt.objects.get().participant.handle == "Borealis"
