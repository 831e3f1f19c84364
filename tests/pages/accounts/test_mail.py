"""The page on which people choose how they are told of what."""

from __future__ import annotations

import pytest
from django.test import Client

from leaderboard.models import User
from leaderboard.schemas.choices import NoticeKind
from tests.pages.reading import get

pytestmark = pytest.mark.django_db
PAGE = "/account/mail/"


def test_each_kind_of_notice_has_a_way(as_ben: Client, ben: User, client: Client) -> None:
    assert client.get(PAGE).status_code == 302
    assert get(as_ben, PAGE).count(" selected") == len(NoticeKind) + 1
    ways = dict.fromkeys(NoticeKind, "page") | {"ranks": "daily"}
    sent = {**ways, "time_zone": "Asia/Tokyo"}
    assert as_ben.post(PAGE, sent | {"held": "pigeon"}).status_code == 422
    assert as_ben.post(PAGE, sent | {"time_zone": "Mars"}).status_code == 422
    assert as_ben.post(PAGE, sent).status_code == 302
    ben.refresh_from_db()
    assert (ben.notice_ways, ben.time_zone) == (ways, "Asia/Tokyo")
