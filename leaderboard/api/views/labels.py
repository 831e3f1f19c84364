"""Labels of people for samples whose rewards a judge has decided."""

from __future__ import annotations

from uuid import UUID

from rest_framework import status
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.parsers import ManyParser
from leaderboard.api.permissions import check_organises
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.labels import (
    LabelsStoredSerializer,
    SamplesToLabelSerializer,
    sample_json,
)
from leaderboard.api.views.attempts import submitter, visible_or_404
from leaderboard.api.views.base import ApiView
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.schemas.labels import NEW_LABELS
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.services.scoring.labels.labelling import send_labels
from leaderboard.services.scoring.labels.queue import labels_of, samples_to_label


class LabelListView(ApiView):
    parser_classes = [ManyParser]

    @operation(
        operation_id="labels_list",
        summary="List the samples of an attempt that people label",
        responses={200: SamplesToLabelSerializer, **refusals(403, 404, 409)},
    )
    def get(self, request: Request, pk: UUID) -> Response:
        """For organisers and reviewers, of a scored attempt: the drawn samples in their order, with
        their texts and all labels. Only those before the first sample without a label count."""
        attempt = visible_or_404(request, pk)
        check_organises(request, attempt.challenge)
        labels = labels_of(attempt)
        samples = samples_to_label(attempt)
        results = [sample_json(sample, labels.get(sample.place, ())) for sample in samples]
        return Response({"results": results})

    @change_operation(
        operation_id="labels_send",
        summary="Send labels for samples of an attempt",
        example={
            "labels": [
                {
                    "task": "letter-3",
                    "sample": 0,
                    "reward": "helpful",
                    "value": 1.0,
                    "labeller": "reader-7",
                }
            ]
        },
        request={"application/json": openapi_shape(NEW_LABELS)},
        responses={201: LabelsStoredSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, pk: UUID) -> Response:
        """For organisers, up to 10 000 in a request, of drawn samples. All are stored, or none, and
        the corrected means follow at once. A labeller has one label for a reward of a sample; the
        last one counts."""
        attempt = visible_or_404(request, pk)
        check_organises(request, attempt.challenge)
        stored = send_labels(attempt, request.data, by=submitter(request))
        return Response({"stored": stored}, status.HTTP_201_CREATED)
