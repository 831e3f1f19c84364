"""Signatures of Standard Webhooks 1.0: HMAC-SHA256 over `id.time.body`, with each valid secret."""

from __future__ import annotations

import base64
import hmac
import secrets
from collections.abc import Iterable
from typing import Final

PREFIX: Final = "whsec_"


def new_secret() -> str:
    return PREFIX + base64.b64encode(secrets.token_bytes(24)).decode()


def signature_headers(
    event_id: str, seconds: int, body: bytes, secret_texts: Iterable[str]
) -> dict[str, str]:
    """The headers of a message. seconds: the time of this try, since 1970."""
    signed = b"%b.%d.%b" % (event_id.encode(), seconds, body)
    signatures = (
        hmac.digest(base64.b64decode(secret.removeprefix(PREFIX)), signed, "sha256")
        for secret in secret_texts
    )
    return {
        "webhook-id": event_id,
        "webhook-timestamp": str(seconds),
        "webhook-signature": " ".join(
            f"v1,{base64.b64encode(signature).decode()}" for signature in signatures
        ),
    }
