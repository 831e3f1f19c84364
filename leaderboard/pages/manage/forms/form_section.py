"""A group of fields in a long form."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.forms import BoundField
from django.utils.functional import Promise


@dataclass(frozen=True, slots=True)
class FormSection:
    """Some fields below a heading, in the form of the template of forms."""

    title: str | Promise
    fields: Sequence[BoundField]
    non_field_errors: Iterable[Any] = ()

    def __iter__(self) -> Iterator[BoundField]:
        return iter(self.fields)
