"""The documentation of the API has every operation and object, and its examples are right."""

from __future__ import annotations

import gzip
import json
import re
import shlex
from typing import Any

import pytest
from django.test import Client, override_settings
from django.urls import resolve
from jsonschema import Draft4Validator

from leaderboard.pages.api_docs.document import METHODS, ApiShape, flat, openapi_document
from leaderboard.pages.api_docs.objects import ApiObjects
from leaderboard.pages.api_docs.operations import ApiOperation, groups_of
from leaderboard.pages.api_docs.page import docs_in
from tests.pages.reading import get

pytestmark = pytest.mark.once

DOCUMENT = openapi_document()
COMPONENTS = DOCUMENT["components"]["schemas"]
JSON = "application/json"
ORGANISERS_ONLY = "'looks_like' is a required property"
"""Examples are what participants read."""


@pytest.fixture(scope="module")
def operations() -> list[ApiOperation]:
    groups = groups_of(DOCUMENT, ApiObjects(COMPONENTS))
    return [operation for group in groups for operation in group.operations]


@pytest.fixture
def page(db: None) -> str:
    return get(Client(), "/api/docs/")


def test_the_pages_have_every_operation_and_object_once(page: str) -> None:
    ids = [
        name for html in docs_in("en").parts.values() for name in re.findall(r'id="([^"]+)"', html)
    ]
    assert len(ids) == len(set(ids))
    wanted = {operation["operationId"] for _, _, operation in declared()}
    wanted |= {name for name, shape in COMPONENTS.items() if shape.get("properties")}
    assert len(wanted) > 120
    assert wanted <= set(ids)


def test_every_link_of_the_pages_has_a_target(page: str) -> None:
    addresses = dict.fromkeys(re.findall(r'href="(/api/docs/[^"#]+)', page))
    assert len(addresses) > 10
    targets = {path: set(re.findall(r'id="([^"]+)"', get(Client(), path))) for path in addresses}
    for path in addresses:
        for where, name in re.findall(r'href="(/api/docs/[^"#]+)?#([^"]+)"', get(Client(), path)):
            assert name in targets[where or path], (path, where, name)
        assert "Object" not in targets[path], "an object within another one has no title"
    assert Client().get("/api/docs/nothing/").status_code == 404


def test_operations_are_searched_by_words(db: None) -> None:
    html = get(Client(), "/api/docs/?q=attempts+post")
    assert "#attempts_submit" in html
    assert "#leaderboard_read" not in html


def test_the_page_is_light_and_loads_nothing_from_third_parties(page: str) -> None:
    assert len(gzip.compress(page.encode(), 6)) < 60_000
    loaded = re.findall(r'<(?:script|link|img|iframe)[^>]*(?:src|href)="([^"]+)"', page)
    assert loaded
    assert all(address.startswith("/") for address in loaded)
    assert not re.search(r"<script(?![^>]*src=)|<style|style=|swagger", page)


@override_settings(PUBLIC_URL="https://podium.example.org")
def test_the_page_names_the_server(db: None) -> None:
    assert "export PODIUM=https://podium.example.org\n" in get(Client(), "/api/docs/")


def test_texts_of_the_schema_are_marked_as_english_in_other_languages() -> None:
    html = "".join(docs_in.__wrapped__("xx").parts.values())
    assert re.search(r'id="attempts_submit" lang="en"', html)
    assert 'lang="en"' not in "".join(docs_in.__wrapped__("en").parts.values())


def test_every_example_of_a_body_is_accepted_by_its_schema() -> None:
    for _, _, operation in declared():
        body = operation.get("requestBody", {}).get("content", {}).get(JSON)
        assert body is None or body.get("examples"), operation["operationId"]
        for example in (body or {}).get("examples", {}).values():
            check(example["value"], (body or {})["schema"], operation["operationId"])


def test_every_example_of_an_answer_agrees_with_its_schema() -> None:
    for _, _, operation in declared():
        for status, answer in operation["responses"].items():
            body = answer.get("content", {}).get(JSON, {})
            for example in body.get("examples", {}).values():
                check(example["value"], body["schema"], f"{operation['operationId']} {status}")


def test_example_commands_use_the_documented_parameters(operations: list[ApiOperation]) -> None:
    names = set()
    for operation in operations:
        assert operation.curls, operation.id
        for _, command in operation.curls:
            words = shlex.split(command)
            assert words[0] == "curl"
            method = words[words.index("-X") + 1] if "-X" in words else "GET"
            (address,) = [word for word in words if word.startswith("$PODIUM/")]
            view = resolve(address.removeprefix("$PODIUM")).func
            assert method == operation.method
            assert hasattr(view.view_class, method.lower()), operation.id  # type: ignore[attr-defined]
            if "-d" in words:
                json.loads(words[words.index("-d") + 1])
        names.add(operation.id)
    assert len(names) == len(list(declared()))


def test_only_what_needs_a_token_sends_one(operations: list[ApiOperation]) -> None:
    sent = {operation.id: "$TOKEN" in operation.curls[0][1] for operation in operations}
    assert sent["attempts_submit"]
    assert sent["grants_list"]
    assert not sent["leaderboard_read"]


def declared() -> list[tuple[str, str, ApiShape]]:
    return [
        (path, method, methods[method])
        for path, methods in DOCUMENT["paths"].items()
        for method in METHODS
        if method in methods
    ]


def check(value: Any, shape: ApiShape, where: str) -> None:
    """Check a value by a schema of OpenAPI 3.0, which has `nullable` instead of null."""
    schema = {**nullable(shape), "components": {"schemas": nullable(COMPONENTS)}}
    errors = [error.message for error in Draft4Validator(schema).iter_errors(value)]
    assert [error for error in errors if ORGANISERS_ONLY not in error] == [], where


def nullable(schema: Any) -> Any:
    if isinstance(schema, list):
        return [nullable(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    rest = {name: nullable(part) for name, part in schema.items() if name != "nullable"}
    return {"anyOf": [rest, {"enum": [None]}]} if schema.get("nullable") is True else rest


def test_types_are_written_in_words() -> None:
    row = {"$ref": "#/components/schemas/Row"}
    colour = {"$ref": "#/components/schemas/Colour"}
    cell = {"title": "Cell", "type": "object", "properties": {"n": {"type": "number"}}}
    objects = ApiObjects(
        {
            "Colour": {"type": "string", "enum": ["red", "blue"]},
            "Row": {"type": "object", "properties": {"rank": {}}},
        }
    )
    for shape, words in (
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "uuid", "nullable": True}, "UUID or null"),
        ({"type": "array", "items": {"type": "number"}}, "list of number"),
        (
            {"type": "array", "items": {"type": "number", "nullable": True}},
            "list of (number or null)",
        ),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "object of integer"),
        ({"type": "object", "additionalProperties": True}, "object"),
        ({"oneOf": [{"type": "string"}, {"type": "number"}]}, "string or number"),
        ({"oneOf": [{"type": "string"}, {"maxLength": 0}]}, "string"),
        (colour, "string"),
        (row, '<a href="#Row">Row</a>'),
        ({"allOf": [row], "nullable": True}, '<a href="#Row">Row</a> or null'),
        ({"oneOf": [colour, {"enum": [None]}]}, "string or null"),
        (cell, '<a href="#Cell">Cell</a>'),
        ({"type": "object", "properties": {"rank": {}}}, '<a href="#Row">Row</a>'),
    ):
        assert objects.type_of(shape) == words, shape


def test_objects_with_equal_fields_have_one_name() -> None:
    cell = {"title": "Cell", "type": "object", "properties": {"n": {"type": "number"}}}
    other = {"title": "Cell", "type": "object", "properties": {"m": {"type": "number"}}}
    fields = {"a": cell, "b": {**cell, "description": "Again."}, "c": other}
    objects = ApiObjects({"Row": {"type": "object", "properties": fields}})
    assert [component.name for component in objects.described()] == ["Cell", "Cell2", "Row"]


def test_limits_are_written_in_words() -> None:
    for shape, words in (
        ({"minLength": 1, "maxLength": 120}, ["1 to 120 characters"]),
        ({"minLength": 1}, ["not empty"]),
        ({"maxItems": 1000}, ["at most 1,000 entries"]),
        ({"minItems": 2, "maxItems": 2}, ["exactly 2"]),
        ({"minimum": 0, "maximum": 10}, ["0 to 10"]),
        ({"minimum": 0, "exclusiveMinimum": True, "maximum": 1}, ["more than 0", "at most 1"]),
        ({"minimum": 0.5}, ["at least 0.5"]),
        ({"pattern": "^[a-z]+$"}, ["matches <code>^[a-z]+$</code>"]),
        ({"pattern": "a" * 60}, []),
        ({"default": False}, ["default <code>false</code>"]),
        ({"default": None}, []),
    ):
        field = ApiObjects({}).field("name", {"type": "string", **shape}, required=True)
        assert list(field.limits) == words, shape


def test_choices_are_listed_once() -> None:
    shape = {
        "allOf": [{"$ref": "#/components/schemas/Decision"}],
        "description": "What follows.\n\n* `rescore` - Score everything again\n* `go_on` - Go on",
    }
    components = {"Decision": {"type": "string", "enum": ["rescore", "go_on"]}}
    field = ApiObjects(components).field("decision", shape, required=True)
    assert field.choices == ("rescore", "go_on")
    assert "Score everything again" in field.description
    assert "go_on" not in field.description
    assert flat(shape, components)["enum"] == ["rescore", "go_on"]
