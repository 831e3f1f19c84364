"""The family of an attempt: the system of which it is one configuration."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

FAMILY: Final = "family"
"""The name of the family in the meta of an attempt."""
LONGEST: Final = 120


def family_of(meta: Mapping[str, str]) -> str:
    """The family that an attempt names, "" for none."""
    return family_name(meta.get(FAMILY))


def family_name(text: str | None) -> str:
    """The name of a family as rows have it: without space at its ends, and not too long."""
    return (text or "").strip()[:LONGEST].rstrip()
