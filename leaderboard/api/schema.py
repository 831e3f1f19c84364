"""Extensions of the OpenAPI schema for our views and serializers."""

from __future__ import annotations

from typing import Any, Final

from drf_spectacular.contrib.django_filters import DjangoFilterExtension
from drf_spectacular.extensions import OpenApiAuthenticationExtension, OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.plumbing import build_bearer_security_scheme_object
from drf_spectacular.utils import Direction
from pydantic import TypeAdapter

from leaderboard.api.auth import TokenAuthentication
from leaderboard.api.fields import StrictSerializer
from leaderboard.rules.json.untyped_dicts import OpenApiShape
from leaderboard.schemas.base import Strict
from leaderboard.schemas.openapi import openapi_shape

NO_NUL: Final = r"^[^\u0000]*$"
"""The pattern of every text that the API accepts."""

SLUG: Final = {"type": "string", "pattern": "^[-a-zA-Z0-9_]+$"}
"""The part of a path that names a challenge or a participant."""

SWITCH: Final = {"type": "string", "enum": ["0", "1"]}
"""A query parameter that is on or off."""

SLUGS_IN_PATHS: Final = frozenset({"slug", "participant"})

EMPTY_BODIES: Final = frozenset({"attempts_submit_many"})
"""Operations for which an empty body has a meaning: no lines."""


TAGS: Final = {
    "admission": "review",
    "annotations": "marks",
    "appeal": "registration",
    "arena": "votes",
    "attempt": "review",
    "bundles": "challenges",
    "challenge": "files",
    "choice": "attempts",
    "code": "scoring",
    "device": "me",
    "disqualification": "participants",
    "grades": "participants",
    "grants": "participants",
    "exports": "boards",
    "leaderboard": "boards",
    "notices": "me",
    "quota": "attempts",
    "references": "scoring",
    "registrations": "participants",
    "row": "participants",
    "standings": "boards",
    "uploads": "files",
    "verification": "marks",
    "waiting": "participants",
}
"""The tags of operations whose ids begin with another word; `settings.TAGS` describes all."""


class ApiSchema(AutoSchema):
    """Groups operations by subject, and marks reads as possible without signing in."""

    def get_tags(self) -> list[str]:
        subject = self.get_operation_id().partition("_")[0]
        return [TAGS.get(subject, subject)]

    def get_auth(self) -> list[dict[str, list[str]]]:
        schemes: list[dict[str, list[str]]] = super().get_auth()
        is_open = self.method == "GET" or not self.view.authentication_classes
        return [*schemes, {}] if is_open else schemes

    def get_operation(self, *args: Any) -> OpenApiShape | None:
        operation: OpenApiShape | None = super().get_operation(*args)
        if operation and operation["operationId"] in EMPTY_BODIES:
            operation["requestBody"].pop("required", None)
        body = (operation or {}).get("requestBody", {})
        if any(
            media_type.get("schema", {}).get("required")
            for media_type in body.get("content", {}).values()
        ):
            body["required"] = True
        for parameter in (operation or {}).get("parameters", ()):
            if parameter["in"] == "path" and parameter["name"] in SLUGS_IN_PATHS:
                parameter["schema"] = SLUG
            if parameter["in"] == "query" and not parameter.get("required"):
                _or_empty(parameter["schema"])
        return operation


def _or_empty(shape: OpenApiShape) -> None:
    """Allow an empty text in a query, except for a switch, where it may be a mistake."""
    if "enum" in shape and shape["enum"] != SWITCH["enum"]:
        shape["enum"] = list(dict.fromkeys([*shape["enum"], ""]))
    if shape.get("minLength") == 1:
        del shape["minLength"]


def without_nul(result: OpenApiShape, **kwargs: Any) -> OpenApiShape:
    """The schema with the pattern that forbids NUL added to every text of a request.

    drf-spectacular calls this last.
    """
    components = result.get("components", {}).get("schemas", {})
    visited_ids: set[int] = set()
    for methods in result["paths"].values():
        for operation in methods.values():
            for parameter in operation.get("parameters", ()):
                if parameter["in"] == "query":
                    _forbid_nul(parameter["schema"], components, visited_ids)
            for media_type in operation.get("requestBody", {}).get("content", {}).values():
                _forbid_nul(media_type["schema"], components, visited_ids)
    return result


def _forbid_nul(shape: Any, components: OpenApiShape, visited_ids: set[int]) -> None:
    """Add a pattern to the texts of a schema and of all schemas that it refers to."""
    if isinstance(shape, list):
        for part in shape:
            _forbid_nul(part, components, visited_ids)
    if not isinstance(shape, dict) or id(shape) in visited_ids:
        return
    visited_ids.add(id(shape))
    if "$ref" in shape:
        _forbid_nul(components[shape["$ref"].rpartition("/")[2]], components, visited_ids)
    if shape.get("type") == "string" and not shape.keys() & {"enum", "pattern", "format"}:
        shape["pattern"] = NO_NUL
    for name, part in shape.items():
        if name not in {"example", "default", "enum"}:
            _forbid_nul(part, components, visited_ids)


# No filter of ours is a geometry. Looking for some would start a compiler, which Django asks where
# the library GDAL is.
DjangoFilterExtension._has_gis = False  # type: ignore[attr-defined]


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """`Authorization: Bearer TOKEN`."""

    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: AutoSchema) -> dict[str, str]:
        return build_bearer_security_scheme_object("Authorization", "Bearer")


class StrictShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Describes a strict body: no further fields."""

    target_class = StrictSerializer
    match_subclasses = True

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> OpenApiShape:
        shape: OpenApiShape = auto_schema._map_serializer(  # type: ignore[no-untyped-call]
            self.target, direction, bypass_extensions=True
        )
        return {**shape, "additionalProperties": False}


class SchemaShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Describes a body by one of our schemas, without references."""

    target_class = Strict
    match_subclasses = True
    priority = 1

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:
        return str(self.target.__name__).removesuffix("Body")

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> OpenApiShape:
        return openapi_shape(TypeAdapter(self.target))
