"""The users of the pages, on a server whose mail can be read."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client

from tests.notifications import notifications
from tests.pages.conftest import ann, as_ann, as_ben, as_zoe, ben, make, submit, zoe
from tests.people import tenant

__all__ = [
    "ann",
    "as_ann",
    "as_ben",
    "as_zoe",
    "ben",
    "make",
    "notifications",
    "submit",
    "tenant",
    "zoe",
]

SignUp = Callable[..., Any]
NEW = "correct horse battery"


@pytest.fixture
def sends_mail(settings: Any) -> None:
    settings.SENDS_MAIL = True


@pytest.fixture
def is_open(settings: Any) -> None:
    settings.SIGN_UP = "open"


@pytest.fixture
def sign_up(client: Client) -> SignUp:
    """Post the sign-up form: `sign_up("eve", email="eve@example.org")` returns the answer."""

    def signed_up(username: str, *, email: str = "", password: str = NEW) -> Any:
        data = {"username": username, "email": email, "password1": password, "password2": password}
        return client.post("/sign-up/", data)

    return signed_up


def links_mailed() -> list[str]:
    """Return the paths of the links in the mails so far."""
    words = " ".join(str(message.body) for message in mail.outbox).split()
    return [word.removeprefix("http://testserver") for word in words if word.startswith("http")]
