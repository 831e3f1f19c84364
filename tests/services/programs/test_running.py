"""Programs score the files of attempts: values, failures, lost workers, code before scoring."""

from __future__ import annotations

import io
import sys
from datetime import timedelta
from pathlib import Path
from threading import Semaphore
from zipfile import ZipFile, ZipInfo

import pytest
from django.conf import LazySettings
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from leaderboard.models import Attempt, Challenge, ChallengeFile, ProgramRun, Score, User
from leaderboard.sandbox import Failure
from leaderboard.services.accounts.erase import erase_account
from leaderboard.services.attempts.retry import retry_attempt
from leaderboard.services.attempts.submit import NewAttempt, SentFile, submit_attempt
from leaderboard.services.board.editions import accepts_now
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.store import storage
from leaderboard.services.programs import running
from leaderboard.services.programs.folders import delete_unused, programs_folder
from leaderboard.services.programs.reading import checked_program, read_program
from leaderboard.services.scoring import single
from tests.helpers.attempts import score_all
from tests.people import organiser_of, signed_in
from tests.programs import twins
from tests.services.conftest import Rows
from tests.services.programs.conftest import Role, Upload, stored, use_program
from tests.services.workers import lose_workers

linux = pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")
SQUARED = twins.KAGGLE | {"helper.py": "def squared(a, b):\n    return ((a - b) ** 2).mean()\n"}


@pytest.fixture
def kaggle(sprint: Challenge, alice: User) -> Challenge:
    truth = {"solution.csv": twins.SOLUTION}
    return use_program(
        sprint,
        alice,
        kind="kaggle",
        scoring=stored(sprint, Role.SCORING_PROGRAM, SQUARED),
        truth=stored(sprint, Role.TRUTH, truth),
        values={"result": "asc"},
        id_column="id",
        usage_column="Usage",
        settings={"power": 1},
    )


def test_the_values_of_a_program_rank(kaggle: Challenge, upload: Upload, rows: Rows) -> None:
    upload(kaggle, "atlas", {"p.csv": twins.SUBMISSION})
    upload(kaggle, "beta", {"p.csv": "id,y\n001,1\n002,2\n003,3\n004,0\n"})
    score_all()
    board = rows(kaggle)
    assert list(board) == ["beta", "atlas"]
    score = Score.objects.get(attempt__participant__slug="atlas")
    assert score.metric_values["result"]["value"] == pytest.approx((0.25 + 4) / 3)
    assert score.code != ""
    assert accepts_now(kaggle.newest)


def test_failures_tell_participants_what_the_platform_shows(
    kaggle: Challenge, upload: Upload
) -> None:
    texts = {
        "id,y\n001,-1\n002,2\n003,3\n004,0\n": "y must not be negative",
        "id,y\n001,1\n": "The id 002 is missing; 3 ids are.",
        "id,z\n001,1\n002,2\n003,3\n004,0\n": "The scoring program failed on this file.",
    }
    for number, text in enumerate(texts):
        upload(kaggle, f"team-{number}", {"p.csv": text})
    score_all()
    errors = Score.objects.order_by("attempt__submitted_at").values_list("error_message", flat=True)
    assert list(errors) == list(texts.values())
    hidden = Score.objects.get(error_message="The scoring program failed on this file.")
    assert "KeyError" in hidden.error_detail


def test_nobody_reports_a_value_of_the_program(kaggle: Challenge, alice: User) -> None:
    new = NewAttempt(participant="atlas", values={"result": 0.0})
    with pytest.raises(ServiceError, match="result"):
        submit_attempt(challenge=kaggle, user=alice, new=new)


def test_a_lost_run_is_repeated_once(
    kaggle: Challenge, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    attempt = upload(kaggle, "atlas", {"p.csv": twins.SUBMISSION})
    run = ProgramRun.objects

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("leaderboard.services.programs.running._Runner.score", killed)
        for tries in (1, 2):
            with pytest.raises(KeyboardInterrupt):
                single.score_waiting()
            assert run.get().tries == tries
            lose_workers()
    single.score_waiting()
    assert Score.objects.get().error_code == "worker_lost"
    retry_attempt(attempt)
    single.score_waiting()
    assert Score.objects.get().error_code == ""
    assert not run.get().was_repeated


def test_what_a_program_quotes_of_a_file_can_be_stored(
    kaggle: Challenge, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a\0b\udc80: left out"
    ended = running._Ended(Failure("exception", text, ""), notes=(text,))
    monkeypatch.setattr(running._Runner, "score", lambda *_: ended)
    upload(kaggle, "atlas", {"p.csv": twins.SUBMISSION})
    score_all()
    stored_text = "a\ufffdb?: left out"
    run = ProgramRun.objects.get()
    assert (run.notes, run.error_message) == ([stored_text], stored_text)
    assert Score.objects.get().error_message == stored_text


def test_programs_have_slots_of_their_own(
    kaggle: Challenge, upload: Upload, monkeypatch: pytest.MonkeyPatch
) -> None:
    upload(kaggle, "atlas", {"p.csv": twins.SUBMISSION})
    with monkeypatch.context() as patched:
        patched.setattr(single, "_program_slots", Semaphore(0))
        assert single.score_waiting() == 0
    single.score_short()
    assert not Score.objects.exists()
    assert single.score_next()
    assert Score.objects.exists()


@linux
def test_code_is_run_before_its_output_is_scored(
    sprint: Challenge,
    alice: User,
    upload: Upload,
    django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks,
) -> None:
    use_program(
        sprint,
        alice,
        kind="codabench",
        scoring=stored(sprint, Role.SCORING_PROGRAM, twins.CODALAB),
        truth=stored(sprint, Role.TRUTH, {"truth.txt": "a b x"}),
        ingestion=stored(sprint, Role.INGESTION_PROGRAM, twins.INGESTION),
        input=stored(sprint, Role.INPUT_DATA, {"x.txt": "A B C"}),
        values={"set1_score": "desc"},
    )
    code = "import pickle\ndef predict(x): return x.lower()"
    good = upload(sprint, "good", {"model.py": code, "a": ""})
    bad = upload(sprint, "bad", {"model.py": "print('hello')\nraise ValueError('mine')", "a": ""})
    score_all()
    value = Score.objects.get(attempt=good).metric_values["set1_score"]["value"]
    assert value == pytest.approx(2 / 3)
    assert ProgramRun.objects.get(attempt=good, step="ingestion").notes == ["model.py uses pickle"]
    logs = dict(ProgramRun.objects.filter(step="ingestion").values_list("attempt", "output"))
    assert logs[good.pk] == "predicted 3\n"
    assert logs[bad.pk].startswith("hello\n")
    assert Score.objects.get(attempt=bad).error_message == "The program stopped: ValueError: mine"
    stored_results = ProgramRun.objects.get(step="ingestion", attempt=good).path
    # Another scoring program scores what the code has written, without running the code again.
    other = twins.CODALAB | {"more.py": ""}
    digest = stored(sprint, Role.SCORING_PROGRAM, other)
    program = {**sprint.newest.program, "scoring": digest}
    change_challenge(sprint, user=alice, fields={"program": program})
    assert ProgramRun.objects.filter(step="ingestion", attempt=good).count() == 1
    with django_capture_on_commit_callbacks(execute=True):
        erase_account(alice)
    assert not ProgramRun.objects.exclude(output="", path="").exists()
    assert not storage().exists(stored_results)


def test_a_phase_has_a_program_of_its_own_and_data_keep_a_folder_that_it_names(
    sprint: Challenge, alice: User, upload: Upload
) -> None:
    def program(folder: str) -> dict[str, str]:
        source = f"""
import os, sys
path = os.path.join(sys.argv[1], "ref", "{folder}", "truth.txt")
with open(os.path.join(sys.argv[2], "scores.txt"), "w") as file:
    file.write("right: " + open(path).read())
"""
        return {"metadata": "command: python3 main.py $input $output", "main.py": source}

    named, plain = (
        stored(sprint, Role.SCORING_PROGRAM, program(folder)) for folder in ("words", ".")
    )
    use_program(
        sprint,
        alice,
        kind="codabench",
        scoring=named,
        truth=stored(sprint, Role.TRUTH, {"words/truth.txt": "1", "words/more.txt": ""}),
        values={"right": "desc"},
    )
    upload(sprint, "atlas", {"a": "x", "b": ""})
    score_all()
    (phase,) = sprint.phases.all()
    own = {**sprint.newest.program, "phases": {phase.slug: {"scoring": plain}}}
    change_challenge(sprint, user=alice, fields={"program": own})
    beta = upload(sprint, "beta", {"a": "x", "b": ""})
    score_all()
    runs = ProgramRun.objects.filter(attempt=beta)  # of both versions of the scoring
    assert [run.values for run in runs] == [{"right": 1.0}] * 2, [run.output for run in runs]
    assert len({run.code for run in runs}) == 2


def test_evalai_gets_the_zip_that_it_unpacks(
    sprint: Challenge, alice: User, upload: Upload
) -> None:
    source = """
import json, zipfile
def evaluate(annotations, submission, phase, **kwargs):
    named = [zipfile.ZipFile(path).namelist() for path in (annotations, submission)]
    return {"result": [{"dev": {"F1": float(named[0] == named[1])}}]}
"""
    files = {"a.json": "1", "b.json": "2"}
    use_program(
        sprint,
        alice,
        kind="evalai",
        scoring=stored(sprint, Role.SCORING_PROGRAM, {"main.py": source}),
        truth=stored(sprint, Role.TRUTH, files),
        values={"F1": "desc", "f1": "desc"},
    )
    attempt = upload(sprint, "atlas", files | {"a.json": "import pickle"})
    score_all()
    assert Score.objects.get().metric_values["F1"]["value"] == 1.0
    (note,) = ProgramRun.objects.get(attempt=attempt).notes
    assert note == "f1: no such number; the program returned F1"


def test_a_program_is_read_and_checked(kaggle: Challenge) -> None:
    program = kaggle.newest.scoring_program
    assert program is not None
    file = kaggle.files.get(sha256=program.scoring)
    reading = read_program(file)
    assert reading.contract.name == "kaggle"
    assert reading.packages == ()
    checked_program(kaggle, program)
    for changes, words in (
        ({"settings": {}}, "power"),
        ({"settings": {"power": 1, "other": 2}}, "other"),
        ({"truth": "0" * 64}, "truth"),
        ({"memory_mb": 60_000}, "limit of this server"),
    ):
        with pytest.raises(ServiceError, match=words):
            checked_program(kaggle, program.model_copy(update=changes))


def test_a_link_is_refused_before_it_costs_quota(kaggle: Challenge, alice: User) -> None:
    link = ZipInfo("p.csv")
    link.external_attr = 0o120777 << 16
    content = io.BytesIO()
    with ZipFile(content, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    with pytest.raises(ServiceError, match="links"):
        submit_attempt(
            challenge=kaggle,
            user=alice,
            new=NewAttempt(participant="atlas"),
            file=SentFile(content, "p.zip"),
        )
    assert not Attempt.objects.exists()


def test_digests_of_files_are_for_organisers(kaggle: Challenge, client: Client) -> None:
    page, program = f"/api/v1/challenges/{kaggle.slug}/", kaggle.newest.program
    visible_program = {"kind": "kaggle", "values": {"result": "asc"}}
    assert client.get(page).json()["program"] == visible_program
    organiser = signed_in(organiser_of(kaggle.tenant, "olga"))
    assert organiser.get(page).json()["program"] == program


def test_unpacked_files_are_deleted_once_no_challenge_has_them(
    kaggle: Challenge, upload: Upload, tmp_path: Path, settings: LazySettings
) -> None:
    settings.DATA_DIR = tmp_path
    upload(kaggle, "atlas", {"p.csv": twins.SUBMISSION})
    score_all()
    folders = programs_folder()
    (folders / "run-interrupted").mkdir()
    unpacked = len(list(folders.iterdir())) - 1
    assert unpacked == 2
    delete_unused(timezone.now() - timedelta(days=1))
    assert len(list(folders.iterdir())) == unpacked + 1
    delete_unused(timezone.now() + timedelta(days=1))
    assert len(list(folders.iterdir())) == unpacked
    ChallengeFile.objects.filter(role=Role.TRUTH).delete()
    delete_unused(timezone.now() + timedelta(days=1))
    assert len(list(folders.iterdir())) == unpacked - 1
