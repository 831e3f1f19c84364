"""Names of other platforms as Podium's: slugs of phases, names of values."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 80


def phase_slug(name: str, number: int, taken: list[str]) -> str:
    """A slug for a phase that no other has; it is added to those that are taken."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = (
        re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[: LONGEST - 5].strip("-") or f"phase-{number}"
    )
    while slug in taken:
        number += 1
        slug = f"{slug}-{number}"
    taken.append(slug)
    return slug


def phase_name(given: str, number: int) -> str:
    """The name of a phase that a configuration gives, else one with its number."""
    return given or f"Phase {number}"
