"""The operations of the API, grouped by subject."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any, Final

from django.utils.safestring import SafeString

from leaderboard.pages.api_docs.curl import curl_of, written_json
from leaderboard.pages.api_docs.document import METHODS, ApiShape, flat
from leaderboard.pages.api_docs.objects import ApiField, ApiObjects, as_html

JSON: Final = "application/json"


@dataclass(frozen=True, slots=True)
class ApiBody:
    """A kind of body that an operation accepts or answers.

    type: HTML; "" for files. fields: those of an object that has no name of its own.
    """

    media_type: str
    type: SafeString | str
    fields: tuple[ApiField, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiAnswer:
    status: int
    phrase: str
    description: SafeString
    body: ApiBody | None


@dataclass(frozen=True, slots=True)
class ApiOperation:
    """errors: status codes. curls: commands with a title each. example: an answer as JSON.

    can_try: whether a form of the page sends it: what reads, and what is sent without files.
    try_body: the JSON that the form begins with; None for no body.
    """

    id: str
    method: str
    path: str
    summary: str
    description: SafeString
    parameters: tuple[ApiField, ...]
    bodies: tuple[ApiBody, ...]
    answers: tuple[ApiAnswer, ...]
    errors: tuple[int, ...]
    curls: tuple[tuple[str, str], ...]
    example: str
    can_try: bool
    try_body: str | None


@dataclass(frozen=True, slots=True)
class ApiGroup:
    name: str
    description: str
    operations: tuple[ApiOperation, ...]


def groups_of(document: ApiShape, objects: ApiObjects) -> list[ApiGroup]:
    """All operations by tag; those under challenges first, then by path and method."""
    by_tag: dict[str, list[ApiOperation]] = {tag["name"]: [] for tag in document["tags"]}
    paths = sorted(
        document["paths"].items(), key=lambda item: ("challenges" not in item[0], item[0])
    )
    for path, methods in paths:
        for method in METHODS:
            if method in methods:
                read = _operation(path, method, methods[method], objects)
                by_tag.setdefault(methods[method]["tags"][0], []).append(read)
    texts = {tag["name"]: tag["description"] for tag in document["tags"]}
    return [
        ApiGroup(name, texts.get(name, ""), tuple(operations))
        for name, operations in by_tag.items()
    ]


def errors_of(document: ApiShape) -> list[tuple[int, str, SafeString]]:
    """The status codes of refusals, with their phrases and what they mean."""
    descriptions = {
        int(status): answer["description"]
        for methods in document["paths"].values()
        for operation in methods.values()
        for status, answer in operation["responses"].items()
        if int(status) >= 400
    }
    return [
        (code, HTTPStatus(code).phrase, as_html(descriptions[code]))
        for code in sorted(descriptions)
    ]


def _operation(path: str, method: str, shape: ApiShape, objects: ApiObjects) -> ApiOperation:
    content = shape.get("requestBody", {}).get("content", {})
    statuses = sorted(int(status) for status in shape["responses"])
    parameters = sorted(shape.get("parameters", ()), key=lambda field: field["in"] != "path")
    return ApiOperation(
        id=shape["operationId"],
        method=method.upper(),
        path=path,
        summary=shape["summary"],
        description=as_html(shape.get("description", "")),
        parameters=tuple(_parameter(parameter, objects) for parameter in parameters),
        bodies=tuple(_bodies(content, objects)),
        answers=tuple(
            _answer(statuse, shape["responses"][str(statuse)], objects)
            for statuse in statuses
            if statuse < 400
        ),
        errors=tuple(statuse for statuse in statuses if statuse >= 400),
        curls=tuple(_curls(path, method, shape, content)),
        example=_example_answer(shape["responses"]),
        can_try=method == "get" or (method == "post" and (not content or JSON in content)),
        try_body=_example_body(content[JSON]) if JSON in content else None,
    )


def _parameter(shape: ApiShape, objects: ApiObjects) -> ApiField:
    field = {**shape["schema"], "description": shape.get("description", "")}
    required = bool(shape.get("required"))
    return objects.field(shape["name"], field, required=required, place=shape["in"])


def _bodies(content: Mapping[str, Any], objects: ApiObjects) -> Iterator[ApiBody]:
    for media_type, content_shape in content.items():
        shape = flat(content_shape["schema"], objects.components)
        if shape.get("properties"):
            yield ApiBody(media_type, "", objects.fields_of(shape))
        else:
            yield ApiBody(media_type, objects.type_of(shape))


def _answer(status: int, shape: ApiShape, objects: ApiObjects) -> ApiAnswer:
    body = next(
        (
            ApiBody(media_type, objects.type_of(content_shape["schema"]))
            for media_type, content_shape in shape.get("content", {}).items()
        ),
        None,
    )
    return ApiAnswer(status, HTTPStatus(status).phrase, as_html(shape["description"]), body)


def _curls(path: str, method: str, shape: ApiShape, content: ApiShape) -> Iterator[tuple[str, str]]:
    """Yield a command for each example of a body, and for each body that is a file."""
    for media_type, content_shape in content.items():
        examples = content_shape.get("examples", {})
        for example in examples.values():
            text = curl_of(method, path, shape, media_type, example["value"])
            title = example.get("summary", "")
            yield media_type if title == "body" else title, text
        if media_type != "application/json":
            yield media_type, curl_of(method, path, shape, media_type, None)
    if not content:
        yield "", curl_of(method, path, shape, "", None)


def _example_body(content: ApiShape) -> str:
    return next(
        (written_json(example["value"]) for example in content.get("examples", {}).values()), "{}"
    )


def _example_answer(responses: ApiShape) -> str:
    for status in ("200", "201", "202"):
        for content_shape in responses.get(status, {}).get("content", {}).values():
            for example in content_shape.get("examples", {}).values():
                return written_json(example["value"])
    return ""
