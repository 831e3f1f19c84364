"""What the pages say about an account and its sessions."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.totp.internal.auth import TOTP, generate_totp_secret
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from leaderboard.models import User
from leaderboard.schemas.openid_providers import parse_providers
from tests.pages.reading import get

pytestmark = pytest.mark.django_db

PROVIDERS = json.dumps(
    [
        {
            "id": "uni",
            "name": "University",
            "server_url": "https://login.example.org",
            "client_id": "podium",
            "client_secret": "secret",
        }
    ]
)


class TestOverview:
    def listed(self, client: Client) -> list[tuple[str, str]]:
        page = get(client, "/account/")
        row = r'<li><a href="/account/[^"]+"><span>(.+?)</span> <span class="faint">(.+?)</span>'
        return re.findall(row, page)

    def test_a_new_account_has_little_to_show(self, as_ben: Client) -> None:
        assert self.listed(as_ben)[:5] == [
            ("Name", "not given"),
            ("E-mail address", "none"),
            ("Notices", "what, and how"),
            ("Password", "chosen"),
            ("Second factor", "off"),
        ]

    def test_an_account_with_everything_shows_it(
        self, as_ben: Client, ben: User, settings: Any
    ) -> None:
        settings.OPENID_CONNECT = parse_providers(PROVIDERS)
        ben.first_name = "Ben"
        ben.set_unusable_password()
        ben.save()
        as_ben.force_login(ben)
        EmailAddress.objects.create(user=ben, email="ben@example.org", primary=True)
        TOTP.activate(ben, generate_totp_secret())
        SocialAccount.objects.create(user=ben, provider="uni", uid="1")
        rows = dict(self.listed(as_ben))
        assert rows.pop("E-mail address").startswith("ben@example.org, not")
        assert rows.pop("Sessions")
        assert rows == {
            "Name": "Ben",
            "Notices": "what, and how",
            "Password": "none yet",
            "Second factor": "on",
            "Connected accounts": "University",
        }


def test_a_session_has_the_name_of_its_browser(as_ben: Client) -> None:
    for user_agent, name in (
        ("Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0", "Firefox on Linux"),
        ("robot/1", "robot"),
    ):
        page = as_ben.get("/account/sessions/", headers={"user-agent": user_agent})
        assert f"<strong>{name}" in page.content.decode()
