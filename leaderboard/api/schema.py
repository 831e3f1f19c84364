"""What the OpenAPI schema says of our doors and of our own classes."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from drf_spectacular.utils import Direction

from leaderboard.api.auth import TokenAuthentication
from leaderboard.api.fields import StrictSerializer


class ApiSchema(AutoSchema):
    """Operations by what they are about, and reads that need nobody to be signed in."""

    def get_tags(self) -> list[str]:
        return [self.get_operation_id().partition("_")[0]]

    def get_auth(self) -> list[dict[str, list[str]]]:
        known: list[dict[str, list[str]]] = super().get_auth()
        return [*known, {}] if self.method == "GET" else known


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer TOKEN`."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return build_bearer_security_scheme_object("Authorization", "Bearer")


class StrictShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """A strict body has no other fields."""

    target_class = StrictSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> dict[str, Any]:
        shape: dict[str, Any] = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        return {**shape, "additionalProperties": False}
