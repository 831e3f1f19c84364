"""Notices about changed code of a scorer, and the buttons that decide what happens."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import work_on
from tests.helpers.own_scorer import GIVES, own
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words
from tests.plugin_files import write

__all__ = ["own"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def challenge(own: Path, make: Make) -> Challenge:
    return make("Own", "custom", scoring_entrypoint="own.scorer:Gives")


@pytest.fixture
def holding(own: Path, make: Make) -> Challenge:
    return make("Own", "custom", scoring_entrypoint="own.scorer:Gives", on_code_change="hold")


def board(client: Client) -> str:
    return words(get(client, "/c/own/"))


def test_a_board_of_one_edition_has_no_notice(
    client: Client, as_ann: Client, challenge: Challenge, submit: Submit
) -> None:
    submit(challenge, "atlas")
    for reader in (client, as_ann):
        assert "edition" not in board(reader)
        assert "new code" not in board(reader)


def test_everyone_sees_two_editions_and_organisers_rescore_by_one_click(
    client: Client, as_ann: Client, as_ben: Client, challenge: Challenge, submit: Submit, own: Path
) -> None:
    submit(challenge, "atlas")
    write(own, GIVES.format(score=99.0))
    assert "is not the one" in board(as_ann)
    assert "edition" not in board(client)
    submit(challenge, "borea")
    for reader in (client, as_ben):
        assert "two editions" in board(reader)
        assert "Score everything again" not in board(reader)
    text = board(as_ann)
    assert "two editions" in text
    assert "Score everything again" in text
    codes = {score.code for attempt in Attempt.objects.all() for score in attempt.scores.all()}
    assert all(f"{code} : 1 score, since" in text for code in codes)
    response = as_ann.post("/c/own/code/", {"decision": "rescore"}, follow=True)
    assert "under version 2" in words(response.content.decode())
    work_on(Challenge.objects.get().newest.pk)
    for reader in (client, as_ann):
        assert "edition" not in board(reader)


def test_the_notice_has_the_number_of_editions(
    client: Client, challenge: Challenge, submit: Submit, own: Path
) -> None:
    for score in (10.0, 20.0, 30.0, 20.0):
        write(own, GIVES.format(score=score))
        submit(challenge, "atlas")
    assert "three editions" in board(client)


def test_a_held_attempt_and_its_board_have_a_notice(
    client: Client, as_ann: Client, holding: Challenge, submit: Submit, own: Path
) -> None:
    submit(holding, "atlas")
    write(own, GIVES.format(score=99.0))
    held = submit(holding, "borea")
    path = held.get_absolute_url()
    text = words(get(client, path))
    assert "Waiting for an organiser" in text
    assert "Decide on the board" not in text
    assert "Decide on the board" in words(get(as_ann, path))
    assert "your decision" in board(as_ann)
    text = board(client)
    assert "1 attempt waits" in text
    assert "your decision" not in text
    as_ann.post("/c/own/code/", {"decision": "go_on"})
    single.score_waiting()
    assert "waits" not in board(client)
    text = words(get(client, path))
    assert "Waiting for" not in text
    assert "edition 2 of 2" in text
    text = board(as_ann)
    assert "two editions" in text
    assert "Score everything again" in text
    assert 'value="go_on"' not in get(as_ann, "/c/own/")


def test_only_organisers_decide(
    client: Client, as_ben: Client, as_ann: Client, holding: Challenge, submit: Submit, own: Path
) -> None:
    submit(holding, "atlas")
    write(own, GIVES.format(score=99.0))
    held = submit(holding, "borea")
    assert as_ben.post("/c/own/code/", {"decision": "go_on"}).status_code == 404
    assert client.post("/c/own/code/", {"decision": "go_on"}).status_code == 302
    assert as_ann.post("/c/own/code/", {"decision": "no"}).status_code == 404
    assert as_ann.get("/c/own/code/").status_code == 405
    held.refresh_from_db()
    assert held.status == "held"


def test_unreadable_code_is_no_error(
    as_ann: Client, holding: Challenge, submit: Submit, own: Path
) -> None:
    submit(holding, "atlas")
    own.unlink()
    assert submit(holding, "borea").status == "held"
    text = board(as_ann)
    assert "cannot be read" in text
    assert "1 attempt waits" in text
    assert "Score everything again" not in text
    response = as_ann.post("/c/own/code/", {"decision": "go_on"}, follow=True)
    assert "no plugins" in words(response.content.decode())


def test_the_rules_describe_on_code_change(client: Client, holding: Challenge, own: Path) -> None:
    text = words(get(client, "/c/own/rules/"))
    assert holding.newest.code in text
    assert "organiser decides" in text


def test_the_versions_have_their_code_versions(
    client: Client, challenge: Challenge, submit: Submit, own: Path, as_ann: Client
) -> None:
    submit(challenge, "atlas")
    write(own, GIVES.format(score=99.0))
    as_ann.post("/c/own/code/", {"decision": "rescore"})
    first, second = challenge.configs.order_by("number")
    text = words(get(client, "/c/own/rules/"))
    assert f"Code of the scorer: {first.code} → {second.code}" in text


def test_a_challenge_without_plugins_has_no_code_version(
    client: Client, as_ann: Client, make: Make, submit: Submit
) -> None:
    submit(make("Sprint"), "atlas", elapsed_ms=2)
    text = words(get(as_ann, "/c/sprint/")).lower()
    for of_something_else in ("source code", "the code of a badge"):
        text = text.replace(of_something_else, "")
    assert "code" not in text
    assert "code changes" not in words(get(client, "/c/sprint/rules/"))
