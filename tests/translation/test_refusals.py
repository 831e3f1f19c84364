"""Sentences of the rules are translated where services and pages pass them on."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.utils import translation

from leaderboard.models import Participant, Phase
from leaderboard.pages.accounts.adapter import AccountAdapter
from leaderboard.pages.labels import row_labels
from leaderboard.rules.failures import FAILURE_CODES
from leaderboard.services.board.reading.meta_query import meta_asked
from leaderboard.services.competition.participants.names import rename
from leaderboard.services.competition.participants.participant_batch import clean_display_name
from leaderboard.services.competition.quotas.grants import _until
from leaderboard.services.errors import ServiceError


@pytest.fixture(autouse=True)
def _translated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Put each translated template into brackets."""
    monkeypatch.setattr(
        translation._trans,  # type: ignore[attr-defined]
        "gettext",
        lambda text: f"[{text}]",
    )


def test_a_sentence_keeps_its_template() -> None:
    refusals: list[tuple[Callable[[], object], str]] = [
        (lambda: rename(Participant(), "a\u202eb"), "got U+202E]"),
        (lambda: rename(Participant(), "a" * 121), "got 121]"),
        (lambda: clean_display_name("\u0301a"), "got U+0301 (COMBINING ACUTE ACCENT)]"),
        (lambda: clean_display_name("a\u2800"), "got U+2800 (BRAILLE PATTERN BLANK)]"),
        (lambda: _until("soon", Phase(time_zone="UTC")), 'got "soon"]'),
        (lambda: meta_asked("{", []), "JSON; got a syntax error: "),
    ]
    for refuse, ending in refusals:
        with pytest.raises(ServiceError) as refused:
            refuse()
        ((text,),) = refused.value.fields.values()
        assert text.startswith("[must "), ending
        assert ending in text


def test_a_refused_username_is_translated() -> None:
    with pytest.raises(ValidationError) as refused:
        AccountAdapter().clean_username("a\nb")
    (text,) = refused.value.messages
    assert text.startswith("[must ")
    assert text.endswith("got U+000A]")


def test_every_failure_has_a_sentence() -> None:
    assert all(str(row_labels.error(code)).endswith(".]") for code in (*FAILURE_CODES, "other"))
