"""The page of an attempt has a button for each thing that its reader may do with it."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Attempt, User
from leaderboard.services.scoring import single
from tests.helpers.attempts import attempt_of
from tests.pages.conftest import Make
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


@pytest.fixture
def attempt(make: Make, ben: User) -> Attempt:
    """An attempt of ben that waits to be scored."""
    return attempt_of(ben, make("Sprint"), "boreas", metrics={"succeeded": True, "elapsed_ms": 5})


def page(client: Client, attempt: Attempt) -> str:
    return words(get(client, attempt.get_absolute_url()))


def press(client: Client, attempt: Attempt, action: str, **given: str) -> Any:
    return client.post(f"{attempt.get_absolute_url()}{action}/", given, follow=True)


def answered(client: Client, attempt: Attempt, action: str, **given: str) -> str:
    return words(press(client, attempt, action, **given).content.decode())


def test_a_participant_cancels_an_attempt(client: Client, attempt: Attempt, as_ben: Client) -> None:
    assert "Cancel this attempt" in page(as_ben, attempt)
    assert "Cancel this attempt" not in page(client, attempt)
    text = answered(as_ben, attempt, "cancel")
    assert "Withdrawn on" in text
    assert "Cancel this attempt" not in text


def test_a_participant_withdraws_an_attempt(attempt: Attempt, as_ben: Client) -> None:
    single.score_attempt(attempt.pk)
    assert "Withdraw this attempt" in page(as_ben, attempt)
    text = answered(as_ben, attempt, "withdraw", reason="a mistake")
    assert "Withdraw this attempt" not in text
    assert ": a mistake" in text


def test_an_organiser_restores_an_attempt(attempt: Attempt, as_ann: Client) -> None:
    single.score_attempt(attempt.pk)
    assert "say why" in answered(as_ann, attempt, "withdraw")
    press(as_ann, attempt, "withdraw", reason="copied")
    assert "Restore this attempt" in page(as_ann, attempt)
    assert "Withdraw this attempt" in answered(as_ann, attempt, "restore")
    assert "can be tried again" in answered(as_ann, attempt, "retry")


def test_others_change_no_attempt(client: Client, attempt: Attempt, as_zoe: Client) -> None:
    assert "Only its participant" in answered(as_zoe, attempt, "cancel")
    assert press(client, attempt, "cancel").redirect_chain[0][0].startswith("/sign-in/")
    attempt.refresh_from_db()
    assert attempt.status == "queued"
