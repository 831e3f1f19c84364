"""Signing in a program that has no browser, by a code that its user types into a page (RFC 8628).

A login is kept in the cache for some minutes, under hashes of its two codes, and holds no token:
the token is made when the program asks for it. So strangers fill no table, and nothing has to be
cleaned up. After a restart of the cache people begin again.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Sequence
from datetime import timedelta
from typing import Final, NamedTuple, TypedDict

from django.core.cache import cache

LIFETIME: Final = timedelta(minutes=15)
POLL_SECONDS: Final = 3
"""How long a program waits between two questions whether its user has agreed."""
LETTERS: Final = "BCDFGHJKLMNPQRSTVWXZ"
"""Of user codes: no vowels, so that no words come out, as RFC 8628 advises."""
LENGTH: Final = 8


class AgreedToken(TypedDict):
    """What the user has agreed to: the arguments of a token, with ids in place of rows."""

    user: int
    name: str
    scopes: list[str]
    tenant: int | None
    challenge: str | None
    participant: int | None
    days: int | None


class DeviceLogin(NamedTuple):
    """A program that asks for a token. name: what it calls itself. scopes: what it asks for."""

    name: str
    scopes: list[str]


class NewLogin(NamedTuple):
    """The codes of a new login: for the program, and for its user."""

    device_code: str
    user_code: str


def begin_login(name: str, scopes: Sequence[str]) -> NewLogin:
    """Keep that a program asks for a token."""
    device_code = secrets.token_urlsafe(32)
    letters = "".join(secrets.choice(LETTERS) for _ in range(LENGTH))
    asked = {"name": name, "scopes": list(scopes), "device": _hash(device_code)}
    cache.set(_asked_key(letters), asked, LIFETIME.total_seconds())
    cache.set(_state_key(_hash(device_code)), "pending", LIFETIME.total_seconds())
    return NewLogin(device_code, f"{letters[:4]}-{letters[4:]}")


def asked_login(user_code: str) -> DeviceLogin | None:
    """What the program with this code asks for; None for a wrong, used or expired code."""
    asked = cache.get(_asked_key(_letters(user_code)))
    return DeviceLogin(asked["name"], asked["scopes"]) if asked else None


def decide_login(user_code: str, agreed: AgreedToken | None) -> bool:
    """Keep what the user agrees to, or None for a refusal. False if the code has expired."""
    key = _asked_key(_letters(user_code))
    asked = cache.get(key)
    if not asked or not cache.delete(key):
        return False
    state = "denied" if agreed is None else dict(agreed)
    cache.set(_state_key(asked["device"]), state, LIFETIME.total_seconds())
    return True


def answer_of(device_code: str) -> AgreedToken | str:
    """What was agreed to, once; else `pending`, `denied` or `expired`."""
    key = _state_key(_hash(device_code))
    state = cache.get(key)
    if state == "pending":
        return "pending"
    if state is None or not cache.delete(key):
        return "expired"
    agreed: AgreedToken | str = state
    return agreed


def _letters(user_code: str) -> str:
    return "".join(letter for letter in user_code.upper() if letter in LETTERS)[:LENGTH]


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode()).hexdigest()


def _asked_key(letters: str) -> str:
    return f"device-asked:{_hash(letters)}"


def _state_key(device: str) -> str:
    return f"device-state:{device}"
