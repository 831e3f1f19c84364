"""The rules of admission of a challenge, in numbered revisions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db import transaction
from django.db.models import Max
from django.utils.translation import gettext as _

from leaderboard.conditions import PRESETS, Condition, parse_rules
from leaderboard.models import Attempt, Challenge, ConditionSet, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.samples import MAX_NAME
from leaderboard.rules.texts.nearest import nearest
from leaderboard.schemas.errors import SchemaError
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.errors import invalid, refused
from leaderboard.services.events.record import EventKind, record_event

Rules = tuple[Condition, ...]


def rules_of(condition_set_id: int | None) -> Rules:
    """The rules of a revision; none without one."""
    if condition_set_id is None:
        return ()
    return parse_rules(
        ConditionSet.objects.values_list("rules", flat=True).get(pk=condition_set_id)
    )


def condition_set_of(challenge: Challenge) -> ConditionSet | None:
    """The newest revision of a challenge's rules; None if it never had any."""
    if challenge.condition_set_id is None:
        return None
    return ConditionSet.objects.get(pk=challenge.condition_set_id)


def read_rules(rules: object) -> Rules:
    """Rules of a request. Raises ServiceError (`invalid`)."""
    try:
        return parse_rules(rules)
    except SchemaError as error:
        raise refused(error) from None


def preset(name: str) -> list[object]:
    """The rules of a preset. Raises ServiceError (`invalid`)."""
    if name not in PRESETS:
        meant = nearest(name[:MAX_NAME], PRESETS)
        accepted = ", ".join(PRESETS)
        if meant:
            text = _("must be one of {accepted} (did you mean {meant}?)")
        else:
            text = _("must be one of {accepted}")
        raise invalid("preset", text.format(accepted=accepted, meant=meant), got=name)
    return list(PRESETS[name].rules)


def publish_rules(
    challenge: Challenge, rules: object, *, by: User, since: datetime | None = None
) -> ConditionSet:
    """Make a new revision of a challenge's rules, under which all later attempts are judged.

    rules: a JSON list. since: only attempts that arrived from then on are judged; None: earlier
    ones are judged too, in slices. Returns the present revision if nothing changes. Raises
    ServiceError (`invalid`).
    """
    parsed = read_rules(rules)
    written = [rule.model_dump(mode="json") for rule in parsed]
    with transaction.atomic():
        locked = Challenge.objects.lock_challenge(challenge.pk)
        before = condition_set_of(locked)
        if before is not None and (before.rules, before.since) == (written, since):
            return before
        last = ConditionSet.objects.filter(challenge=challenge).aggregate(last=Max("number"))
        made = ConditionSet.objects.create(
            challenge=challenge,
            number=(last["last"] or 0) + 1,
            rules=written,
            since=since,
            by=by,
            is_judged=not Attempt.objects.filter(challenge=challenge).exists(),
        )
        ConditionSet.objects.filter(challenge=challenge, is_judged=False).exclude(
            pk=made.pk
        ).update(is_judged=True)
        Challenge.objects.filter(pk=challenge.pk).update(condition_set=made)
        Challenge.objects.bump(challenge.pk)
        record(
            challenge.pk,
            AuditKind.ADMISSION,
            by=by,
            before=_for_log(before) if before else None,
            after=_for_log(made),
            named=str(made.number),
            public=True,
        )
        record_event(
            challenge.pk, EventKind.CONDITIONS, {"number": made.number}, secret=_for_log(made)
        )
    challenge.condition_set = made
    return made


def rules_in_words(rules: Sequence[Condition]) -> list[str]:
    """A sentence for each rule."""
    return [rule.sentence() for rule in rules]


def _for_log(condition_set: ConditionSet) -> JsonObject:
    since = condition_set.since
    return {"rules": condition_set.rules, "since": since.isoformat() if since else None}
