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
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from drf_spectacular.utils import OpenApiExample, OpenApiParameter, extend_schema
from rest_framework.exceptions import APIException, UnsupportedMediaType
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.serializers import Serializer

from leaderboard.api.errors import LengthRequired
from leaderboard.api.parsers import StrictJSONParser
from leaderboard.api.unpacked_bodies import unpack_body
from leaderboard.rules.json.canonical import canonical
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.services.errors import ServiceError, first_and_more

Handler = TypeVar("Handler", bound=Callable[..., Any])
DeclaredParameter = OpenApiParameter | type[Serializer[Any]]
RequestErrors = dict[str, list[str]]

IF_MATCH_NAME = "If-Match"
DRY_RUN_NAME = "dry_run"
MAX_SHOWN = 80
MAX_NAMED = 20
"""The most unknown parameters or fields that an answer names."""


@dataclass(frozen=True, slots=True)
class AcceptedParameters:
    """The names of an operation's query parameters, and whether it expects a body.

    repeated: those of the parameters that may be given several times. if_match: whether it changes
    something only if it still has the `ETag` that is sent. by_field: whether it also has parameters
    for the declared fields of meta of its challenge.
    """

    query: frozenset[str]
    body: bool
    repeated: frozenset[str] = frozenset()
    if_match: bool = False
    by_field: bool = False


def operation(
    *,
    parameters: Sequence[DeclaredParameter] = (),
    request: Any = None,
    also: Iterable[str] = (),
    example: Any = None,
    **options: Any,
) -> Callable[[Handler], Handler]:
    """Declare a handler of an `ApiView`; parameters and bodies that are not declared are refused.

    parameters: those of the query and the header, or a serializer of the query. request: the type
    of the body; None if the operation accepts none. also: names of query parameters that the schema
    gets from the view's filters and pages. example: a JSON body that it accepts, for the schema and
    the documentation. options: further arguments of `extend_schema`.
    """
    if example is not None:
        options["examples"] = [OpenApiExample("body", example, request_only=True)]
    takes = AcceptedParameters(
        frozenset((*_names(parameters), *also)),
        request is not None,
        frozenset(parameter.name for parameter in parameters if _is_repeated(parameter)),
        any(
            isinstance(parameter, OpenApiParameter) and parameter.name == IF_MATCH_NAME
            for parameter in parameters
        ),
        any(getattr(parameter, "by_field", False) for parameter in parameters),
    )

    def declared(handler: Handler) -> Handler:
        handler.takes = takes  # type: ignore[attr-defined]
        documented: Handler = extend_schema(parameters=[*parameters], request=request, **options)(
            handler
        )
        return documented

    return declared


def accepted_by(handler: Callable[..., Any]) -> AcceptedParameters:
    """What a handler declares. Raises ImproperlyConfigured for one without `@operation`."""
    takes = getattr(handler, "takes", None)
    if not isinstance(takes, AcceptedParameters):
        raise ImproperlyConfigured(f"{handler.__qualname__} needs the decorator @operation")
    return takes


def check_request(request: Request, takes: AcceptedParameters) -> None:
    """Refuse query parameters, a body and an `If-Match` that the operation does not declare.

    Raises ServiceError (`invalid`) with the name of each, or `changed`; LengthRequired, and what
    `unpack_body` raises.
    """
    _check_if_match(request, takes)
    if request.META.get("HTTP_TRANSFER_ENCODING") and not request.META.get("CONTENT_LENGTH"):
        raise LengthRequired
    unpack_body(request)
    errors = dict(_wrong_parameters(request.query_params, takes))
    if not takes.body:
        errors |= _wrong_body(request)
    if errors:
        place, messages = next(iter(errors.items()))
        text = first_and_more(f"{place}: {messages[0]}", len(errors) - 1)
        raise ServiceError("invalid", text, errors)


def _check_if_match(request: Request, takes: AcceptedParameters) -> None:
    """Refuse a condition that would not be looked at: its sender relies on it."""
    wanted = request.headers.get(IF_MATCH_NAME, "*").strip()
    if wanted in ("", "*") or takes.if_match or request.method in SAFE_METHODS:
        return
    text = _("must be left out: this address has no ETag; got {sent}")
    text = text.format(sent=_shortened(wanted))
    raise ServiceError("changed", f"{IF_MATCH_NAME}: {text}", {IF_MATCH_NAME: [text]})


def _names(parameters: Sequence[DeclaredParameter]) -> Iterator[str]:
    for parameter in parameters:
        if not isinstance(parameter, OpenApiParameter):
            yield from map(str, parameter().fields)
        elif parameter.location == OpenApiParameter.QUERY:
            yield parameter.name


def _is_repeated(parameter: DeclaredParameter) -> TypeGuard[OpenApiParameter]:
    """Whether a parameter is a list whose values are given one by one, `?map=a&map=b`."""
    return isinstance(parameter, OpenApiParameter) and parameter.explode is True


def _wrong_parameters(
    query: Mapping[str, object], takes: AcceptedParameters
) -> Iterator[tuple[str, list[str]]]:
    for name, values in [*query.lists()][:MAX_NAMED]:  # type: ignore[attr-defined]
        if name not in takes.query:
            yield _shortened(name), [_unknown(f"{name}={values[0]}", takes.query)]
        elif len(values) > 1 and name not in takes.repeated:
            text = _("must be given once; got {count} values: {values}")
            yield name, [text.format(count=len(values), values=_listed(values))]


def _unknown(parameter: str, accepted: Iterable[str]) -> str:
    """Say which parameters there are. parameter: one that there is not, with its value."""
    names = ", ".join(sorted(accepted))
    if parameter.startswith(f"{DRY_RUN_NAME}="):
        text = _("must be left out: this operation has no dry run; got {sent}")
        return text.format(sent=_shortened(parameter))
    if not names:
        return _("no parameter is accepted; got {sent}").format(sent=_shortened(parameter))
    text = _("must be among {names}; got {sent}")
    return text.format(names=names, sent=_shortened(parameter))


def _wrong_body(request: Request) -> RequestErrors:
    """The errors for a body of an operation that accepts none; `{}` and `null` count as empty."""
    length = request.META.get("CONTENT_LENGTH") or "0"
    if not str(length).isdecimal() or not int(length):
        return {}
    if request.content_type.partition(";")[0].strip().lower() == "application/json":
        with suppress(InvalidJSON, ServiceError, APIException):
            fields = _json_of(request)
            if fields is None or isinstance(fields, dict):
                named = [*(fields or {}).items()][:MAX_NAMED]
                return {_shortened(name): [_unexpected(value)] for name, value in named}
    return {"body": [_not_empty(int(length), request.content_type)]}


def _not_empty(length: int, kind: str) -> str:
    if not kind:
        return ngettext(
            "must be empty; got {count} byte", "must be empty; got {count} bytes", length
        ).format(count=length)
    return ngettext(
        "must be empty; got {count} byte of {type}",
        "must be empty; got {count} bytes of {type}",
        length,
    ).format(count=length, type=_shortened(kind))


def _unexpected(value: Any) -> str:
    text = _("no field is accepted here; got {sent}")
    return text.format(sent=_shortened(canonical(value).decode()))


def _json_of(request: Request) -> Any:
    """The body's JSON value; the check of a session's CSRF token may have read it already."""
    try:
        read: Any = request.data
    except UnsupportedMediaType:  # The view's other operations accept no JSON.
        read = StrictJSONParser().parse(request.stream, request.content_type)
    return parse_json(read) if isinstance(read, bytes) else read


def _listed(values: Sequence[str]) -> str:
    return _shortened(", ".join(values[:MAX_NAMED]))


def _shortened(text: str) -> str:
    """A text, shortened for an answer."""
    return text if len(text) <= MAX_SHOWN else f"{text[:MAX_SHOWN]}…"
