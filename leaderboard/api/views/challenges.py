from __future__ import annotations

from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Q
from django.http.response import HttpResponseBase
from django_filters import rest_framework as filters
from django_filters.fields import ChoiceField
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.generics import GenericAPIView
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.bound_tokens import listed_challenges
from leaderboard.api.fields import wrong_choice
from leaderboard.api.operations import operation
from leaderboard.api.pagination import ByName
from leaderboard.api.parsers import ChallengeParser
from leaderboard.api.permissions import reviews, tenant_for, user_of
from leaderboard.api.sent_back import changes_in, of_another, of_itself
from leaderboard.api.serializers.challenge import (
    NEW_BODY,
    NEW_EXAMPLES,
    ChallengeSerializer,
    NewChallengeBody,
    RescoreSerializer,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.base import CONFIGS, ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.boards import UNCHANGED
from leaderboard.api.views.dry_runs import DRY_RUN, change_operation, tried
from leaderboard.api.views.etags import IF_MATCH, guard_for, locked_for, tagged
from leaderboard.models import Challenge
from leaderboard.models.challenge import ChallengeQuerySet
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.schemas.challenges import ChallengeChange
from leaderboard.services.challenges.challenges import (
    change_challenge,
    create_challenge,
    delete_challenge,
    publish_challenge,
)
from leaderboard.services.errors import validated
from leaderboard.services.scoring.rescoring import start_rescore


class StateField(ChoiceField):  # type: ignore[misc]
    def validate(self, value: str) -> None:
        if value and not self.valid_value(value):
            raise ValidationError(
                wrong_choice([str(choice) for choice, _ in self.choices], value), "invalid_choice"
            )


class StateFilter(filters.ChoiceFilter):  # type: ignore[misc]
    field_class = StateField


class ChallengeFilter(filters.FilterSet):  # type: ignore[misc]
    search = filters.CharFilter(
        method="with_text", max_length=120, help_text="Only those whose name or summary holds this."
    )
    state = StateFilter(
        method="in_state",
        choices=[("active", "Accepts attempts"), ("closed", "Accepts none any more")],
    )

    def with_text(self, queryset: ChallengeQuerySet, name: str, text: str) -> ChallengeQuerySet:
        return queryset.filter(
            Q(name__icontains=text) | Q(summary__icontains=text) | Q(slug__icontains=text)
        )

    def in_state(self, queryset: ChallengeQuerySet, name: str, state: str) -> ChallengeQuerySet:
        return queryset.filter(is_active=state == "active")


class ChallengeListView(ApiView, GenericAPIView[Challenge]):
    parser_classes = [ChallengeParser]
    serializer_class = ChallengeSerializer
    filter_backends = [filters.DjangoFilterBackend]
    filterset_class = ChallengeFilter
    pagination_class = ByName
    lists_challenges = True

    def get_queryset(self) -> ChallengeQuerySet:
        return (
            listed_challenges(self.request)
            .select_related(*CONFIGS, "newest_config__references")
            .prefetch_related("phases")
        )

    @operation(
        operation_id="challenges_list",
        summary="List challenges",
        also=[*ChallengeFilter.base_filters, "limit", "cursor"],
        responses={200: ChallengeSerializer(many=True), **refusals(400)},
    )
    def get(self, request: Request) -> Response:
        """Those that you may see, by name. Unlisted ones are listed for their tenant only."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        return self.get_paginated_response([challenge_for(request, row) for row in page or ()])

    @operation(
        operation_id="challenges_create",
        summary="Create a challenge",
        parameters=[DRY_RUN],
        request=NewChallengeBody,
        examples=NEW_EXAMPLES,
        responses={
            200: ChallengeSerializer,
            201: ChallengeSerializer,
            **refusals(400, 403, 409, 413, 415, 503),
        },
    )
    def post(self, request: Request) -> Response:
        """It belongs to the token's tenant. A scorer is asked whether its config fits.

        A challenge as it was read, with another `slug` or without one, makes a copy. With
        `?dry_run=1` the answer is 200, and nothing is created.
        """
        body = of_another(request.data, user_of(request))
        tenant, fields = _tenant_apart(body)
        with tried(request) as is_dry:
            challenge = create_challenge(
                tenant=tenant_for(request, tenant), user=user_of(request), fields=fields
            )
            fields = challenge_for(request, challenge)
        if is_dry:
            return Response(fields)
        return Response(fields, status.HTTP_201_CREATED, headers={"Location": fields["url"]})


class ChallengeView(ApiView):
    parser_classes = [ChallengeParser]

    @operation(
        operation_id="challenges_read",
        summary="Read a challenge",
        responses={200: ChallengeSerializer, 304: UNCHANGED, **refusals(404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """How it is scored is a part of it: those are the rules. It has a strong `ETag`."""
        challenge = challenge_or_404(request, slug)
        return tagged(request, challenge, challenge_for(request, challenge))

    @operation(
        operation_id="challenges_change",
        summary="Change a challenge",
        example={"summary": "Talk your way out of a locked room."},
        parameters=[DRY_RUN, IF_MATCH],
        request=ChallengeChange,
        responses={200: ChallengeSerializer, **refusals(400, 403, 404, 409, 412, 413, 415, 503)},
    )
    def patch(self, request: Request, slug: str) -> HttpResponseBase:
        """Only the fields that are sent change. A challenge can be sent back as it was read.

        With `If-Match` and the `ETag` of what was read, nothing changes if somebody else has
        changed the challenge since.

        A change of how attempts are scored makes a new scoring version. New attempts are scored
        under it; the board goes on showing the old one until a rescore is done.
        """
        challenge = organised_challenge(request, slug)
        guard = guard_for(request, partial(challenge_for, request))
        if guard is not None:
            guard(challenge)
        body = of_itself(request.data, challenge)
        with tried(request):
            if changes := changes_in(body, challenge):
                challenge = change_challenge(
                    challenge, user=user_of(request), fields=changes, guard=guard
                )
            return tagged(request, challenge, challenge_for(request, challenge))

    @operation(
        operation_id="challenges_delete",
        summary="Delete a challenge without attempts",
        parameters=[DRY_RUN, IF_MATCH],
        responses={204: OpenApiResponse(description="It is gone."), **refusals(403, 404, 409, 412)},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """One with attempts can only be closed (`is_active`), as attempts are never deleted."""
        challenge = organised_challenge(request, slug)
        with tried(request), locked_for(request, challenge, partial(challenge_for, request)):
            delete_challenge(challenge)
        return Response(status=status.HTTP_204_NO_CONTENT)


class PublishView(ApiView):
    @operation(
        operation_id="challenges_publish",
        summary="Publish a draft",
        parameters=[DRY_RUN, IF_MATCH],
        request=None,
        responses={200: ChallengeSerializer, **refusals(403, 404, 409, 412)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """From now on everyone whom its `visibility` allows sees it. This cannot be undone.

        Refused (`conflict`) if it is published, if another challenge has taken its slug, or while
        more than the sample attempt is missing on its checklist: `fields` has the points.
        """
        challenge = organised_challenge(request, slug)
        with tried(request), locked_for(request, challenge, partial(challenge_for, request)):
            challenge = publish_challenge(challenge, user=user_of(request))
            return Response(challenge_for(request, challenge))


class RescoreView(ApiView):
    @change_operation(
        operation_id="challenges_rescore",
        summary="Score every attempt again under the newest version",
        request=None,
        responses={202: RescoreSerializer, **refusals(403, 404)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """The board shows the old version until every attempt is scored, then the new one at once.

        A second request while it runs changes nothing.
        """
        challenge = organised_challenge(request, slug)
        config, attempts = start_rescore(challenge, user=user_of(request))
        begun = {"scoring_version": config.number, "attempts": attempts}
        return Response(RescoreSerializer(begun).data, status.HTTP_202_ACCEPTED)


def challenge_for(request: Request, challenge: Challenge) -> FrameworkDict:
    """A challenge as the user may see it."""
    # Only where something is hidden does it take a query to know who asks.
    hidden = challenge.config_visibility == Challenge.ConfigVisibility.ORGANISER
    hidden = hidden or challenge.newest.program is not None
    sees = not hidden or reviews(request, challenge)
    return dict(ChallengeSerializer(challenge, context={"sees_config": sees}).data)


def _tenant_apart(body: Any) -> tuple[str | None, Any]:
    """The tenant that a new challenge names, and its other fields. Raises ServiceError."""
    tenant = validated(NEW_BODY, body).tenant
    return tenant or None, {name: body[name] for name in body if name != "tenant"}
