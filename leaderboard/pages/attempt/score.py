"""How an attempt came to its score: bars of its terms, times, and scores of other versions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.languages.translation import number_text
from leaderboard.pages.charts.waterfall import Steps, waterfall
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.score_terms import Term, added, signed_text, terms
from leaderboard.services.attempts.read import WAITING, Reading
from leaderboard.services.attempts.reading import ReadScore


class ScoreTerms(NamedTuple):
    """The terms of a score. steps: their bars, None if they do not add up to the score.

    lines: each term with its bar. clamp: by how much the limits of scores changed the sum, or "".
    """

    lines: list[tuple[Term, str]]
    steps: Steps | None
    clamp: str


@dataclass(frozen=True, slots=True)
class VersionScore:
    """The score under a scoring version. change: since the version before, or "".

    is_read: whether the page is about this one.
    """

    number: int
    text: str
    error: str
    change: str
    at: datetime
    is_read: bool


def score_terms(reading: Reading) -> ScoreTerms | None:
    """The terms of a score; None if it has none, or if they are hidden from the reader."""
    score = reading.score
    if score is None or not reading.details_open or not score.details:
        return None
    named = terms(score.details, score.raw_value)
    amounts = added(score.details, score.raw_value)
    if not amounts or score.raw_value is None or score.value is None:
        return ScoreTerms([(term, "") for term in named], None, "")
    steps = waterfall(list(amounts.values()), score.raw_value, score.value)
    bars = dict(zip(amounts, steps.terms, strict=True))
    lines = [(term, bars.get(key, "")) for key, term in zip(score.details, named, strict=True)]
    clamp = signed_text(score.value - score.raw_value) if steps.clamp else ""
    return ScoreTerms(lines, steps, clamp)


def times(reading: Reading) -> Iterator[tuple[str, str]]:
    """How long an attempt waited and ran: labels and values; nothing while it waits.

    Nothing either while the results on some tasks are private: these took time as well.
    """
    attempt, score = reading.attempt, reading.score
    if attempt.status in WAITING or score is None or attempt.finished_at is None:
        return
    if attempt.challenge.shown.shows(attempt.phase_id) is not None:
        return
    whole = max(0.0, (attempt.finished_at - attempt.queued_at).total_seconds())
    if attempt.instance_count is not None:
        yield _("Waited and evaluated"), spent(whole)
        return
    ran = score.duration_ms / 1000
    if score.config_id == attempt.scoring_config_id:
        yield _("Waited"), spent(max(0.0, whole - ran))
    yield _("Scored in"), spent(ran)


def spent(seconds: float) -> str:
    """A short time: `34 ms`, `5.2 s`, `3 minutes`."""
    if seconds < 0.001:
        return _("less than 1 ms")
    if seconds < 1.0:
        return _("{number} ms").format(number=number_text(f"{1000 * seconds:.0f}"))
    if seconds < 120.0:
        return _("{number} s").format(number=number_text(f"{seconds:.1f}"))
    return row_labels.duration(seconds)


def version_scores(reading: Reading, other_scores: Sequence[ReadScore]) -> list[VersionScore]:
    """The scores under all versions, the newest first; none if there is only one."""
    score = reading.score
    if score is None or not other_scores:
        return []
    lines = []
    before: ReadScore | None = None
    for scored in sorted([score, *other_scores], key=lambda scored: scored.config.number):
        lines.append(_version(scored, before, is_read=scored.pk == score.pk))
        before = scored
    return lines[::-1]


def _version(score: ReadScore, before: ReadScore | None, *, is_read: bool) -> VersionScore:
    change = ""
    if before is not None and score.value is not None and before.value is not None:
        same = score.value == before.value
        change = _("unchanged") if same else signed_text(score.value - before.value)
    error = row_labels.error(score.error_code) if score.error_code else ""
    text = row_labels.number(score.value)
    return VersionScore(score.config.number, text, error, change, score.created_at, is_read)
