"""The webhooks of a challenge, for its organisers; reviewers read them."""

from __future__ import annotations

from typing import Final
from uuid import UUID

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import OpenApiResponse
from rest_framework import status
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import organises_tenant, reviews
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.webhook import (
    NewWebhookSerializer,
    WebhookDeliveryListSerializer,
    WebhookDeliverySerializer,
    WebhookListSerializer,
    WebhookSecretSerializer,
    WebhookSerializer,
    delivery_json,
    webhook_json,
)
from leaderboard.api.views.attempts import submitter
from leaderboard.api.views.base import ApiView, challenge_or_404, organised_challenge
from leaderboard.api.views.dry_runs import change_operation
from leaderboard.models import Webhook
from leaderboard.schemas.openapi import openapi_shape
from leaderboard.schemas.webhooks import NEW_WEBHOOK, WEBHOOK_CHANGE
from leaderboard.services.webhooks import endpoints

DELIVERIES: Final = 100


class WebhookListView(ApiView):
    @operation(
        operation_id="webhooks_list",
        summary="List the webhooks of a challenge",
        responses={200: WebhookListSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str) -> Response:
        """For organisers and reviewers. Addresses and secrets are not shown."""
        challenge = challenge_or_404(request, slug)
        if not reviews(request, challenge):
            raise PermissionDenied
        rows = endpoints.webhooks_of(challenge, tenants=organises_tenant(request, challenge))
        return Response({"results": [webhook_json(webhook) for webhook in rows]})

    @change_operation(
        operation_id="webhooks_make",
        summary="Add a webhook",
        example={"url": "https://example.org/hook", "types": ["attempt.scored"]},
        request={"application/json": openapi_shape(NEW_WEBHOOK)},
        responses={201: NewWebhookSerializer, **refusals(400, 403, 404, 409, 413, 415)},
    )
    def post(self, request: Request, slug: str) -> Response:
        """The answer has the secret that signs its messages; it is not shown again."""
        challenge = organised_challenge(request, slug)
        webhook, secret = endpoints.create_webhook(
            challenge,
            request.data,
            by=submitter(request),
            tenants=organises_tenant(request, challenge),
        )
        return Response({**webhook_json(webhook), "secret": secret}, status.HTTP_201_CREATED)


class WebhookView(ApiView):
    @change_operation(
        operation_id="webhooks_change",
        summary="Change a webhook",
        example={"types": ["rescore.finished"]},
        request={"application/json": openapi_shape(WEBHOOK_CHANGE)},
        responses={200: WebhookSerializer, **refusals(400, 403, 404, 413, 415)},
    )
    def patch(self, request: Request, slug: str, pk: UUID) -> Response:
        """Only the fields that are sent change."""
        webhook = _webhook(request, slug, pk)
        changed = endpoints.change_webhook(webhook, request.data, by=submitter(request))
        return Response(webhook_json(changed))

    @change_operation(
        operation_id="webhooks_remove",
        summary="Remove a webhook",
        responses={204: OpenApiResponse(description="It is done."), **refusals(403, 404)},
    )
    def delete(self, request: Request, slug: str, pk: UUID) -> Response:
        """Its deliveries are removed as well."""
        endpoints.remove_webhook(_webhook(request, slug, pk), by=submitter(request))
        return Response(status=status.HTTP_204_NO_CONTENT)


class WebhookPingView(ApiView):
    @change_operation(
        operation_id="webhooks_ping",
        summary="Send a message of the type ping",
        responses={202: WebhookDeliverySerializer, **refusals(403, 404)},
    )
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        """A worker sends it within seconds, once; the list of deliveries has the answer."""
        delivery = endpoints.ping(_webhook(request, slug, pk))
        delivery.refresh_from_db()
        return Response(delivery_json(delivery), status.HTTP_202_ACCEPTED)


class WebhookRotateView(ApiView):
    @change_operation(
        operation_id="webhooks_rotate",
        summary="Make a new secret",
        responses={200: WebhookSecretSerializer, **refusals(403, 404)},
    )
    def post(self, request: Request, slug: str, pk: UUID) -> Response:
        """Messages have signatures by both secrets for a day."""
        webhook = _webhook(request, slug, pk)
        return Response({"secret": endpoints.rotate_secret(webhook, by=submitter(request))})


class WebhookDeliveriesView(ApiView):
    @operation(
        operation_id="webhooks_deliveries",
        summary="List the newest deliveries of a webhook",
        responses={200: WebhookDeliveryListSerializer, **refusals(403, 404)},
    )
    def get(self, request: Request, slug: str, pk: UUID) -> Response:
        """At most a hundred, of the last thirty days."""
        rows = endpoints.deliveries_of(_webhook(request, slug, pk))[:DELIVERIES]
        return Response({"results": [delivery_json(delivery) for delivery in rows]})


class WebhookReplayView(ApiView):
    @change_operation(
        operation_id="webhooks_replay",
        summary="Send a delivery once more",
        responses={202: WebhookDeliverySerializer, **refusals(403, 404)},
    )
    def post(self, request: Request, slug: str, pk: UUID, delivery: UUID) -> Response:
        """With the same id and the present secret, once."""
        replayed = endpoints.replay(_webhook(request, slug, pk), delivery)
        return Response(delivery_json(replayed), status.HTTP_202_ACCEPTED)


def _webhook(request: Request, slug: str, pk: UUID) -> Webhook:
    challenge = organised_challenge(request, slug)
    rows = endpoints.webhooks_of(challenge, tenants=organises_tenant(request, challenge))
    return get_object_or_404(rows, pk=pk)
