"""What a reader of the API learns about the admission of attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from rest_framework.request import Request

from leaderboard.api.permissions import access_in, reviews, user_of
from leaderboard.models import Attempt, Challenge
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.attempts.read import Reading, read_attempts
from leaderboard.services.standing.reports import AdmissionReport, finding_json, report_of

MOST_LINES: Final = 100
"""Attempts of which the answer to many says what the rules say."""


def report_to(request: Request, attempt: Attempt, reading: Reading) -> tuple[AdmissionReport, bool]:
    """The report for whoever asks, and whether what tells of the score is hidden from them."""
    access = access_in(request, attempt.challenge)
    hidden = reading.score_hidden or reading.status_hidden or not access.sees_evidence(attempt)
    organiser = reviews(request, attempt.challenge)
    report = report_of(
        attempt,
        user_of(request),
        organiser=organiser,
        is_hidden=hidden,
        sees_attempts=access.sees_all_attempts(attempt),
        shows=attempt.challenge.shown.shows(attempt.phase_id),
    )
    return report, hidden and not organiser


def verdict_on(request: Request, challenge: Challenge, reading: Reading) -> JsonObject:
    """The verdict on a new attempt, and what the rules have against it."""
    if challenge.condition_set_id is None:
        return {"verdict": "", "findings": []}
    report, _ = report_to(request, reading.attempt, reading)
    return {"verdict": report.verdict, "findings": list(map(finding_json, report.findings))}


def verdicts_on_lines(
    request: Request, challenge: Challenge, lines: Mapping[UUID, int]
) -> list[JsonObject]:
    """The verdicts that are not ok on the first attempts of many. lines: by the attempts' ids."""
    if challenge.condition_set_id is None:
        return []
    wrong = Attempt.objects.filter(pk__in=lines, verdict__verdict__in=("flagged", "refused"))
    related = wrong.select_related("challenge", "participant", "phase", "scoring_config")
    readings = read_attempts(
        challenge,
        list(related.order_by("pk")[:MOST_LINES]),
        reader=user_of(request),
        organiser=reviews(request, challenge),
        access=access_in(request, challenge),
    )
    verdicts = [
        {"line": lines[reading.attempt.pk], **verdict_on(request, challenge, reading)}
        for reading in readings
    ]
    return [verdict for verdict in verdicts if verdict["verdict"]]
