"""The rules of admission of a challenge, reviews of attempts, and decisions about samples."""

from __future__ import annotations

from itertools import islice
from uuid import UUID

from drf_spectacular.utils import OpenApiParameter
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import (
    check_submits_as,
    reviews,
)
from leaderboard.api.schema import SWITCH
from leaderboard.api.serializers.admission import (
    AcceptedSerializer,
    AdmissionSerializer,
    AttemptDecisionSerializer,
    ReviewQueueSerializer,
    RulesOrTrialSerializer,
    RulesSerializer,
    decision_json,
    queue_entry_json,
    rules_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.admission_reports import report_to
from leaderboard.api.views.attempts import readings_of, submitter, visible_or_404
from leaderboard.api.views.base import ApiView, challenge_or_404, organised_challenge, switched_on
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.api.views.etags import IF_MATCH, etag_of, locked_for
from leaderboard.models import Attempt, Challenge
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.schemas.admission import ADMISSION_RULES
from leaderboard.schemas.decisions import (
    ACCEPTED_ATTEMPTS,
    DECISION,
    OF_PARTICIPANTS,
    DecisionBody,
)
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.errors import validated
from leaderboard.services.scoring.decisions import decide_about
from leaderboard.services.standing.condition_sets import condition_set_of, preset, publish_rules
from leaderboard.services.standing.evidence import added_since_return
from leaderboard.services.standing.rejudging import judge_slice, try_rules
from leaderboard.services.standing.reports import finding_json, run_facts_of
from leaderboard.services.standing.review import (
    accept_each,
    only_for_reviewers,
    open_appeals,
    waiting_for_review,
)

MOST_SAMPLES = 1000
MOST_QUEUED = 100
TRY = OpenApiParameter(
    "dry_run", SWITCH, description="`1`: say what the rules would mean, and change nothing."
)


class RulesView(ApiView):
    @operation(
        operation_id="admission_read",
        summary="Read the rules of admission",
        responses={200: RulesSerializer, **refusals(404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """What attempts must meet to stand on the board. They change no score."""
        challenge = challenge_or_404(request, slug)
        return _with_tag(request, challenge, rules_json(condition_set_of(challenge)))

    @operation(
        operation_id="admission_set",
        summary="Set the rules of admission",
        example={"rules": [{"rule": "samples_per_task", "least": 5}, {"rule": "all_tasks"}]},
        parameters=[TRY, IF_MATCH],
        request={"application/json": openapi_shape(ADMISSION_RULES)},
        responses={200: RulesOrTrialSerializer, **refusals(400, 403, 404, 412, 413, 415)},
    )
    def put(self, request: Request, slug: str) -> Response:
        """For organisers. Each change is a new revision, by which earlier attempts are judged too,
        unless `since` says otherwise. Attempts that reviewers have accepted keep their place."""
        challenge = organised_challenge(request, slug)
        body = validated(ADMISSION_RULES, request.data)
        rules = preset(body.preset) if body.preset is not None else body.rules
        is_dry = switched_on(request, "dry_run")
        with locked_for(request, challenge, _revision):
            if not is_dry:
                made = publish_rules(challenge, rules, by=submitter(request), since=body.since)
        if is_dry:
            trial = try_rules(challenge, rules)
            present = rules_json(condition_set_of(challenge))
            return Response({**present, "trial": trial._asdict()})
        if not made.is_judged:
            judge_slice(made)
        return _with_tag(request, challenge, {**rules_json(made), "trial": None})


def _revision(challenge: Challenge) -> FrameworkDict:
    """What the tag of the rules is of; not that workers still judge attempts by them."""
    present = condition_set_of(challenge)
    return {"number": present.number if present else None}


def _with_tag(request: Request, challenge: Challenge, rules: FrameworkDict) -> Response:
    tag = etag_of(request, challenge, {"number": rules["number"]})
    return Response(rules, headers={"ETag": tag})


class AttemptAdmissionView(ApiView):
    @operation(
        operation_id="attempt_admission",
        summary="Read what rules and people say of an attempt",
        responses={200: AdmissionSerializer, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """The verdict of the rules, every decision, and how it was run, as its files say.

        Where the score is hidden, so is everything that tells of it."""
        return Response(_admission_json(request, visible_or_404(request, pk)))


class DecisionsView(ApiView):
    scope = "submit"

    @change_operation(
        operation_id="attempt_decide",
        summary="Decide about an attempt, or answer a decision",
        example={"kind": "returned", "reason": "The trajectories of two tasks are missing."},
        request={"application/json": openapi_shape(DECISION)},
        responses={201: AttemptDecisionSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For organisers, and reviewers if the challenge lets them: `accepted`, `returned`,
        decisions about a sample, `answered` and `undone`. Nobody decides about an attempt of their
        own. For its participant: `received` for a returned one, and `appealed`."""
        attempt = visible_or_404(request, pk)
        check_submits_as(request, attempt.participant_id)
        body: DecisionBody = validated(DECISION, request.data)
        organiser = reviews(request, attempt.challenge)
        if body.kind not in OF_PARTICIPANTS and not organiser:
            raise only_for_reviewers()
        made = decide_about(attempt, body, by=submitter(request))
        made.refresh_from_db(fields=["at"])
        return Response(
            decision_json(made, organiser=organiser, with_numbers=organiser),
            status.HTTP_201_CREATED,
        )


class ReviewView(ApiView):
    @operation(
        operation_id="review_queue",
        summary="List the attempts that wait for a review",
        responses={200: ReviewQueueSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers and reviewers."""
        challenge = challenge_or_404(request, slug)
        if not reviews(request, challenge):
            raise only_for_reviewers()
        waiting = waiting_for_review(challenge)
        first = list(waiting[:MOST_QUEUED])
        added = added_since_return([attempt.pk for attempt in first])
        return Response(
            {
                "waiting": waiting.count(),
                "attempts": [
                    queue_entry_json(attempt, added.get(attempt.pk, 0)) for attempt in first
                ],
                "appeals": [
                    decision_json(appeal, organiser=True, with_numbers=True)
                    for appeal in open_appeals(challenge)
                ],
            }
        )

    @change_operation(
        operation_id="review_accept",
        summary="Accept attempts that meet all rules",
        example={"attempts": ["019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e"]},
        request={"application/json": openapi_shape(ACCEPTED_ATTEMPTS)},
        responses={200: AcceptedSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """Those among them that wait and whose verdict is `ok`; the others stay as they are."""
        challenge = challenge_or_404(request, slug)
        if not reviews(request, challenge):
            raise only_for_reviewers()
        body = validated(ACCEPTED_ATTEMPTS, request.data)
        return Response({"accepted": accept_each(challenge, body.attempts, by=submitter(request))})


def _admission_json(request: Request, attempt: Attempt) -> dict[str, object]:
    organiser = reviews(request, attempt.challenge)
    (reading,) = readings_of(request, attempt.challenge, [attempt])
    shows = attempt.challenge.shown.shows(attempt.phase_id)
    report, is_hidden = report_to(request, attempt, reading)
    run, samples = ({}, {}) if is_hidden else run_facts_of(attempt.pk, shows)
    return {
        "verdict": report.verdict,
        "rules": report.number,
        "standing": report.standing,
        "findings": [finding_json(finding) for finding in report.findings],
        "decisions": [
            decision_json(decision, organiser=organiser, with_numbers=organiser or reading.is_exact)
            for decision in report.decisions
        ],
        "tries": None
        if report.tries is None
        else {**report.tries._asdict(), "first_look": report.tries.is_first},
        "run": run,
        "samples": [
            {"task": task, "sample": number, **fields}
            for (task, number), fields in islice(samples.items(), MOST_SAMPLES)
        ],
    }
