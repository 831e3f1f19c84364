"""The accepted parameters and body of each operation, for the schema and for the server.

`operation` is drf-spectacular's `extend_schema`. It also keeps what it declares with the handler,
and `ApiView` refuses everything else, so the schema and the behaviour cannot differ.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard, TypeVar

from django.core.exceptions import ImproperlyConfigured
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from leaderboard.api.errors import LengthRequired
from leaderboard.rules.canonical_json import canonical
from leaderboard.rules.strict_json import InvalidJSON, parse_json
from leaderboard.services.errors import ServiceError

Handler = TypeVar("Handler", bound=Callable[..., Any])
Parameter = OpenApiParameter | type[Serializer[Any]]
Errors = dict[str, list[str]]

MAX_SHOWN = 80
MAX_NAMED = 20
"""The most unknown parameters or fields that an answer names."""


@dataclass(frozen=True, slots=True)
class Takes:
    """The names of an operation's query parameters, and whether it expects a body.

    repeated: those of the parameters that may be given several times.
    """

    query: frozenset[str]
    body: bool
    repeated: frozenset[str] = frozenset()


def operation(
    *,
    parameters: Sequence[Parameter] = (),
    request: Any = None,
    also: Iterable[str] = (),
    example: Any = None,
    **said: Any,
) -> Callable[[Handler], Handler]:
    """Declare a handler of an `ApiView`; parameters and bodies that are not declared are refused.

    parameters: those of the query and the header, or a serializer of the query. request: the type
    of the body; None if the operation accepts none. also: names of query parameters that the schema
    gets from the view's filters and pages. example: a JSON body that it accepts, for the schema and
    the documentation. said: further arguments of `extend_schema`.
    """
    if example is not None:
        said["examples"] = [OpenApiExample("body", example, request_only=True)]
    takes = Takes(
        frozenset((*_names(parameters), *also)),
        request is not None,
        frozenset(each.name for each in parameters if _is_repeated(each)),
    )

    def declared(handler: Handler) -> Handler:
        handler.takes = takes  # type: ignore[attr-defined]
        documented: Handler = extend_schema(parameters=[*parameters], request=request, **said)(
            handler
        )
        return documented

    return declared


def taken_by(handler: Callable[..., Any]) -> Takes:
    """What a handler declares. Raises ImproperlyConfigured for one without `@operation`."""
    takes = getattr(handler, "takes", None)
    if not isinstance(takes, Takes):
        raise ImproperlyConfigured(f"{handler.__qualname__} needs the decorator @operation")
    return takes


def check_request(request: Request, takes: Takes) -> None:
    """Refuse query parameters and a body that the operation does not declare.

    Raises ServiceError (`invalid`) with the name of each, and LengthRequired.
    """
    if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
        raise LengthRequired
    errors = dict(_wrong_parameters(request.query_params, takes))
    if not takes.body:
        errors |= _wrong_body(request)
    if errors:
        place, messages = next(iter(errors.items()))
        more = f" (and {len(errors) - 1} more)" if len(errors) > 1 else ""
        raise ServiceError("invalid", f"{place}: {messages[0]}{more}", errors)


def _names(parameters: Sequence[Parameter]) -> Iterator[str]:
    for each in parameters:
        if not isinstance(each, OpenApiParameter):
            yield from map(str, each().fields)
        elif each.location == OpenApiParameter.QUERY:
            yield each.name


def _is_repeated(parameter: Parameter) -> TypeGuard[OpenApiParameter]:
    """Whether a parameter is a list whose values are given one by one, `?map=a&map=b`."""
    return isinstance(parameter, OpenApiParameter) and parameter.explode is True


def _wrong_parameters(query: Mapping[str, object], takes: Takes) -> Iterator[tuple[str, list[str]]]:
    known = takes.query
    accepted = f"must be among {', '.join(sorted(known))}" if known else "no parameter is accepted"
    for name, values in [*query.lists()][:MAX_NAMED]:  # type: ignore[attr-defined]
        if name not in known:
            yield _shown(name), [f"{accepted}; got {_shown(f'{name}={values[0]}')}"]
        elif len(values) > 1 and name not in takes.repeated:
            yield name, [f"must be given once; got {len(values)} values: {_listed(values)}"]


def _wrong_body(request: Request) -> Errors:
    """The errors for a body of an operation that accepts none; `{}` and `null` count as empty."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not str(length).isdecimal() or not int(length):
        return {}
    if request.content_type.partition(";")[0].strip().lower() == "application/json":
        with suppress(InvalidJSON, ServiceError, APIException):
            fields = _json_of(request)
            if fields is None or isinstance(fields, dict):
                named = [*(fields or {}).items()][:MAX_NAMED]
                return {_shown(name): [_unexpected(value)] for name, value in named}
    kind = f" of {_shown(request.content_type)}" if request.content_type else ""
    return {"body": [f"must be empty; got {length} bytes{kind}"]}


def _unexpected(value: Any) -> str:
    return f"no field is accepted here; got {_shown(canonical(value).decode())}"


def _json_of(request: Request) -> Any:
    """The body's JSON value; the check of a session's CSRF token may have read it already."""
    read: Any = request.data
    return parse_json(read) if isinstance(read, bytes) else read


def _listed(values: Sequence[str]) -> str:
    return _shown(", ".join(values[:MAX_NAMED]))


def _shown(text: str) -> str:
    """A text, shortened for an answer."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
