"""How a test comes in from an OpenID Connect provider, which runs beside it."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import requests
from allauth.socialaccount.models import SocialAccount
from django.test import Client

from leaderboard.models import User
from tests.helpers.openid import Provider, running_provider

START = "/sign-in/with/uni/"
EVE = {
    "sub": "4711",
    "preferred_username": "eve",
    "given_name": "Eve",
    "family_name": "Example",
    "email": "eve@example.org",
    "email_verified": True,
}
Come = Callable[..., Any]


@pytest.fixture(scope="module")
def server() -> Iterator[Provider]:
    with running_provider() as provider:
        yield provider


@pytest.fixture
def provider(server: Provider, settings: Any) -> Provider:
    """The provider as it is at first, and the only one of the setting."""
    fresh = Provider(server.server_url, person=dict(EVE))
    vars(server).update(vars(fresh))
    settings.OPENID_CONNECT = (server.configured(),)
    return server


@pytest.fixture
def come(provider: Provider) -> Come:
    """Press a button, sign in at the provider, and come back: returns the answer to that."""

    def came(client: Client, start: str = START, **form: str) -> Any:
        return client.get(back_at(client, start, **form))

    return came


def back_at(client: Client, start: str = START, **form: str) -> str:
    """The address to which the provider sends a person who has pressed a button."""
    page = client.post(start, form)
    assert page.status_code == 200, page.headers.get("Location")
    refresh = re.search(r'http-equiv="refresh" content="0;url=([^"]+)"', page.content.decode())
    assert refresh is not None
    answer = requests.get(html.unescape(refresh[1]), allow_redirects=False, timeout=60)
    answer = requests.get(
        f"{refresh[1].split('/realm')[0]}{answer.headers['Location']}",
        allow_redirects=False,
        timeout=60,
    )
    return answer.headers["Location"].removeprefix("http://testserver")


def connected(user: User, subject: str = "4711") -> SocialAccount:
    return SocialAccount.objects.create(user=user, provider="uni", uid=subject)
