"""What the OpenAPI schema says of our doors and of our own classes."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from drf_spectacular.utils import Direction

from leaderboard.api.auth import TokenAuthentication
from leaderboard.api.fields import StrictSerializer

EMPTY_BODIES: Final = frozenset({"attempts_submit_many"})
"""Operations for which no body at all says something: no lines."""


class ApiSchema(AutoSchema):
    """Operations by what they are about, and reads that need nobody to be signed in."""

    def get_tags(self) -> list[str]:
        return [self.get_operation_id().partition("_")[0]]

    def get_auth(self) -> list[dict[str, list[str]]]:
        known: list[dict[str, list[str]]] = super().get_auth()
        return [*known, {}] if self.method == "GET" else known

    def get_operation(self, *args: Any) -> dict[str, Any] | None:
        operation: dict[str, Any] | None = super().get_operation(*args)
        if operation and operation["operationId"] in EMPTY_BODIES:
            operation["requestBody"].pop("required", None)
        for parameter in (operation or {}).get("parameters", ()):
            if parameter["in"] == "query" and not parameter.get("required"):
                _or_empty(parameter["schema"])
        return operation


def _or_empty(shape: dict[str, Any]) -> None:
    """An empty text in a query is the same as none."""
    if "enum" in shape:
        shape["enum"] = list(dict.fromkeys([*shape["enum"], ""]))
    if shape.get("minLength") == 1:
        del shape["minLength"]


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
