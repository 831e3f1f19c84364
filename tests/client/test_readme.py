"""The client against a live server: its README, and what it does not tell."""

from __future__ import annotations

import json
import re
import shlex
import stat
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Final

import pytest
from django.conf import LazySettings
from django.core.cache import cache
from podium import challenges, waiting
from podium.commands.challenge import TEMPLATES
from podium.config import config_path
from podium.folders import write_document
from pytest_django.live_server_helper import LiveServer

from leaderboard.models import Attempt, Challenge, ImportJob, Score, SubmittedFile, Tenant
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.imports import jobs
from leaderboard.services.scoring import single
from leaderboard.services.tokens import create_token
from tests.api.attempts.test_predictions import CHALLENGE, GOOD, TRUTH
from tests.client.conftest import Run
from tests.people import organiser_of

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.postgres]

README: Final = (Path(__file__).parents[2] / "client" / "README.md").read_text("utf-8")
FENCE: Final = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LOCAL: Final = "http://127.0.0.1:8000"


@pytest.fixture
def token(live_server: LiveServer, monkeypatch: pytest.MonkeyPatch) -> str:
    """A token of an organiser. Whoever waits for a score, lets it be computed."""
    cache.clear()
    clock = SimpleNamespace(monotonic=time.monotonic, sleep=lambda _: work())
    monkeypatch.setattr(waiting, "time", clock)
    tenant = Tenant.objects.create(slug="default", name="Default")
    scopes = ["read", "submit", "organise"]
    return create_token(user=organiser_of(tenant, "alice"), scopes=scopes, tenant=tenant)[1]


def work() -> None:
    """What a worker does: it reads a large file, else it scores attempts."""
    if unread := ImportJob.objects.to_do().first():
        jobs.work_on(unread.pk)
    else:
        single.score_waiting()


def test_the_readme_is_true(live_server: LiveServer, token: str, run: Run, folder: Path) -> None:
    for language, name, text in FENCE.findall(README):
        if name:
            (folder / name).write_text(text, "utf-8")
        elif language == "sh":
            for line in text.splitlines():
                command, *arguments = shlex.split(line.replace(LOCAL, live_server.url))
                assert command == "podium"
                run(*arguments, input=f"{token}\n")
        elif language == "python":
            exec(text, {})
    assert stat.S_IMODE(config_path().stat().st_mode) == 0o600
    assert Attempt.objects.count() == 2
    assert "The gate passes" in (folder / "report.md").read_text("utf-8")
    same = ["attempt.json", "-c", "exams", "-p", "atlas", "-m", "First try"]
    first = json.loads(run("submit", *same, "--json").stdout)
    again = json.loads(run("submit", *same, "--again", "--json").stdout)
    assert first[0]["id"] != again[0]["id"]
    assert Attempt.objects.count() == 3
    too_few = {"task_rewards": {"task-1": [0.0], "task-2": [0.0]}}
    (folder / "worse.json").write_text(json.dumps(too_few), "utf-8")
    gate = ["gate", "-c", "exams", "--candidate", "worse.json", "--baseline", "atlas"]
    run(*gate, code=4)
    run(*gate, "--unclear", "fail", code=1)
    wrong = run("submit", "-c", "exams", "-p", "atlas", "--fact", "rating=99", code=1)
    assert "metrics.rating" in wrong.stderr
    run("webhook", "listen", "-c", "exams", "--once")
    run("attempt", "019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e", code=1)


def test_a_push_does_not_overwrite_what_others_have_changed(
    live_server: LiveServer, token: str, run: Run, folder: Path
) -> None:
    run("login", live_server.url, "--token-stdin", input=token)
    run("challenge", "init", "cup", "--template", "class")
    run("challenge", "push", "cup")
    settings = folder / "cup" / "challenge.yaml"
    settings.write_text(f"# Ours.\n{settings.read_text()}".replace("One line", "A line"), "utf-8")
    changed = run("challenge", "diff", "cup", code=1)
    assert "+summary: A line for lists." in changed.stdout
    change_challenge(Challenge.objects.get(slug="cup"), user=None, fields={"goal": "Win."})
    run("challenge", "push", "cup", code=1)
    run("challenge", "pull", "cup")
    assert (folder / "cup" / "pages" / "goal.md").read_text() == "Win."
    run("challenge", "push", "cup")
    run("challenge", "diff", "cup")
    run("challenge", "clone", "cup", "other")
    assert (folder / "other" / "challenge.yaml").exists()
    settings.write_text(settings.read_text().replace("metric\n", "metrik\n"), "utf-8")
    assert "scoring_strategy" in run("challenge", "lint", "cup", code=1).stderr
    settings.write_text("slug: cup\nslug: cup\n", "utf-8")
    assert "line 2" in run("challenge", "lint", "cup", code=2).stderr


def test_templates_are_challenges_and_keep_their_comments(
    live_server: LiveServer, token: str, run: Run, folder: Path, settings: LazySettings
) -> None:
    settings.MEDIA_ROOT = folder / "media"
    run("login", live_server.url, "--token-stdin", input=token)
    for name in TEMPLATES:
        run("challenge", "init", name, "--template", name)
        before = (folder / name / "challenge.yaml").read_text("utf-8")
        run("challenge", "push", name)
        run("challenge", "diff", name)
        run("challenge", "pull", name)
        assert (folder / name / "challenge.yaml").read_text("utf-8") == before


def test_predictions_are_submitted_where_a_truth_is_held(
    live_server: LiveServer, token: str, run: Run, folder: Path, settings: LazySettings
) -> None:
    settings.MEDIA_ROOT = folder / "media"
    run("login", live_server.url, "--token-stdin", input=token)
    write_document(folder / "houses", "houses", CHALLENGE, {"files/truth/t.csv": TRUTH})
    run("challenge", "push", "houses")
    run("challenge", "diff", "houses")
    (folder / "p.csv").write_bytes(GOOD)
    submit = ["submit", "p.csv", "-c", "houses", "-p", "atlas", "--json"]
    (attempt,) = json.loads(run(*submit).stdout)
    assert json.loads(run(*submit).stdout)[0]["id"] == attempt["id"]
    assert attempt["status"] == "queued"
    assert SubmittedFile.objects.get().name == "p.csv"
    (folder / "p.csv").write_bytes(b"id\n1\n")
    assert "file" in run("check", "p.csv", "-c", "houses", "-p", "atlas", code=1).stderr
    run("export", "-c", "houses")
    unwritable = str(folder / "none" / "file")
    run("download", "board.csv", "-c", "houses", "-o", unwritable, code=2)
    written = run("download", "board.csv", "-c", "houses", "-o", "b.csv", "--json").stdout
    assert json.loads(written) == {"file": "b.csv", "bytes": (folder / "b.csv").stat().st_size}


def test_a_file_that_a_worker_reads_is_waited_for(
    live_server: LiveServer,
    token: str,
    run: Run,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(jobs, "MOST_AT_ONCE", 2)
    monkeypatch.setattr(challenges, "IDS_PER_REQUEST", 2)
    run("login", live_server.url, "--token-stdin", input=token)
    tenant, fields = Tenant.objects.get(), {"name": "Sprint", "scoring_strategy": "fastest"}
    create_challenge(tenant=tenant, user=None, fields=fields)
    table, submit = folder / "t.csv", ("submit", "t.csv", "-c", "sprint", "--wait")
    table.write_text("participant,elapsed_ms,succeeded\na,1,true\nb,2,true\nc,3,true\n")
    assert "elapsed_ms" in run("check", "t.csv", "-c", "sprint", "--json").stdout
    assert "phase" in run(*submit, "--phase", "none", code=1).stderr
    assert not Attempt.objects.exists()
    assert "to be read" in run(*submit, "--timeout", "0", code=5).stderr
    ranks = [attempt["rank"] for attempt in json.loads(run(*submit, "--json").stdout)]
    assert ranks == [1, 2, 3]
    assert Attempt.objects.count() == 3
    Score.objects.filter(attempt=Attempt.objects.earliest("pk")).update(error_code="timeout")
    assert "1 of 3 attempts" in run(*submit, code=4).stderr
