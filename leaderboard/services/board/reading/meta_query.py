"""Filters by declared fields of meta, as a JSON object in a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.languages.translation import translated
from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.visibility.meta_values import MetaField, MetaTest, fields_of
from leaderboard.schemas.errors import SchemaError, unknown_field
from leaderboard.schemas.meta_filter import meta_test
from leaderboard.services.errors import invalid


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
