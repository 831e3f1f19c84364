from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import IO, Any, cast
from uuid import UUID

from django.core.files.uploadedfile import UploadedFile
from django.shortcuts import get_object_or_404
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, PolymorphicProxySerializer
from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.errors import TooLarge
from leaderboard.api.operations import operation
from leaderboard.api.parsers import MAX_FILE_BYTES, DocumentParser, FileParser
from leaderboard.api.permissions import only_as, organises, tenant_for, user_of
from leaderboard.api.schema import SWITCH
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.imports import (
    ImportJobSerializer,
    ImportSerializer,
    RegistryFileSerializer,
    RegistrySerializer,
    UploadSerializer,
)
from leaderboard.api.throttling import who_asks
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView, challenge_or_404, switched_on
from leaderboard.api.views.dry_runs import DRY_RUN, tried
from leaderboard.http.arrivals import moment_of
from leaderboard.importers import ImportFailed, Source
from leaderboard.importers.tables.uses import ACCEPTED
from leaderboard.models import Challenge, ImportJob
from leaderboard.operating.heap import LARGE, return_memory
from leaderboard.services.challenges.registries import checked_registry, import_checked
from leaderboard.services.competition.clock import time_of
from leaderboard.services.errors import invalid
from leaderboard.services.imports.importing import import_file, not_for_participants
from leaderboard.services.imports.jobs import AskedImport, create_job, rows_for_a_worker

MAP = OpenApiParameter(
    "map",
    {"type": "array", "items": {"type": "string"}},
    explode=True,
    description=(
        "What a column of a table is used for, `COLUMN=USE`; may be repeated, and the others are "
        f"guessed. USE is one of {ACCEPTED}."
    ),
)
SHOW_COLUMNS = OpenApiParameter(
    "show_columns",
    SWITCH,
    description="`1`: the board gets a column for each value of the table; for organisers.",
)
TENANT = OpenApiParameter("tenant", str, description="Needed only by organisers of several.")
REGISTRY = {
    "application/json": {
        "type": "array",
        "items": {"type": "object", "additionalProperties": True},
    },
    "multipart/form-data": RegistryFileSerializer,
}
REGISTRY_EXAMPLE = [
    {
        "name": "physics",
        "version": "1.0",
        "tasks": [{"name": "pendulum", "git_url": "https://example.org/tasks.git"}],
        "metrics": [{"type": "mean"}],
    }
]


class ImportsView(ApiView):
    parser_classes = [FileParser]
    scope = "submit"
    submits = True

    @operation(
        operation_id="attempts_import",
        summary="Submit the attempts of a result file",
        parameters=[DRY_RUN, MAP, SHOW_COLUMNS],
        request={"multipart/form-data": UploadSerializer},
        responses={
            200: ImportSerializer,
            202: PolymorphicProxySerializer(
                component_name="ImportOrJob",
                serializers=[ImportSerializer, ImportJobSerializer],
                resource_type_field_name=None,
            ),
            **refusals(400, 403, 404, 413, 415),
        },
    )
    def post(self, request: Request, slug: str) -> Response:
        """202 if all of them are saved; 200 for a dry run.

        Results that were imported before are known by their ids, and are not submitted again. A
        worker reads a file of more than 5 000 rows, also in a dry run: then the answer is a job.
        """
        challenge = challenge_or_404(request, slug)
        dry_run = switched_on(request, "dry_run")
        asked = UploadSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        received_at = time_of(moment_of(request.META))
        upload = asked.validated_data.pop("file")
        with _source(upload.file, upload) as source:
            if rows := rows_for_a_worker(source, asked.validated_data.get("format", "")):
                return _begun(request, challenge, upload, asked.validated_data, received_at, rows)
            result = import_file(
                challenge=challenge,
                user=submitter(request),
                source=source,
                organiser=organises(request, challenge),
                dry_run=dry_run,
                columns=request.query_params.getlist("map"),
                show_columns=switched_on(request, "show_columns"),
                sender=who_asks(request),
                received_at=received_at,
                only_as=only_as(request),
                **asked.validated_data,
            )
        if (upload.size or 0) > LARGE:
            return_memory()
        code = status.HTTP_200_OK if dry_run else status.HTTP_202_ACCEPTED
        return Response(ImportSerializer(result).data, code)


class ImportJobView(ApiView):
    @operation(
        operation_id="attempts_import_read",
        summary="Read how far a large import is",
        responses={200: ImportJobSerializer, **refusals(401, 404)},
    )
    def get(self, request: Request, slug: str, pk: UUID) -> Response:
        """For the user who sent the file, for a day. Ask until `state` is `done` or `failed`."""
        challenge = challenge_or_404(request, slug)
        own = {"challenge": challenge, "user": user_of(request)}
        return Response(ImportJobSerializer(get_object_or_404(ImportJob, pk=pk, **own)).data)


def _begun(
    request: Request,
    challenge: Challenge,
    upload: UploadedFile[Any],
    fields: Mapping[str, str],
    received_at: datetime,
    rows: int,
) -> Response:
    """The answer to a file that a worker reads."""
    show_columns, organiser = switched_on(request, "show_columns"), organises(request, challenge)
    if show_columns and not organiser:
        raise not_for_participants()
    asked = AskedImport(
        label=upload.name or "upload",
        columns=request.query_params.getlist("map"),
        show_columns=show_columns,
        organiser=organiser,
        sender=who_asks(request),
        only_as=only_as(request),
        received_at=received_at.isoformat(),
        **fields,
    )
    job = create_job(
        challenge=challenge,
        user=submitter(request),
        file=cast("IO[bytes]", upload.file),
        asked=asked,
        dry_run=switched_on(request, "dry_run"),
        rows=rows,
    )
    body = ImportJobSerializer(job).data
    return Response(body, status.HTTP_202_ACCEPTED, headers={"Location": body["url"]})


class RegistriesView(ApiView):
    parser_classes = [DocumentParser, FileParser]

    @operation(
        operation_id="challenges_import",
        summary="Create or update the challenges of a Harbor registry",
        example=REGISTRY_EXAMPLE,
        parameters=[TENANT, DRY_RUN],
        request=REGISTRY,
        responses={200: RegistrySerializer, **refusals(400, 403, 409, 413, 415, 503)},
    )
    def post(self, request: Request) -> Response:
        """All of its datasets or none; a dataset and version is a challenge."""
        tenant = tenant_for(request, request.query_params.get("tenant"))
        with _registry(request.data) as source:
            checked = checked_registry(source)
        with tried(request):
            result = import_checked(checked, tenant=tenant, user=user_of(request))
            body = RegistrySerializer(result).data
        return Response(body)


def _registry(body: Any) -> Source:
    if isinstance(body, bytes):
        return _source(body)
    asked = RegistryFileSerializer(data=body)
    asked.is_valid(raise_exception=True)
    upload = asked.validated_data["file"]
    return _source(upload.file, upload)


def _source(file: Any, upload: UploadedFile[Any] | None = None) -> Source:
    """The upload as a tree of files. Raises TooLarge and ServiceError."""
    if upload is not None and (upload.size or 0) > MAX_FILE_BYTES:
        text = _("file: must be at most {most} MiB; got {count} bytes")
        raise TooLarge(text.format(most=MAX_FILE_BYTES >> 20, count=upload.size))
    try:
        return Source.open(file, (upload and upload.name) or "registry.json")
    except ImportFailed as error:
        raise invalid("file", error.text) from None
