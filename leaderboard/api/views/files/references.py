from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from django.http import StreamingHttpResponse
from django.http.response import HttpResponseBase
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.parsers import InstanceLinesParser, InstancesParser, InstanceTableParser
from leaderboard.api.permissions import reviews, user_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.references import HoldingSerializer
from leaderboard.api.views.base import AnyAccept, ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.dry_runs import DRY_RUN, change_operation, tried
from leaderboard.importers import ImportFailed, Source
from leaderboard.schemas.documents import REFERENCES
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.challenges.references import (
    references_in,
    release_references,
    store_references,
    stored_instances,
)
from leaderboard.services.errors import invalid
from leaderboard.services.evaluation.instances import may_see_references

DOCUMENT = openapi_shape(REFERENCES)
LINE = {"type": "string", "description": "An instance, with `id` and `expected-output`, a line."}
TABLE = {"type": "string", "description": "Columns `id`, `input`, `expected-output` and others."}


class ReferencesView(ApiView):
    parser_classes = [InstancesParser, InstanceLinesParser, InstanceTableParser]

    @operation(
        operation_id="references_hold",
        summary="Let a challenge hold what is expected",
        example={"instances": [{"id": "1", "input": "Bom dia", "expected-output": ["hello"]}]},
        request={
            "application/json": DOCUMENT,
            "application/x-ndjson": LINE,
            "text/csv": TABLE,
        },
        parameters=[DRY_RUN],
        responses={200: HoldingSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def put(self, request: Request, slug: str) -> Response:
        """Up to 100 000 instances in 64 MiB, in place of those that it holds.

        New attempts submit outputs by id, which are evaluated on these instances. Other instances
        than before make a new scoring version; the board goes on showing the old one until a
        rescore is done.
        """
        challenge = organised_challenge(request, slug)
        with _source(request.data) as source:
            document = references_in(source)
        with tried(request):
            holding = store_references(challenge, user=user_of(request), document=document)
            body = HoldingSerializer(holding).data
        return Response(body)

    @change_operation(
        operation_id="references_release",
        summary="Let a challenge hold nothing any more",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, slug: str) -> Response:
        """By a new scoring version. Attempts that were scored on them stay as they are."""
        challenge = organised_challenge(request, slug)
        release_references(challenge, user=user_of(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class InstancesView(ApiView):
    content_negotiation_class = AnyAccept

    @operation(
        operation_id="references_read",
        summary="The instances of a challenge, one a line",
        responses={(200, "application/x-ndjson"): OpenApiTypes.STR, **refusals(404)},
    )
    def get(self, request: Request, slug: str) -> HttpResponseBase:
        """`id` and `input` of each instance; 404 if the challenge holds none.

        References and further fields are for organisers, or for everyone if `references_visibility`
        is `public`.
        """
        challenge = challenge_or_404(request, slug)
        if challenge.newest.references_id is None:
            raise NotFound
        is_open = may_see_references(challenge, organiser=reviews(request, challenge))
        return StreamingHttpResponse(
            _lines(stored_instances(challenge.newest, with_expected=is_open)),
            content_type="application/x-ndjson",
            headers={
                "Content-Disposition": f'attachment; filename="{challenge.slug}-instances.jsonl"'
            },
        )


def _source(body: Any) -> Source:
    try:
        return Source.open(body if isinstance(body, bytes) else b"", "references")
    except ImportFailed as error:
        raise invalid("references", error.text) from None


def _lines(rows: Iterator[Mapping[str, object]]) -> Iterator[str]:
    for row in rows:
        yield json.dumps(row, ensure_ascii=False) + "\n"
