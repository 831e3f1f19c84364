"""The storage and the names of second factors."""

from __future__ import annotations

import base64
import logging
import secrets
from hashlib import sha256

from allauth.mfa.adapter import DefaultMFAAdapter
from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

logger = logging.getLogger(__name__)


class SecondFactorAdapter(DefaultMFAAdapter):  # type: ignore[misc]
    """Encrypts the secrets of apps and of recovery codes with a key made of SECRET_KEY."""

    def encrypt(self, text: str) -> str:
        return _keys().encrypt(text.encode()).decode()

    def decrypt(self, encrypted_text: str) -> str:
        """The secret; after a change of SECRET_KEY, a random one, so that no code is correct.

        With an empty secret, anyone could compute valid codes.
        """
        try:
            return _keys().decrypt(encrypted_text.encode()).decode()
        except InvalidToken:
            logger.warning("a second factor was stored under another SECRET_KEY")
            return base64.b32encode(secrets.token_bytes(20)).decode()

    def _get_site_name(self) -> str:
        return str(settings.SITE_NAME)


def _keys() -> MultiFernet:
    secret_keys = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
    return MultiFernet([_key(str(secret_key)) for secret_key in secret_keys])


def _key(secret: str) -> Fernet:
    digest = sha256(b"podium second factors " + secret.encode()).digest()
    return Fernet(base64.urlsafe_b64encode(digest))
