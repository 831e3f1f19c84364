"""What counts as a change of the models."""

from __future__ import annotations

from typing import Any, Final

from django.db.migrations.autodetector import MigrationAutodetector
from django.db.models import Field

NOT_STORED: Final = ("help_text", "validators", "verbose_name")


class ChangeDetector(MigrationAutodetector):
    """Django's, but another label, help or validator of a column needs no migration."""

    def deep_deconstruct(self, obj: Any) -> Any:
        deconstructed = super().deep_deconstruct(obj)
        if not isinstance(obj, Field):
            return deconstructed
        path, values, options = deconstructed
        return path, values, {name: options[name] for name in options if name not in NOT_STORED}
