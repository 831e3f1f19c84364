"""The entries of the audit log in words: labels of fields, and their values before and after."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from django.core.exceptions import FieldDoesNotExist
from django.db.models import Field, Model
from django.utils.dateparse import parse_datetime
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from leaderboard.languages.translation import number_text, translated
from leaderboard.models import (
    Announcement,
    AuditEntry,
    Challenge,
    ConditionSet,
    Participant,
    Phase,
    Registration,
    RegistrationRules,
    ScoringConfig,
    Verification,
)
from leaderboard.pages.labels.zones import UTC, in_zone
from leaderboard.services.errors import ServiceError
from leaderboard.services.standing.condition_sets import read_rules, rules_in_words

NOTHING: Final = "–"
_MODELS: Final[Mapping[str, tuple[type[Model], ...]]] = {
    AuditEntry.Kind.ADMISSION: (ConditionSet,),
    AuditEntry.Kind.ANNOUNCEMENT: (Announcement,),
    AuditEntry.Kind.ATTEMPT: (Verification,),
    AuditEntry.Kind.CHALLENGE: (Challenge,),
    AuditEntry.Kind.PARTICIPANT: (Participant,),
    AuditEntry.Kind.PHASE: (Phase,),
    AuditEntry.Kind.REGISTRATION: (Registration, Participant),
    AuditEntry.Kind.RULES: (RegistrationRules,),
    AuditEntry.Kind.SCORING: (ScoringConfig, Challenge),
}


def changed_fields(entry: AuditEntry) -> str:
    """The changed fields with their labels: `Closes: … → …`; of a new object: `Closes: …`."""
    before, after = entry.before or {}, entry.after or {}
    parts = []
    for name in sorted(before.keys() | after.keys()):
        field = _field(entry.kind, name)
        is_admission = entry.kind == AuditEntry.Kind.ADMISSION and name == "rules"
        text = _rules if is_admission else _text
        old, new = (text(field, values.get(name)) for values in (before, after))
        if (old, new) != (NOTHING, NOTHING):
            change = new if entry.before is None else f"{old} → {new}"
            parts.append(f"{_label(field, name)}: {change}")
    return "; ".join(parts)


def _field(kind: str, name: str) -> Field[Any, Any] | None:
    for model in _MODELS.get(kind, ()):
        try:
            field = model._meta.get_field(name)
        except FieldDoesNotExist:
            continue
        if isinstance(field, Field):
            return field
    return None


def _label(field: Field[Any, Any] | None, name: str) -> str:
    if field is None:
        return capfirst(name.replace("_", " "))
    return capfirst(str(field.verbose_name))


def _text(field: Field[Any, Any] | None, value: object) -> str:
    """A value as a reader of the page writes it."""
    if value in (None, "", [], {}):
        return NOTHING
    match value:
        case bool():
            return _("yes") if value else _("no")
        case int() | float():
            return number_text(f"{value:g}" if isinstance(value, float) else f"{value:,}")
        case list():
            return ", ".join(_text(None, item) for item in value)
        case dict():
            return ", ".join(f"{name} {_text(None, item)}" for name, item in value.items())
    text = str(value)
    choices = dict(field.flatchoices) if field is not None else {}
    if text in choices:
        return str(choices[text])
    moment = _moment(text)
    return in_zone(moment, UTC) if moment else text


def _rules(field: Field[Any, Any] | None, value: object) -> str:
    """Rules of admission in words; as they are stored if this version does not know them."""
    try:
        rules = read_rules(value or [])
    except ServiceError:
        return _text(field, value)
    return " ".join(translated(text) for text in rules_in_words(rules)) or NOTHING


def _moment(text: str) -> datetime | None:
    """A moment in UTC as the API writes it."""
    if not text.endswith(("Z", "+00:00")):
        return None
    try:
        return parse_datetime(text)
    except ValueError:
        return None
