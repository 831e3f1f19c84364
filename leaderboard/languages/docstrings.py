"""What a docstring says first, for the reader."""

from __future__ import annotations

from leaderboard.languages.translation import translated
from leaderboard.rules.plugins.descriptions import known_text


def first_line(doc: str | None) -> str:
    """The first paragraph of a docstring, translated if it is that of a built-in plugin."""
    return translated(known_text(first_paragraph(doc)))


def first_paragraph(doc: str | None) -> str:
    """The first paragraph of a docstring, in English. The filter `plugin_text` shows it."""
    return " ".join((doc or "").strip().partition("\n\n")[0].split())
