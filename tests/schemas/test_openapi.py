"""What OpenAPI 3.0 says of a schema."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field, TypeAdapter

from leaderboard.schemas.base import Items, Shorthand, Strict
from leaderboard.schemas.numbers import Share
from leaderboard.schemas.openapi import openapi_shape


class Part(Strict):
    name: str
    kind: Literal["part"] = "part"


def test_limits_and_null_are_written_as_openapi_3_0_has_them() -> None:
    cases: list[tuple[Any, dict[str, Any]]] = [
        (Share, {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1}),
        (int | None, {"type": "integer", "nullable": True}),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (dict[str, Share | None], {"type": "object"}),
        (Annotated[tuple[str, ...], Items(3)], {"type": "array", "maxItems": 3, "minItems": 0}),
    ]
    for kind, shape in cases:
        assert shape.items() <= openapi_shape(TypeAdapter(kind)).items(), kind


def test_references_are_written_out_and_objects_keep_their_names() -> None:
    shape = openapi_shape(TypeAdapter(list[Part]))
    assert shape == {
        "type": "array",
        "items": {
            "title": "Part",
            "type": "object",
            "properties": {
                "name": {"type": "string"},
                "kind": {"type": "string", "enum": ["part"], "default": "part"},
            },
            "required": ["name"],
            "additionalProperties": False,
        },
    }


def test_a_shorthand_is_one_of_two() -> None:
    shape = openapi_shape(TypeAdapter(Annotated[Part, Shorthand("name", 9)]))
    text, written_out = shape["anyOf"]
    assert text == {"type": "string", "minLength": 1, "maxLength": 9}
    assert written_out["required"] == ["name"]


def test_a_default_that_could_not_be_sent_is_left_out() -> None:
    class Named(Strict):
        name: Annotated[str, Field(min_length=1)] = ""
        size: int = 4

    properties = openapi_shape(TypeAdapter(Named))["properties"]
    assert "default" not in properties["name"]
    assert properties["size"]["default"] == 4
