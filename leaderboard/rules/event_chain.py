"""The hash chain of a challenge's log: what ties an event to all events before it.

`commitment` hides what an event says behind a `blind`; `next_link` ties it to the link before. So
the chain can be checked where the body of an event is withheld, and after its secret was erased.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from hashlib import blake2b, sha256
from typing import Final

from leaderboard.rules.json.values import JsonObject

FIRST_LINK: Final = bytes(32)
"""The link before the first event."""
BLIND_BYTES: Final = 32
SALT_BYTES: Final = 16
_ENCODER: Final = json.JSONEncoder(sort_keys=True, separators=(",", ":"), allow_nan=False)


def blind_of(salt: bytes, secret: str) -> bytes:
    """The blind of an event with a secret; that of an event without one is random."""
    return sha256(salt + secret.encode()).digest()


def commitment(blind: bytes, body: str) -> bytes:
    """What the chain holds of an event: SHA-256 of the 32 bytes of the blind, and the body."""
    return sha256(blind + body.encode()).digest()


def next_link(link: bytes, seq: int, at: str, kind: str, committed: bytes) -> bytes:
    """SHA-256 of the link before, the line `seq at kind` with its line feed, and the commitment."""
    return sha256(b"%b%d %b %b\n%b" % (link, seq, at.encode(), kind.encode(), committed)).digest()


def written_at(at: datetime) -> str:
    """A moment as the chain has it: in UTC, always with six digits of a second."""
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S.%f}Z"


def body_text(body: JsonObject) -> str:
    """The text of a body that is hashed and published: JSON in ASCII, names sorted, no spaces."""
    return _ENCODER.encode(body)


def alias(key: bytes, participant: int) -> str:
    """The id of a participant in the log of a challenge, which nothing else uses.

    key: the secret key of the log. Aliases of two challenges cannot be compared.
    """
    return blake2b(b"%d" % participant, key=key, digest_size=8).hexdigest()


def leaf(challenge: str, seq: int, link: bytes) -> str:
    """The line of a challenge in an anchor: SHA-256 of `challenge seq link`, all as texts.

    Who does not know the link cannot guess which challenge it is.
    """
    return sha256(f"{challenge} {seq} {link.hex()}".encode()).hexdigest()
