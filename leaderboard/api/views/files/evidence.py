from __future__ import annotations

from typing import Any
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.db.models import QuerySet
from django.http import FileResponse, QueryDict
from django.shortcuts import get_object_or_404
from drf_spectacular.types import OpenApiTypes
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.parsers import FileParser, StrictJSONParser
from leaderboard.api.permissions import access_in, check_submits_as, reviews, user_of
from leaderboard.api.queries import wrong_cursor
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.evidence import (
    EvidenceFileSerializer,
    EvidencePageSerializer,
    NewEvidenceFileSerializer,
    evidence_json,
)
from leaderboard.api.serializers.tasks import TasksQuery
from leaderboard.api.views.attempts import submitter, visible_or_404
from leaderboard.api.views.base import AnyAccept, ApiView
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.models import Attempt, EvidenceFile
from leaderboard.schemas.evidence import NEW_EVIDENCE, NewEvidence
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.errors import validated
from leaderboard.services.files.store import open_file
from leaderboard.services.standing.evidence import SentEvidence, add_evidence, visible_evidence

BINARY = "application/octet-stream"


class EvidenceListView(ApiView):
    parser_classes = [StrictJSONParser, FileParser]
    scope = "submit"
    submits = True

    @operation(
        operation_id="attempt_evidence",
        summary="List the evidence of an attempt",
        parameters=[TasksQuery],
        responses={200: EvidencePageSerializer, **refusals(400, 404)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """Trajectories, logs, diffs and links, by task and sample, for those who see the samples.

        What belongs to private tasks is left out until the end of the phase."""
        query = TasksQuery(data=request.query_params)
        query.is_valid(raise_exception=True)
        start, limit = int(query.validated_data["cursor"]), query.validated_data["limit"]
        files = _visible(request, visible_or_404(request, pk))
        total = files.count()
        if start > total:
            raise wrong_cursor(str(start))
        end = start + limit
        return Response(
            {
                "evidence": [evidence_json(request, file) for file in files[start:end]],
                "total": total,
                "next": str(end) if end < total else None,
            }
        )

    @change_operation(
        operation_id="attempt_evidence_add",
        summary="Add evidence to an attempt",
        example={
            "kind": "log",
            "task": "fix-regex",
            "sample": 0,
            "url": "https://ci.example.org/7",
        },
        request={
            "application/json": openapi_shape(NEW_EVIDENCE),
            "multipart/form-data": NewEvidenceFileSerializer,
        },
        responses={
            201: EvidenceFileSerializer,
            **refusals(400, 403, 404, 409, 413, 415),
        },
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For its participant: a file of a sample or of the whole attempt, or a link, for example
        after the attempt was returned. The rules of admission judge the attempt again."""
        attempt = visible_or_404(request, pk)
        check_submits_as(request, attempt.participant_id)
        new, file = _sent(request)
        added = add_evidence(attempt, new, file, by=submitter(request))
        added.refresh_from_db(fields=["added_at"])
        return Response(evidence_json(request, added), status.HTTP_201_CREATED)


class EvidenceFileView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="attempt_evidence_file",
        summary="Download a file of evidence",
        responses={(200, BINARY): OpenApiTypes.BINARY, **refusals(404)},
    )
    def get(self, request: Request, pk: UUID, number: int) -> FileResponse:
        """404 for a link."""
        files = _visible(request, visible_or_404(request, pk))
        file = get_object_or_404(files, pk=number, url="")
        return FileResponse(
            open_file(file.path), as_attachment=True, filename=file.name, content_type=BINARY
        )


def _visible(request: Request, attempt: Attempt) -> QuerySet[EvidenceFile]:
    return visible_evidence(
        attempt,
        access_in(request, attempt.challenge),
        reader=user_of(request),
        organiser=reviews(request, attempt.challenge),
    )


def _sent(request: Request) -> tuple[NewEvidence, SentEvidence | None]:
    body: Any = request.data
    file = None
    if isinstance(body, QueryDict):
        sent = NewEvidenceFileSerializer(data=body)
        sent.is_valid(raise_exception=True)
        body = dict(sent.validated_data)
        upload: UploadedFile[Any] = body.pop("file")
        file = SentEvidence(upload.name or "file", upload)
    return validated(NEW_EVIDENCE, body), file
