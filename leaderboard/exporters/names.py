"""Names and numbers as several formats write them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from hashlib import sha256
from typing import Final
from uuid import UUID

HUGGING_FACE: Final = re.compile(r"^(?:https://huggingface\.co/datasets/)?([\w.-]+/[\w.-]+)/?$")


def path_part(*texts: str) -> str:
    """The first text with letters or digits of ASCII, as a part of a path."""
    parts = (re.sub(r"[^\w.-]+", "-", text, flags=re.ASCII).strip("-._") for text in texts)
    return next(filter(None, parts), "unknown")


def short_id(text: str) -> str:
    """An id of 24 characters, the same for the same text."""
    return sha256(text.encode()).hexdigest()[:24]


def random_looking_uuid(text: str) -> UUID:
    """The same UUID for the same text, with the bits of version 4, as validators want."""
    return UUID(bytes=sha256(text.encode()).digest()[:16], version=4)


def in_seconds(moment: datetime) -> str:
    """Whole seconds since 1970, as a text."""
    return str(int(moment.timestamp()))


def in_utc(moment: datetime) -> str:
    """`2026-11-28T10:00:00.000Z`."""
    return (
        moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.") + f"{moment.microsecond // 1000:03}Z"
    )


def hugging_face_dataset(dataset: str, address: str) -> str:
    """The repository `owner/name` of a data set on Hugging Face; "" for any other."""
    for text in (address, dataset):
        if match := HUGGING_FACE.match(text):
            return match[1]
    return ""
