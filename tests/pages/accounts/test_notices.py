"""The bell, the page of notices, and the link that ends mail."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client

from leaderboard.models import Challenge, Notice, User
from leaderboard.services.competition.mail.outbox import unsubscribe_path
from tests.pages.conftest import Make
from tests.pages.reading import get

pytestmark = pytest.mark.django_db


def notice_for(user: User, challenge: Challenge, number: int) -> Notice:
    body = {"title": f"<b>News</b> {number}"}
    about = {"key": str(number), "kind": "announcements", "what": "announced", "body": body}
    return Notice.objects.create(user=user, challenge=challenge, **about)


def test_the_bell_counts_what_is_unread(
    client: Client, as_ben: Client, as_zoe: Client, make: Make, ben: User
) -> None:
    challenge = make("Sprint")
    first, _ = notice_for(ben, challenge, 1), notice_for(ben, challenge, 2)
    assert 'class="bell' not in get(client, "/c/sprint/")
    assert ">2<" in get(as_ben, "/c/sprint/").split('class="bell unread"')[1][:900]
    assert 'class="bell unread"' not in get(as_zoe, "/c/sprint/")
    page = get(as_ben, "/notices/")
    assert "&lt;b&gt;News&lt;/b&gt; 1" in page
    assert "News" not in get(as_zoe, "/notices/")
    assert as_zoe.get(f"/notices/{first.pk}/").status_code == 404
    answer = as_ben.get(f"/notices/{first.pk}/")
    assert answer["Location"] == "/c/sprint/announcements/"
    assert list(Notice.objects.filter(read_at=None).values_list("key", flat=True)) == ["2"]
    assert as_ben.post("/notices/").status_code == 302
    assert 'class="bell unread"' not in get(as_ben, "/c/sprint/")
    assert client.get("/notices/").status_code == 302


def test_a_link_of_a_mail_asks_and_one_click_ends_it(ben: User) -> None:
    anyone = Client(enforce_csrf_checks=True)
    path = unsubscribe_path(ben.pk, "all")
    assert anyone.get(path).status_code == 200
    ben.refresh_from_db()
    assert ben.notice_ways == {}
    assert anyone.post(path, {"List-Unsubscribe": "One-Click"}).status_code == 200
    ben.refresh_from_db()
    assert {*ben.notice_ways.values()} == {"page"}
    assert anyone.post("/notices/off/forged/").status_code == 404
    cache.clear()
