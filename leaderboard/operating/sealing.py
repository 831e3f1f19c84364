"""Encrypts secrets that the server has to read again, with a key made of SECRET_KEY."""

from __future__ import annotations

import base64
from hashlib import sha256

from cryptography.fernet import Fernet, MultiFernet
from django.conf import settings


def sealed(text: str, purpose: str) -> str:
    """The text, encrypted. purpose: what kind of secret it is; each kind has a key of its own."""
    return _keys(purpose).encrypt(text.encode()).decode()


def unsealed(encrypted_text: str, purpose: str, *, seconds: int | None = None) -> str:
    """The text. Raises `cryptography.fernet.InvalidToken` after a change of SECRET_KEY.

    seconds: how old it may be; after that it is not valid either.
    """
    return _keys(purpose).decrypt(encrypted_text.encode(), ttl=seconds).decode()


def _keys(purpose: str) -> MultiFernet:
    secret_keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([_key(str(secret_key), purpose) for secret_key in secret_keys])


def _key(secret: str, purpose: str) -> Fernet:
    digest = sha256(f"podium {purpose} {secret}".encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
