"""The page on which people choose how they are told of what."""

from __future__ import annotations

import pytest
from django.test import Client
from django.utils import timezone

from leaderboard.models import Notice, User
from leaderboard.schemas.choices import NoticeKind, NoticeWay
from tests.pages.conftest import Make
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


def test_a_challenge_can_be_muted(as_ben: Client, ben: User, make: Make) -> None:
    challenge = make("Loud")
    sent = dict.fromkeys(NoticeKind, "now") | {"time_zone": "UTC", "muted": challenge.pk.hex}
    assert as_ben.post(PAGE, sent).status_code == 302  # nothing was told of it: it is not offered
    ben.refresh_from_db()
    assert ben.way_of(NoticeKind.DATES, challenge.pk) is NoticeWay.NOW
    notice = Notice.objects.create(
        user=ben, challenge=challenge, key="k", kind="dates", what="moved", mail_at=timezone.now()
    )
    assert as_ben.post(PAGE, sent).status_code == 302
    ben.refresh_from_db()
    notice.refresh_from_db()
    assert (ben.way_of(NoticeKind.DATES, challenge.pk), notice.mail_at) == (NoticeWay.OFF, None)
    notice.delete()
    assert "checked" in get(as_ben, PAGE)
    assert as_ben.post(PAGE, sent | {"muted": []}).status_code == 302
    ben.refresh_from_db()
    assert ben.way_of(NoticeKind.DATES, challenge.pk) is NoticeWay.NOW
