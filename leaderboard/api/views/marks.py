"""Organisers verify attempts and annotate them."""

from __future__ import annotations

from uuid import UUID

from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import check_organises, reviews
from leaderboard.api.serializers.attempt import OneAttemptSerializer
from leaderboard.api.serializers.competition.marks import (
    AnnotationListSerializer,
    AnnotationSerializer,
)
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.views.attempts import ONE, readings_of, submitter, visible_or_404
from leaderboard.api.views.base import ApiView
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.models import Attempt
from leaderboard.schemas.marks import NEW_ANNOTATION, NEW_VERIFICATION
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.competition.organisers.marks import (
    annotate,
    annotations_of,
    remove_annotation,
    unverify,
    verify,
)


class VerificationView(ApiView):
    @change_operation(
        operation_id="verification_set",
        summary="Mark an attempt as verified",
        example={"by": "Dana Park", "link": "https://example.org/report"},
        request={"application/json": openapi_shape(NEW_VERIFICATION)},
        responses={200: OneAttemptSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def put(self, request: Request, pk: UUID) -> Response:
        """For organisers, for a scored attempt. Boards and the attempt show who verified it, when,
        and the link. Sent again, it replaces the mark."""
        attempt = _organised(request, pk)
        verify(attempt, request.data, by=submitter(request))
        return _answer(request, attempt)

    @change_operation(
        operation_id="verification_remove",
        summary="Remove the mark of a verified attempt",
        responses={200: OneAttemptSerializer, **refusals(403, 404, 409)},
    )
    def delete(self, request: Request, pk: UUID) -> Response:
        """For organisers."""
        attempt = _organised(request, pk)
        unverify(attempt, by=submitter(request))
        return _answer(request, attempt)


class AnnotationListView(ApiView):
    @operation(
        operation_id="annotations_list",
        summary="List what organisers note about an attempt",
        responses={200: AnnotationListSerializer, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """The oldest first. Readers get the public ones, organisers all."""
        attempt = visible_or_404(request, pk)
        annotations = annotations_of(attempt, organiser=reviews(request, attempt.challenge))
        return Response(AnnotationListSerializer({"results": annotations}).data)

    @change_operation(
        operation_id="annotations_make",
        summary="Note something about an attempt",
        example={"text": "The log shows an answer that was copied.", "public": False},
        request={"application/json": openapi_shape(NEW_ANNOTATION)},
        responses={201: AnnotationSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For organisers. Only organisers read it, unless it is `public`."""
        attempt = _organised(request, pk)
        made = annotate(attempt, request.data, by=submitter(request))
        return Response(AnnotationSerializer(made).data, status.HTTP_201_CREATED)


class AnnotationView(ApiView):
    @change_operation(
        operation_id="annotations_remove",
        summary="Delete a note about an attempt",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, pk: UUID, annotation: UUID) -> Response:
        """For organisers. Their log keeps what it said."""
        remove_annotation(_organised(request, pk), annotation, by=submitter(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


def _organised(request: Request, pk: UUID) -> Attempt:
    """An attempt at a challenge that the user organises. Raises NotFound and ServiceError."""
    attempt = visible_or_404(request, pk)
    check_organises(request, attempt.challenge)
    return attempt


def _answer(request: Request, attempt: Attempt) -> Response:
    (reading,) = readings_of(request, attempt.challenge, [attempt])
    return Response(ONE.to_representation(reading))
