"""Rows that are written without the ORM get the values that the ORM gives them."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, models

from leaderboard.models import Attempt, Participant, Registration
from leaderboard.models.bulk import _prepared

NOON = datetime(2026, 11, 27, 12, tzinfo=UTC)
BERLIN = timezone(timedelta(hours=1))
VALUES: dict[type[models.Field[Any, Any]], list[Any]] = {
    models.UUIDField: [uuid4(), uuid4()],
    models.DateTimeField: [NOON, NOON.replace(microsecond=7), NOON.astimezone(BERLIN)],
    models.DateField: [date(2026, 11, 27)],
    models.JSONField: [{}, {"a": [1.5, None]}, {"ä": True}],
    models.IntegerField: [Attempt.Priority.HISTORY, 7],
    models.CharField: [Attempt.Status.QUEUED, "text"],
}


@pytest.mark.django_db
@pytest.mark.parametrize("model", [Attempt, Participant, Registration])
def test_values_are_those_of_django(model: type[models.Model]) -> None:
    checked = 0
    for field in model._meta.concrete_fields:
        for kind, values in VALUES.items():
            if type(field) is kind:
                given = [*values, None, values[0], values[0]]
                prepared = [
                    value for (value,) in _prepared(connection, [field], [[v] for v in given])
                ]
                expected = [field.get_db_prep_save(value, connection) for value in given]
                assert list(map(repr, prepared)) == list(map(repr, expected)), field
                checked += 1
    assert checked > 3


@pytest.mark.django_db
def test_the_kinds_of_values_may_change_from_row_to_row() -> None:
    fields = [Attempt._meta.get_field("id"), Attempt._meta.get_field("meta")]
    rows: list[list[Any]] = [[uuid4(), {}], [uuid4(), {"a": 1}], [uuid4(), None], [uuid4(), {}]]
    prepared = list(_prepared(connection, fields, rows))
    for row, (key, meta) in zip(rows, prepared, strict=True):
        assert repr(key) == repr(fields[0].get_db_prep_save(row[0], connection))
        expected = fields[1].get_db_prep_save(row[1], connection)
        assert meta is row[1] is None or repr(meta) == repr(expected)
