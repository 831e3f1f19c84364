"""Sentences of the rules are translated where services and pages pass them on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation

from leaderboard.models import Participant, Phase
from leaderboard.pages import labels
from leaderboard.pages.accounts.adapter import AccountAdapter
from leaderboard.rules.failures import FAILURE_CODES
from leaderboard.services.board.meta_query import meta_asked
from leaderboard.services.competition.grants import _until
from leaderboard.services.competition.names import rename
from leaderboard.services.competition.participant_rows import clean_display_name
from leaderboard.services.errors import ServiceError


@pytest.fixture(autouse=True)
def _translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put each translated template into brackets."""
    monkeypatch.setattr(
        translation._trans,  # type: ignore[attr-defined]
        "gettext",
        lambda text: f"[{text}]",
    )


@pytest.mark.parametrize(
    ("refuse", "said"),
    [
        (
            lambda: rename(Participant(), "a\u202eb"),
            "[must not hold invisible or direction-changing characters; got U+202E]",
        ),
        (
            lambda: rename(Participant(), "a" * 121),
            "[must have 1 to 120 characters; got 121]",
        ),
        (
            lambda: clean_display_name("\u0301a"),
            "[must not begin with a combining mark; got U+0301 (COMBINING ACUTE ACCENT)]",
        ),
        (
            lambda: clean_display_name("a\u2800"),
            "[must hold only characters that can be seen; got U+2800 (BRAILLE PATTERN BLANK)]",
        ),
        (
            lambda: _until("soon", Phase(time_zone="UTC")),
            "[must be a date and time, like 2026-11-20T08:00:00Z, or 2026-11-20T08:00 in the"
            ' phase\'s time_zone; got "soon"]',
        ),
        (lambda: meta_asked("{", []), "[must be JSON; got a syntax error: "),
    ],
)
def test_a_sentence_keeps_its_template(refuse: Callable[[], object], said: str) -> None:
    with pytest.raises(ServiceError) as refused:
        refuse()
    ((text,),) = refused.value.fields.values()
    assert text.startswith(said)


def test_a_refused_username_is_translated() -> None:
    with pytest.raises(ValidationError) as refused:
        AccountAdapter().clean_username("a\nb")
    assert refused.value.messages == ["[must not hold control characters; got U+000A]"]


def test_every_failure_has_a_sentence() -> None:
    assert all(str(labels.error(code)).endswith(".]") for code in (*FAILURE_CODES, "other"))
