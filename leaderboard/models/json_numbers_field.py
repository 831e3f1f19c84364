"""A JSON field of numbers, which both databases return alike."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.backends.base.base import BaseDatabaseWrapper

from leaderboard.rules.json.stored_numbers import large_as_floats


class JsonNumbersField(models.JSONField):
    """Numbers by name, or objects of them: see `rules.json.stored_numbers`."""

    def deconstruct(self) -> Any:
        """The same in migrations as Django's field, since both store the same."""
        name, _, args, options = super().deconstruct()
        return name, "django.db.models.JSONField", args, options

    def from_db_value(self, value: Any, expression: Any, connection: BaseDatabaseWrapper) -> Any:
        parsed = super().from_db_value(value, expression, connection)
        return large_as_floats(value, parsed) if isinstance(value, str) else parsed
