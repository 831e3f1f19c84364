"""Filters by declared fields of meta, as a JSON object in a query."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _

from leaderboard.rules.json_values import JsonObject
from leaderboard.rules.meta_values import MetaField, MetaTest, fields_of
from leaderboard.rules.sent import sent
from leaderboard.rules.strict_json import InvalidJSON, parse_json
from leaderboard.services.errors import ServiceError, invalid

ENDS = {"min", "max"}


def meta_asked(text: str, declared: Any) -> tuple[MetaTest, ...]:
    """The filters of a query. declared: the challenge's `meta_fields`. Raises ServiceError."""
    if not text:
        return ()
    try:
        asked = parse_json(text.encode())
    except InvalidJSON as error:
        raise invalid("meta", str(error)) from None
    if not isinstance(asked, dict):
        raise invalid("meta", _("must be a JSON object; got {sent}").format(sent=sent(asked)))
    known = {field.name: field for field in fields_of(declared)}
    return tuple(_test(known, name, value) for name, value in asked.items())


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


def _test(known: Mapping[str, MetaField], name: str, value: Any) -> MetaTest:
    field = known.get(name)
    if field is None:
        wrong = _("must have declared fields, of {names}; got {sent}")
        names = ", ".join(known) or "–"
        raise invalid("meta", wrong.format(names=names, sent=sent(name)))
    if field.is_range and isinstance(value, dict) and value and set(value) <= ENDS:
        least, most = (_end(value.get(end)) for end in ("min", "max"))
        test = MetaTest(name, field.type, "", least, most)
    elif not field.is_range and isinstance(value, bool | str):
        said = value if isinstance(value, str) else str(value).lower()
        test = MetaTest(name, field.type, said)
    else:
        raise _wrong(field, value)
    if not test.is_right:
        raise _wrong(field, value)
    return test


def _end(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return "" if value is None else "?"
    return value if isinstance(value, str) else f"{value:.15g}"


def _wrong(field: MetaField, value: Any) -> ServiceError:
    wrong = {
        "number": _("{field}: must be an object with the numbers min or max; got {sent}"),
        "date": _(
            "{field}: must be an object with the days min or max, such as 2026-11-20; got {sent}"
        ),
        "boolean": _("{field}: must be true or false; got {sent}"),
        "link": _("{field}: must be true; got {sent}"),
        "text": _("{field}: must be a text; got {sent}"),
    }[field.type]
    return invalid("meta", wrong.format(field=field.name, sent=sent(value)))
