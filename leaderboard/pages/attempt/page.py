"""`/attempts/{id}/`: one attempt, with every term of its score."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from uuid import UUID

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from leaderboard.columns import Column, get_column
from leaderboard.facts import Fact, facts_on_pages
from leaderboard.languages.translation import count_text, translated
from leaderboard.models import Attempt, Evidence
from leaderboard.pages.attempt.admission import admission_of
from leaderboard.pages.attempt.evaluation import evaluation_of
from leaderboard.pages.attempt.evidence import readable_evidence
from leaderboard.pages.attempt.queue_place import queue_place
from leaderboard.pages.attempt.rows import rows_of
from leaderboard.pages.attempt.score import score_terms, times, version_scores
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.visibility import improvement_rule
from leaderboard.pages.participants.page import states_of, values_of
from leaderboard.pages.shared.access import (
    attempt_or_404,
    board_for,
    is_organiser,
    is_reviewer,
    signed_in,
)
from leaderboard.pages.tables.board_table import TableCell, cells, lines
from leaderboard.pages.tables.cell_texts import texts_of
from leaderboard.pages.tables.evidence_links import links_by_task, links_in
from leaderboard.pages.tables.meta import whole_meta
from leaderboard.pages.tables.metric_table import metric_lines
from leaderboard.pages.tables.next_rank import next_rank
from leaderboard.pages.tables.row_marks import verified_text
from leaderboard.pages.tables.tasks import task_table
from leaderboard.pages.tables.verdict import uncertain_lead, with_certainty
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.rules.visibility.meta_values import fields_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.attempts.program_logs import readable_runs
from leaderboard.services.attempts.read import WAITING, Reading, other_scores, read_attempts
from leaderboard.services.attempts.reading import ReadScore
from leaderboard.services.board.boards import board_of_attempt
from leaderboard.services.board.reading import ranking
from leaderboard.services.challenges.code_changes import HELD, visible_editions
from leaderboard.services.competition.organisers.marks import annotations_of
from leaderboard.services.competition.schedule.choosing import choice_of
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import certainty_of
from leaderboard.services.scoring.attempt_actions import allowed_actions
from leaderboard.services.scoring.queue_position import place_of


@dataclass(frozen=True, slots=True)
class ShownFileMetric:
    """A metric's value in an imported file, and the value that a metric here computes.

    differs: None if no metric here should equal it.
    """

    name: str
    stated: str
    ours: str
    differs: bool | None


@require_safe
@cache_control(private=True, no_cache=True)
def attempt_page(request: HttpRequest, pk: UUID) -> HttpResponse:
    stored = attempt_or_404(request, pk)
    challenge = stored.challenge
    organiser, changes = is_reviewer(request, challenge), is_organiser(request, challenge)
    reader = signed_in(request) if request.user.is_authenticated else None
    board = board_for(request, board_of_attempt(stored))
    (reading,) = read_attempts(
        challenge, [stored], reader=reader, organiser=organiser, access=board.access
    )
    columns = row_labels.spoken(ranking.columns_of(challenge))
    context = {
        "attempt": reading.attempt,
        "challenge": challenge,
        "reading": reading,
        "score": reading.score,
        **_state(stored, reading, board.access),
        **_rank(board, stored, reading, columns),
        **_score(reading),
        **_values(reading, columns),
        **_evidence(request, stored, reading),
        **evaluation_of(request, reading, columns),
        **rows_of(reading),
        "versions": version_scores(reading, other_scores(reading)),
        "actions": (actions := allowed_actions(stored, reader, organiser=changes)),
        "choice": choice_of(stored, reader, organiser=changes) if actions else None,
        "improvement_rule": improvement_rule(board.view.least_improvement),
        "organiser": organiser,
        "changes": changes,
        **_marks(reading),
        "program_runs": readable_runs(stored, reader, organiser=organiser),
        **admission_of(stored, reading, board.access, reader),
        "admin_url": _admin_url(stored) if changes and request.user.is_staff else "",
    }
    return render(request, "pages/attempt.html", context)


def _state(stored: Attempt, reading: Reading, access: Access) -> PageContext:
    """How far the attempt is: its status, and its place in the queue."""
    return {
        "status": _status(reading),
        "held": HELD if reading.is_held else "",
        "edition": _edition(reading, access),
        "is_waiting": reading.attempt.status in WAITING and not reading.status_hidden,
        "queue_place": queue_place(place) if (place := place_of(stored)) else "",
    }


def _rank(
    board: VisibleBoard, stored: Attempt, reading: Reading, columns: list[Column]
) -> PageContext:
    """The values that the board ranks by, and the participant's row if this attempt counts.

    stored: the attempt with its participant, which a reading may hide.
    """
    row = board.standing_of(stored.participant)
    counted = [row] if row and reading.counts else []
    certain = certainty_of(board, counted) if counted else None
    leads = bool(counted and columns and counted[0].rank == 1)
    return {
        "main": _main(columns, reading.attempt, reading.score),
        "standing": next(iter(with_certainty(certain, counted, lines(columns, counted))), None),
        "lead": uncertain_lead(certain, columns[0]) if leads else "",
        "other_counts": row is not None and not reading.counts,
        "totals": board.totals(),
        "next_rank": next_rank(board, row, columns) if reading.counts else "",
    }


def _score(reading: Reading) -> PageContext:
    """The score with its terms, or why there is none."""
    score = reading.score
    return {
        "clamp": row_labels.clamp(score),
        "error": _error(score) if score else "",
        "terms": score_terms(reading),
        "times": [] if reading.score_hidden else list(times(reading)),
        "score_text": row_labels.value_text(get_column("score"), score.value) if score else "",
        "returned": row_labels.number(score.raw_value) if score else "",
        "details_hidden": bool(score and score.details and not reading.details_open),
    }


def _values(reading: Reading, columns: list[Column]) -> PageContext:
    """The numbers beside the score: metric values, facts, reported values; and the metadata."""
    attempt = reading.attempt
    return {
        "metric_lines": metric_lines(columns, _of_samples(reading)),
        "facts": list(_facts(attempt)),
        "reported": [(key, row_labels.number(value)) for key, value in attempt.values.items()],
        "meta": whole_meta(fields_of(attempt.challenge.meta_fields), attempt.meta),
    }


def _marks(reading: Reading) -> PageContext:
    """Who has verified the attempt, and what organisers note about it."""
    verification = reading.verification
    return {
        "verified": verified_text(verification) if verification else "",
        "verified_link": verification.link if verification else "",
        "annotations": annotations_of(reading.attempt, organiser=reading.organiser),
        "can_verify": reading.attempt.status == Attempt.Status.SCORED,
    }


def _status(reading: Reading) -> str:
    """The status in words, also whether the attempt took too long."""
    if reading.score is not None and reading.score.error_code == "timeout":
        return _("Timed out")
    if reading.status_hidden:
        return row_labels.status("hidden")
    return row_labels.status("held" if reading.is_held else reading.status)


def _edition(reading: Reading, access: Access) -> str:
    """The edition that made the score, if its board has several."""
    codes = [edition.code for edition in visible_editions(reading.config, access)]
    code = reading.score.code if reading.score else ""
    if len(codes) < 2 or code not in codes:
        return ""
    return _("{number} of {total}").format(number=codes.index(code) + 1, total=len(codes))


def _of_samples(reading: Reading) -> Mapping[str, MetricValue]:
    """The metric values, without computed ones of text metrics, which are shown with their runs."""
    values, texts = states_of(reading.score), reading.config.text_specs
    return {
        key: value
        for key, value in values.items()
        if text_spec_of(key, texts) is None or value.get("level") == "reported"
    }


def _evidence(request: HttpRequest, stored_attempt: Attempt, reading: Reading) -> PageContext:
    """The tasks and the values of an imported file, only read after the attempt is scored; and
    files of evidence.

    stored_attempt: with its participant, which a reading may hide.
    """
    attempt = reading.attempt
    links = links_in(readable_evidence(request, stored_attempt))
    files = {"evidence_count": len(links)}
    if attempt.sample_count is None or attempt.status in WAITING:
        return files
    stored = Evidence.objects.filter(attempt=attempt).first()
    if stored is None:
        return files
    shows = attempt.challenge.shown.shows(attempt.phase_id)
    is_open = reading.is_exact and not reading.score_hidden and shows is None
    return {
        **files,
        "tasks": task_table(request, stored, reading.config, shows, links_by_task(links)),
        "stated": _stated(stored) if is_open else [],
    }


def _stated(stored: Evidence) -> list[ShownFileMetric]:
    return [
        ShownFileMetric(
            name=metric["name"],
            stated=row_labels.number(metric["stated"]),
            ours=row_labels.number(metric["ours"]),
            differs=metric["differs"],
        )
        for metric in stored.stated
    ]


def _main(columns: list[Column], attempt: Attempt, score: ReadScore | None) -> list[TableCell]:
    """The values that the board ranks by."""
    ranked = [column for column in columns if column.ranked]
    return cells(
        texts_of(ranked), values_of(attempt, score), attempt.submitted_at, states_of(score)
    )


def _facts(attempt: Attempt) -> Iterator[tuple[str, str]]:
    """The submitted facts: label and value."""
    for fact in facts_on_pages():
        value = attempt.fact(fact.key)
        if value is not None and fact.kind != "moment":
            yield translated(fact.label), _fact(fact, value)


def _fact(fact: Fact, value: float | bool) -> str:
    if fact.kind == "flag":
        return _("yes") if value else _("no")
    if fact.direction is None:
        return count_text(int(value)) if fact.is_whole else row_labels.number(value)
    return row_labels.value_text(get_column(fact.key), value)


def _error(score: ReadScore) -> str:
    """Why there is no score, in a sentence; "" if there is one."""
    if not score.error_code:
        return ""
    return score.error_message or row_labels.error(score.error_code)


def _admin_url(attempt: Attempt) -> str:
    try:
        return reverse("admin:leaderboard_attempt_change", args=[attempt.pk])
    except NoReverseMatch:
        return ""
