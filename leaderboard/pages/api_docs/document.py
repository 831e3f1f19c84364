"""The OpenAPI document of the API, as `/api/schema/` serves it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from django.utils import translation
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiJsonRenderer

from leaderboard.languages.translation import ENGLISH
from leaderboard.rules.json.untyped_dicts import OpenApiShape

ApiShape = Mapping[str, Any]
"""A part of the document: the JSON schema of a value."""

METHODS: Final = ("get", "post", "put", "patch", "delete")
NO_NUL: Final = r"^[^\u0000]*$"
"""The pattern of every text of a request, which says nothing to readers."""


@cache
def openapi_document() -> ApiShape:
    """The document, without the pattern that forbids NUL. It is the same for all readers."""
    with translation.override(ENGLISH):
        generated = SchemaGenerator().get_schema(public=True)  # type: ignore[no-untyped-call]
        read: ApiShape = json.loads(OpenApiJsonRenderer().render(generated), object_hook=_plain)
    return read


def _plain(schema: OpenApiShape) -> OpenApiShape:
    if schema.get("pattern") == NO_NUL:
        del schema["pattern"]
    return schema


def flat(shape: ApiShape, components: Mapping[str, ApiShape]) -> ApiShape:
    """A schema in which a single `allOf`, enums and alternatives by reference, and options for ""
    and null are written out. References to objects stay."""
    if len(shape.get("allOf", ())) == 1:
        shape = {**shape["allOf"][0], **_without(shape, "allOf")}
    if "$ref" in shape:
        target = components[referred(shape)]
        if "enum" in target or ("oneOf" in target and "properties" not in target):
            shape = {**_without(target, "description"), **_without(shape, "$ref")}
    return _without_alternatives(shape, components)


def _without_alternatives(shape: ApiShape, components: Mapping[str, ApiShape]) -> ApiShape:
    """The schema without options that only say that "" or null is accepted too."""
    for name in ("oneOf", "anyOf"):
        if name not in shape or "properties" in shape:
            continue
        options = [flat(option, components) for option in shape[name]]
        kept = [option for option in options if not _says_nothing(option)]
        is_nullable = any(option.get("enum") == [None] for option in options)
        more = {"nullable": True} if is_nullable else {}
        if len(kept) == 1:
            return {**kept[0], **_without(shape, name), **more}
        return {**shape, name: kept, **more}
    return shape


def _says_nothing(option: ApiShape) -> bool:
    return option.get("enum") in ([None], [""]) or option.get("maxLength") == 0


def referred(shape: ApiShape) -> str:
    """The name of the component that a schema refers to; "" if it does not."""
    return str(shape.get("$ref", "")).rpartition("/")[2]


def _without(shape: ApiShape, *names: str) -> OpenApiShape:
    return {name: value for name, value in shape.items() if name not in names}
