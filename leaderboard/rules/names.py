"""Names of participants: what is accepted, and when two are the same."""

from __future__ import annotations

import unicodedata

MAX_LENGTH = 120

_REFUSED = {
    "Cc": "control characters",
    "Cf": "invisible or direction-changing characters",
    "Cs": "lone surrogates",
    "Co": "private-use characters",
    "Cn": "unassigned characters",
    "Zl": "line separators",
    "Zp": "line separators",
}


def clean_name(text: str) -> str:
    """The name as stored: NFKC, single spaces, trimmed.

    Raises ValueError, fit for the user, when nothing is left, when it is longer than 120
    characters, or when it holds characters that cannot be seen or that change others.
    """
    for character in text:
        refused = _REFUSED.get(unicodedata.category(character))
        if refused:
            raise ValueError(f"must not hold {refused} (U+{ord(character):04X})")
    name = " ".join(unicodedata.normalize("NFKC", text).split())
    if not 1 <= len(name) <= MAX_LENGTH:
        raise ValueError(f"must have 1 to {MAX_LENGTH} characters")
    return name


def name_key(name: str) -> str:
    """Equal for names that differ only in case: what makes a name unique."""
    return unicodedata.normalize("NFKC", name.casefold())
