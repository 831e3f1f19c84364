"""Filters by declared fields of meta: a JSON object in a query, or a parameter for each field."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.meta_values import PREFIX, MetaField, MetaTest, fields_of
from leaderboard.schemas.errors import SchemaError, unknown_field
from leaderboard.schemas.meta_filter import meta_test
from leaderboard.services.errors import invalid
from leaderboard.services.wrong_parameter import UnknownParameter, WrongParameter

TAKEN: Final = frozenset(
    (
        *("q", "search", "sort", "page", "rows", "limit", "cursor", "phase", "columns", "kinds"),
        *("participant_kind", "bracket", "verified", "complete", "meta", "intervals", "groups"),
        *("show", "at", "family", "families", "for", "locale"),
    )
)
"""Parameters of boards. A field of another name that is a choice may be asked for without `meta.`,
as in `?openness=open`."""


def meta_asked(text: str, declared: Any) -> tuple[MetaTest, ...]:
    """The filters of a query. declared: the challenge's `meta_fields`. Raises ServiceError."""
    if not text:
        return ()
    try:
        asked = parse_json(text.encode())
    except InvalidJSON as error:
        raise invalid("meta", error.args[0]) from None
    if not isinstance(asked, dict):
        raise invalid("meta", _("must be a JSON object; got {sent}").format(sent=sent(asked)))
    declared_fields = {field.name: field for field in fields_of(declared)}
    return tuple(_test(declared_fields, name, value) for name, value in asked.items())


def meta_tests(query: Mapping[str, str], fields: Sequence[MetaField]) -> tuple[MetaTest, ...]:
    """The filters in the parameters of a query, such as `meta.size.max`. Raises WrongParameter."""
    names = {name for field in fields for name in parameters_of(field)}
    for name in query:
        if name.startswith(PREFIX) and name not in names:
            raise UnknownParameter(name, sorted(name for name in names if name.startswith(PREFIX)))
    tests = []
    for field in fields:
        given = {name: query.get(name, "").strip() for name in parameters_of(field)}
        if any(given.values()):
            ends = ("", *given.values()) if field.is_range else (_first(given), "", "")
            tests.append(MetaTest(field.name, field.type, *ends))
        for name, value in given.items():
            if value and not MetaTest(field.name, field.type, *_alone(field, value)).is_right:
                raise _wrong(field, name, value)
    return tuple(tests)


def parameters_of(field: MetaField) -> tuple[str, ...]:
    """The names of the parameters that filter by a field."""
    if field.is_range:
        return (f"{field.key}.min", f"{field.key}.max")
    is_short = field.type == "choice" and field.name not in TAKEN
    return (field.key, field.name) if is_short else (field.key,)


def _first(given: Mapping[str, str]) -> str:
    return next(filter(None, given.values()))


def meta_json(tests: tuple[MetaTest, ...]) -> JsonObject:
    """The filters as such an object."""
    return {test.name: _written(test) for test in tests}


def _written(test: MetaTest) -> Any:
    if test.type in ("boolean", "link"):
        return test.equals == "true"
    if test.type in ("number", "date"):
        ends = {"min": test.least, "max": test.most}
        read = float if test.type == "number" else str
        return {name: read(end) for name, end in ends.items() if end}
    return test.equals


def _test(declared_fields: Mapping[str, MetaField], name: str, value: object) -> MetaTest:
    field = declared_fields.get(name)
    if field is None:
        if not declared_fields:
            raise invalid("meta", translated(unknown_field(name, ())))
        wrong = _("must have declared fields, of {names}; got {sent}")
        raise invalid("meta", wrong.format(names=", ".join(declared_fields), sent=sent(name)))
    try:
        return meta_test(field, value)
    except SchemaError as error:
        raise invalid("meta", f"{error.field}: {translated(error.message)}") from None


def _alone(field: MetaField, value: str) -> tuple[str, str]:
    """The values of a test by a single parameter: equal to it, or not less."""
    return ("", value) if field.is_range else (value, "")


def _wrong(field: MetaField, name: str, value: str) -> WrongParameter:
    text = {
        "number": _("must be a number; got {sent}"),
        "date": _("must be a day, such as 2026-11-20; got {sent}"),
        "boolean": _("must be true or false; got {sent}"),
        "link": _("must be true; got {sent}"),
    }[field.type]  # any text is right for a field of type text
    options = ("true", "false")[: 2 if field.type == "boolean" else 1]
    is_listed = field.type in ("boolean", "link")
    return WrongParameter(name, text.format(sent=sent(value)), options if is_listed else ())
