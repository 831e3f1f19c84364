"""Who takes part in a challenge: the rules, the user's registration, and all registrations."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.files.spreadsheets import FOR, LOCALE, csv_file
from leaderboard.api.operations import operation
from leaderboard.api.pagination import CURSOR, LIMIT, NewestRegistrations
from leaderboard.api.parsers import ManyParser
from leaderboard.api.permissions import check_reads_own, reviews, user_of
from leaderboard.api.serializers.competition.registration import (
    RegistrationPageSerializer,
    RegistrationRulesSerializer,
    RegistrationSerializer,
    registration_json,
    rules_json,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.boards import UNCHANGED
from leaderboard.api.views.dry_runs import DRY_RUN, change_operation, tried
from leaderboard.api.views.etags import IF_MATCH, locked_for, tagged
from leaderboard.models import Challenge, Participant, Registration
from leaderboard.rules.json.untyped_dicts import OpenApiShape
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.registration import (
    NEW_REGISTRATION,
    REGISTRATION_DECISION,
    REGISTRATION_RULES,
)
from leaderboard.services.competition.participants.listing import registrations_table
from leaderboard.services.competition.participants.registration import register, registration_of
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.registration_rules import (
    declare_rules,
    withdraw_rules,
)
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.errors import invalid

STATUSES: Final = [status.value for status in RegistrationStatus]
STATUS = OpenApiParameter("status", str, enum=STATUSES, description="Only those with it.")


def _json(shape: Any) -> OpenApiShape:
    return {"application/json": shape}


class RegistrationRulesView(ApiView):
    parser_classes = [ManyParser]

    @operation(
        operation_id="registration_rules_read",
        summary="Who may take part in a challenge",
        responses={200: RegistrationRulesSerializer, 304: UNCHANGED, **refusals(404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """404 if the challenge has no rules: then everyone may submit without registering."""
        challenge = challenge_or_404(request, slug)
        rules = rules_of(challenge)
        if rules is None:
            raise NotFound
        fields = rules_json(rules, organiser=reviews(request, challenge))
        return tagged(request, challenge, fields)

    @operation(
        operation_id="registration_rules_declare",
        summary="Declare who may take part in a challenge",
        example={"mode": "approval", "questions": [{"key": "institute", "label": "Institute"}]},
        parameters=[DRY_RUN, IF_MATCH],
        request=_json(openapi_shape(REGISTRATION_RULES)),
        responses={200: RegistrationRulesSerializer, **refusals(400, 403, 404, 412, 413, 415)},
    )
    def put(self, request: Request, slug: str) -> HttpResponseBase:
        """The new rules replace the old ones. Existing registrations stay valid."""
        challenge = organised_challenge(request, slug)
        with tried(request), locked_for(request, challenge, _rules_now):
            made = declare_rules(challenge, request.data, by=user_of(request))
            return tagged(request, challenge, rules_json(made, organiser=True))

    @operation(
        operation_id="registration_rules_withdraw",
        summary="Let everyone take part in a challenge",
        parameters=[DRY_RUN, IF_MATCH],
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404, 412)},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """Afterwards everyone may submit without registering, under any number of names."""
        challenge = organised_challenge(request, slug)
        with tried(request), locked_for(request, challenge, _rules_now):
            withdraw_rules(challenge, by=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _rules_now(challenge: Challenge) -> Mapping[str, object]:
    """The rules as organisers read them."""
    rules = rules_of(challenge)
    return rules_json(rules, organiser=True) if rules else {}


class RegistrationView(ApiView):
    scope = "submit"

    @operation(
        operation_id="registration_read",
        summary="Read your registration",
        responses={200: RegistrationSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """404 if you do not take part. A token needs the scope `read`."""
        challenge = challenge_or_404(request, slug)
        check_reads_own(request)
        registration = registration_of(challenge, submitter(request))
        if registration is None:
            raise NotFound
        return Response(registration_json(registration))

    @change_operation(
        operation_id="registration_make",
        summary="Register for a challenge",
        example={"participant": "Atlas", "kind": "team", "answers": {"institute": "Physics"}},
        request=_json(openapi_shape(NEW_REGISTRATION)),
        responses={200: RegistrationSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """If you send it again, it replaces your answers. `status` says whether you may submit."""
        challenge = challenge_or_404(request, slug)
        return Response(registration_json(register(challenge, submitter(request), request.data)))


class RegistrationListView(ApiView):
    @operation(
        operation_id="registrations_list",
        summary="List who takes part",
        parameters=[STATUS, LIMIT, CURSOR],
        responses={200: RegistrationPageSerializer, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers, the newest first."""
        challenge = organised_challenge(request, slug)
        registrations = Registration.objects.filter(challenge=challenge).select_related(
            "participant"
        )
        if wanted := request.query_params.get("status", ""):
            if wanted not in STATUSES:
                text = _("must be one of {names}; got {sent}")
                raise invalid("status", text.format(names=", ".join(STATUSES), sent=sent(wanted)))
            registrations = registrations.filter(status=wanted)
        pages = NewestRegistrations()
        rows = pages.paginate_queryset(registrations, request)
        return pages.get_paginated_response([registration_json(row) for row in rows])


class RegistrationDecisionView(ApiView):
    @change_operation(
        operation_id="registrations_decide",
        summary="Accept or decline a registration, or assign a bracket",
        example={"status": "accepted"},
        request=_json(openapi_shape(REGISTRATION_DECISION)),
        responses={200: RegistrationSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def patch(self, request: Request, slug: str, participant: str) -> Response:
        """Only the fields that are sent change. A declined participant may not submit any more."""
        challenge = organised_challenge(request, slug)
        registration = registration_or_404(challenge, participant)
        decide(registration, by=user_of(request), fields=request.data)
        return Response(registration_json(registration_or_404(challenge, participant)))


class RegistrationsCsvView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="registrations_csv",
        summary="Who takes part, as a table",
        parameters=[FOR, LOCALE],
        responses={(200, "text/csv"): OpenApiTypes.STR, **refusals(400, 403, 404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponse:
        """For organisers: a row for each participant, with members and a column per question."""
        challenge = organised_challenge(request, slug)
        name = f"{challenge.slug}-registrations.csv"
        return csv_file(request, name, registrations_table(challenge))


def registration_or_404(challenge: Challenge, slug: str) -> Registration:
    """The registration of a participant by its slug. Raises Http404."""
    who = Participant.objects.filter(tenant=challenge.tenant_id, slug=slug)
    registrations = Registration.objects.select_related("participant")
    return get_object_or_404(registrations, challenge=challenge, participant__in=who)
