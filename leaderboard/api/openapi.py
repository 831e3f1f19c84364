"""Request bodies whose OpenAPI description comes from a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.openapi import AutoSchema
from drf_spectacular.utils import Direction
from pydantic import TypeAdapter

from leaderboard.schemas.openapi import JsonShape, openapi_shape


class JsonBody:
    """A body that `schema` checks. Its OpenAPI component is named like the class, without `Body`.

    also_in_schema: further keywords of its description.
    """

    schema: ClassVar[TypeAdapter[Any]]
    also_in_schema: ClassVar[Mapping[str, Any]] = {}


class JsonBodyShape(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    target_class = JsonBody
    match_subclasses = True

    def get_name(self, auto_schema: AutoSchema, direction: Direction) -> str:
        kind = self.target if isinstance(self.target, type) else type(self.target)
        return kind.__name__.removesuffix("Body")

    def map_serializer(self, auto_schema: AutoSchema, direction: Direction) -> JsonShape:
        return {**openapi_shape(self.target.schema), **self.target.also_in_schema}
