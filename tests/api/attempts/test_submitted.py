"""What participants submitted, as files for organisers."""

from __future__ import annotations

import csv
import io
import json
from zipfile import ZipFile

import pytest

from leaderboard.api.files.grades import INTERVAL
from leaderboard.models import Attempt, Challenge, User
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.certainty.computing import look_after_certainty
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.scoring.single import score_waiting
from tests.api.conftest import Api, refused
from tests.services.challenges.splitting import TASKS, rewards, split_challenge


@pytest.fixture
def verses(alice: User, bob: User, sprint: Challenge, organiser: Api, submitter: Api) -> Challenge:
    """Two attempts of outputs, and hidden references."""
    fields = {
        "name": "Verses",
        "scoring_strategy": "metric",
        "text_metrics": ["EXACT_MATCH"],
        "references_visibility": "organiser",
        "rank_by": [{"key": "EXACT_MATCH"}],
    }
    verses = create_challenge(tenant=sprint.tenant, user=alice, fields=fields)
    path = f"challenges/{verses.slug}"
    rows = [{"id": name, "input": "q", "expected-output": "x"} for name in ("one", "two")]
    sent = organiser.put(f"{path}/references/", rows)
    assert sent.status_code == 200
    for outputs in ({"one": "x", "two": "=y"}, {"one": "z"}):
        body = {"participant": "Atlas", "outputs": outputs}
        assert submitter.post(f"{path}/attempts/", body).status_code == 202
    score_waiting()
    return verses


def test_a_zip_of_everything_that_was_submitted(
    verses: Challenge, organiser: Api, submitter: Api, anyone: Api
) -> None:
    path = f"challenges/{verses.slug}/attempts.zip"
    refused(submitter.get(path), 403, "permission_denied")
    refused(organiser.get(f"{path}?phase=final"), 404, "not_found")
    archive = ZipFile(io.BytesIO(organiser.get(path).getvalue()))
    assert archive.testzip() is None
    lines = list(csv.DictReader(archive.read("attempts.csv").decode().splitlines()))
    assert [(line["participant"], line["members"], line["rank"]) for line in lines] == [
        ("Atlas", "bob", "1"),
        ("Atlas", "bob", ""),
    ]
    contents = []
    for line in lines:
        document = json.loads(archive.read(f"{line['folder']}/attempt.json"))
        assert (document["id"], document["members"], document["submitted_by"]) == (
            line["id"],
            ["bob"],
            "bob",
        )
        outputs = archive.read(f"{line['folder']}/outputs.jsonl").decode().splitlines()
        contents.append(
            [(instance["id"], instance["outputs"]) for instance in map(json.loads, outputs)]
        )
    assert contents == [[("one", ["x"]), ("two", ["=y"])], [("one", ["z"]), ("two", [])]]
    counting = ZipFile(io.BytesIO(organiser.get(f"{path}?counting=1&phase=main").getvalue()))
    assert len(counting.namelist()) == 3


def test_a_rank_comes_with_its_interval(organiser: Api) -> None:
    fields = {
        "slug": "exams",
        "name": "Exams",
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean", "name": "passed", "reward": "reward"}],
        "rank_by": [{"key": "passed"}],
    }
    assert organiser.post("challenges/", fields).status_code == 201
    for name, solved in (("ada", 7), ("bob", 6)):
        rewards = {f"t{at}": [float((at + len(name)) % 12 < solved)] for at in range(12)}
        body = {"participant": name, "task_rewards": rewards}
        assert organiser.post("challenges/exams/attempts/", body).status_code == 202
    score_waiting()
    look_after_certainty()
    rows = organiser.get("challenges/exams/leaderboard/").json()["rows"]
    archive = ZipFile(io.BytesIO(organiser.get("challenges/exams/attempts.zip").getvalue()))
    lines = list(csv.DictReader(archive.read("attempts.csv").decode().splitlines()))
    ends = {line["id"]: [int(line[name]) for name in INTERVAL] for line in lines}
    assert ends == {row["attempt"]: row["rank_interval"] for row in rows}
    assert [1, 2] in ends.values()


def test_outputs_of_one_attempt_are_for_those_who_see_them(
    verses: Challenge, alice: User, organiser: Api, submitter: Api, stranger: Api, anyone: Api
) -> None:
    attempt = verses.attempts.earliest("submitted_at")
    path = f"attempts/{attempt.pk}/outputs.jsonl"
    for api in (organiser, submitter):
        lines = api.get(path).getvalue().decode().splitlines()
        assert json.loads(lines[0]) == {"id": "one", "outputs": ["x"]}
    for api in (stranger, anyone):
        refused(api.get(path), 404, "not_found")
    change_challenge(verses, user=alice, fields={"references_visibility": "public"})
    assert anyone.get(path).status_code == 200


def test_samples_of_private_tasks_are_left_out_before_the_end(
    sprint: Challenge, bob: User, organiser: Api
) -> None:
    challenge = split_challenge(sprint.tenant)
    new = NewAttempt(participant="nova", task_rewards=rewards(TASKS[:2]))
    submit_attempt(challenge=challenge, user=bob, new=new)
    score_waiting()
    content = organiser.get(f"challenges/{challenge.slug}/attempts.zip").getvalue()
    archive = ZipFile(io.BytesIO(content))
    (name,) = (path for path in archive.namelist() if path.endswith("samples.jsonl"))
    lines = [json.loads(line) for line in archive.read(name).decode().splitlines()]
    assert [line["task"] for line in lines] == TASKS[:3]
    assert Attempt.objects.filter(challenge=challenge).count() == 1
