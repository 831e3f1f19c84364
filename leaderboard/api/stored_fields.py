"""Fields of answers that show stored values, described by a schema."""

from __future__ import annotations

from typing import Any

from drf_spectacular.drainage import set_override
from rest_framework import serializers

from leaderboard.schemas.openapi import JsonShape

SerializerField = serializers.Field[Any, Any, Any, Any]


class StoredField(SerializerField):
    """A value that is shown as it is stored.

    shape: its OpenAPI schema. source: the path of the attribute, if it has another name.
    """

    def __init__(self, *, shape: JsonShape, source: str | None = None) -> None:
        super().__init__(read_only=True, source=source)
        set_override(self, "field", shape)

    def to_representation(self, value: Any) -> Any:
        return value
