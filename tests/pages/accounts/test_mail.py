"""The page on which people switch kinds of mail off."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import User
from tests.pages.reading import get

pytestmark = pytest.mark.django_db
PAGE = "/account/mail/"


def test_kinds_of_mail_are_switched_off_and_on(as_ben: Client, ben: User, client: Client) -> None:
    assert client.get(PAGE).status_code == 302
    assert get(as_ben, PAGE).count(" checked") == 3
    assert as_ben.post(PAGE, {"wanted": ["dates"]}).status_code == 302
    ben.refresh_from_db()
    assert ben.mail_off == ["decisions", "waiting"]
    assert get(as_ben, PAGE).count(" checked") == 1
    assert as_ben.post(PAGE, {"wanted": ["letters"]}).status_code == 422
    as_ben.post(PAGE, {"wanted": ["decisions", "dates", "waiting"]})
    ben.refresh_from_db()
    assert ben.mail_off == []
