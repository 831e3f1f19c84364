"""Signing up, and the mail about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from django.core import mail
from django.test import Client

SignUp = Callable[..., Any]
NEW = "correct horse battery"


@pytest.fixture
def is_open(settings: Any) -> None:
    settings.SIGN_UP = "open"


@pytest.fixture
def sign_up(client: Client) -> SignUp:
    """Post the sign-up form: `sign_up("eve", email="eve@example.org")` returns the answer."""

    def signed_up(username: str, *, email: str = "", password: str = NEW) -> Any:
        form = {"username": username, "email": email, "password1": password, "password2": password}
        return client.post("/sign-up/", form)

    return signed_up


def is_in(client: Client) -> bool:
    """Whether the client is signed in."""
    return client.get("/account/").status_code == 200


def links_mailed() -> list[str]:
    """Return the paths of the links in the mails so far."""
    words = " ".join(str(message.body) for message in mail.outbox).split()
    return [word.removeprefix("http://testserver") for word in words if word.startswith("http")]
