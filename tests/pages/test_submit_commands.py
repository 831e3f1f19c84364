"""The commands on the page *Submit* work as they are copied."""

from __future__ import annotations

import json
import os
import re
import subprocess
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from leaderboard.models import ApiToken, Attempt, Challenge, Participant, User
from leaderboard.schemas.documents import parse_document
from leaderboard.services.challenges.references import store_references
from leaderboard.services.competition.participants.registration import register
from leaderboard.services.competition.participants.registration_rules import declare_rules
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get
from tests.people import signed_in

pytestmark = pytest.mark.django_db

CURL = 'curl() { printf "%s\\0" "$@" >> calls; printf "\\n\\0" >> calls; }\n'
"""Stands for curl: it writes down what the shell has made of the command."""
HELD: dict[str, Any] = {
    "instances": [
        {"id": key, "input": "q", "actual-output": "", "expected-output": "a"}
        for key in ("it's", "2")
    ],
    "metrics": [],
}


def calls_of(script: str, folder: Path) -> list[list[str]]:
    """The arguments of each curl in a script that a shell runs in the folder."""
    folder.mkdir(parents=True, exist_ok=True)
    shell = ["/bin/sh", "-eu", "-c", CURL + script]
    subprocess.run(shell, cwd=folder, env={"PATH": os.environ["PATH"]}, check=True)
    calls = (folder / "calls").read_text().split("\n\0")[:-1]
    return [call.split("\0")[:-1] for call in calls]


def sent(arguments: list[str], folder: Path) -> Any:
    """The answer to a curl with these arguments."""
    options: dict[str, list[str]] = {}
    addresses = []
    rest = iter(arguments)
    for argument in rest:
        if argument.startswith("-"):
            options.setdefault(argument, []).append(next(rest))
        else:
            addresses.append(argument)
    (address,) = addresses
    headers = dict(header.split(": ", 1) for header in options["-H"])
    kind = headers.pop("Content-Type", "")
    path = urlsplit(address).path
    client = Client(headers=headers)
    if files := options.get("-F"):
        form: dict[str, Any] = dict(pair.split("=", 1) for pair in options["--form-string"])
        for part in files:
            name, file = part.split("=@", 1)
            form[name] = SimpleUploadedFile(file, (folder / file).read_bytes())
        return client.post(path, form)
    if "-d" in options:
        (body,) = options["-d"]
        if body.startswith("@"):
            body = (folder / body[1:]).read_text()
        return client.post(path, body, content_type=kind)
    answer = client.get(path)
    (folder / options["-o"][0]).write_bytes(answer.content)
    return answer


def run_all(client: Client, challenge: Challenge, folder: Path) -> list[Attempt]:
    """Put a new token into the commands of the page, and run each of them; returns the attempts."""
    before = set(Attempt.objects.values_list("pk", flat=True))
    page = client.post(f"/c/{challenge.slug}/submit/token/").content.decode()
    scripts = re.findall(r"<code>(TOKEN=.*?)</code>", page, re.DOTALL)
    assert scripts
    for number, script in enumerate(scripts):
        at = folder / str(number)
        for arguments in calls_of(unescape(script), at):
            answer = sent(arguments, at)
            assert answer.status_code in (200, 202), answer.content
    made = list(Attempt.objects.exclude(pk__in=before).select_related("participant", "phase"))
    assert len(made) == len(scripts)
    return made


@pytest.fixture
def shapes(make: Make, ann: User) -> list[Challenge]:
    """Challenges of facts, of a long list of tasks, of documents, of outputs, and a private one."""
    tasks = [{"name": f"task-{number}"} for number in range(200)]
    ranked: dict[str, Any] = {"metrics": ["mean"], "rank_by": [{"key": "mean"}]}
    texts: dict[str, Any] = {"text_metrics": ["EXACT_MATCH"], "rank_by": [{"key": "EXACT_MATCH"}]}
    held = make("Held", "metric", **texts)
    store_references(held, user=ann, document=parse_document(HELD))
    held.refresh_from_db()
    return [
        make("Sprint"),
        make("Many", "metric", tasks=tasks, min_coverage=1.0, **ranked),
        make("Documents", "metric", **texts),
        held,
        make("Hidden", visibility="private"),
    ]


@pytest.mark.parametrize("name", ["ben", 'Team O\'Hara; "1" $HOME @x <y>', None])
def test_the_commands_run_as_they_are_copied(
    shapes: list[Challenge], ben: User, ann: User, submit: Submit, tmp_path: Path, name: str | None
) -> None:
    """For a newcomer, for somebody with a name of every quote, and for an organiser."""
    user = ben if name else ann
    for challenge in shapes:
        if name and name != "ben":
            if challenge.is_hidden:
                continue
            submit(challenge, name, scored=False)
        elif challenge.is_hidden and user != ann:
            continue
        for attempt in run_all(signed_in(user), challenge, tmp_path / challenge.slug):
            assert attempt.challenge == challenge
            assert attempt.participant.handle == (name or user.username)
    assert not ApiToken.objects.filter(challenge=None).exists(), "each is for one challenge"


def test_the_commands_name_the_phase_where_several_are_open(
    make: Make, as_ben: Client, tmp_path: Path
) -> None:
    texts: dict[str, Any] = {"text_metrics": ["EXACT_MATCH"], "rank_by": [{"key": "EXACT_MATCH"}]}
    for challenge in (make("Sprint"), make("Texts", "metric", **texts)):
        challenge.phases.create(slug="side", name="Side track", position=1, overlaps=True)
        made = run_all(as_ben, challenge, tmp_path / challenge.slug)
        assert {str(attempt.phase and attempt.phase.slug) for attempt in made} == {"main"}


def test_nobody_is_told_to_submit_under_the_name_of_others(
    make: Make, submit: Submit, zoe: User, tmp_path: Path
) -> None:
    """The username is taken, in another case, by a participant of ben."""
    sprint = make("Sprint")
    for taken in ("ZOE", "zoe-2"):
        submit(sprint, taken, scored=False)
    (attempt,) = run_all(signed_in(zoe), sprint, tmp_path)
    assert (attempt.participant.handle, attempt.participant.owner) == ("zoe-3", zoe)
    zoe.username = "eve@example.org"
    zoe.save()
    Participant.objects.filter(owner=zoe).delete()
    assert "eve@" not in get(signed_in(zoe), "/c/sprint/submit/").partition("curl ")[2]


def test_a_registered_team_is_the_default_everywhere(
    make: Make, ben: User, as_ben: Client, tmp_path: Path
) -> None:
    sprint = make("Sprint")
    submitted = {"metrics": {"succeeded": True, "elapsed_ms": 5}}
    token = as_ben.post("/c/sprint/submit/token/").content.decode()
    (text,) = set(re.findall(r"TOKEN=(\w+)", token))
    api = Client(headers={"Authorization": f"Bearer {text}"})
    path = "/api/v1/challenges/sprint/"

    def by_each_door() -> list[Any]:
        line = json.dumps(submitted)
        file = SimpleUploadedFile("a.jsonl", line.encode())
        return [
            api.post(f"{path}attempts/", submitted, content_type="application/json"),
            api.post(f"{path}attempts/bulk/", line, content_type="application/x-ndjson"),
            api.post(f"{path}imports/", {"file": file}),
        ]

    single, bulk, file = by_each_door()
    assert single.json()["error"]["fields"].keys() == {"participant"}
    assert (bulk.json()["accepted"], file.status_code) == (0, 400)
    declare_rules(sprint, {"mode": "open"})
    register(sprint, ben, {"participant": "Roses"})
    single, bulk, file = by_each_door()
    assert (single.status_code, bulk.json()["accepted"], file.status_code) == (202, 1, 202)
    assert {attempt.participant.handle for attempt in Attempt.objects.all()} == {"Roses"}
    assert 'value="Roses"' in get(as_ben, "/c/sprint/submit/")
