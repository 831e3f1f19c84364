"""Organisers change the phases of a challenge; each change is public."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from functools import partial
from typing import Final

from django.db import transaction
from django.utils.translation import gettext

from leaderboard.models import Challenge, Phase, User
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.visibility.view import ViewSettings
from leaderboard.rules.visibility.withholding import Withholding
from leaderboard.schemas.fields import kind_of, row_names
from leaderboard.schemas.phase_fields import PhaseFields
from leaderboard.schemas.phases import written
from leaderboard.services.board.boards import add_boards
from leaderboard.services.board.standings.filling import fill_boards, refill_later
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.mail.decisions import tell_of_dates
from leaderboard.services.competition.quotas.recount import recount_quotas
from leaderboard.services.competition.schedule.ending import wait_after_change
from leaderboard.services.errors import ServiceError, invalid

VISIBILITIES: Final = ViewSettings._fields
WITHHELD: Final = Withholding._fields
COLUMNS: Final = row_names(PhaseFields)
"""The columns of a phase, by the names of its fields."""
MOMENTS: Final = [
    name for name, field in PhaseFields.model_fields.items() if kind_of(field).type is datetime
]
RANKING: Final = (
    "counted",
    "least_coverage",
    "decimals",
    "least_improvement",
    "significant_improvement",
)
"""The fields that, besides `counting`, decide the order of the board of a phase."""
COUNTED: Final = frozenset(("per_day", "per_week", "per_month", "total", "at_once", "limits_per"))
"""The fields whose change may require counters that do not exist yet."""


def phase_as_json(phase: Phase) -> JsonObject:
    """A phase as the API shows it."""
    moments = {name: written(at) if (at := getattr(phase, name)) else None for name in MOMENTS}
    plain = {name: getattr(phase, column) for name, column in COLUMNS.items()}
    return {**plain, "counting": phase.counting or None, **moments}


def add_phases(challenge: Challenge, wanted: Sequence[PhaseFields]) -> None:
    """The phases of a new challenge: the default one if it declares none."""
    for position, fields in enumerate(wanted or [PhaseFields()]):
        phase = Phase(challenge=challenge, position=position)
        _check_reveal(phase, fields, position)
        _fill(phase, fields)
        phase.save()
    _restrict(challenge, wanted)


def change_phases(
    challenge: Challenge, wanted: Sequence[PhaseFields], *, user: User | None
) -> None:
    """Give a challenge these phases, in this order; a phase is identified by its slug.

    Call it in a transaction that has locked the challenge (`lock_challenge`). Raises ServiceError:
    `conflict` if a phase with attempts would be removed.
    """
    existing = {phase.slug: phase for phase in challenge.phases.all()}
    wanted = wanted or [PhaseFields()]
    before = {slug: phase_as_json(phase) for slug, phase in existing.items()}
    _keep_renamed(existing, wanted)
    again: list[int] = []
    now, splits = received_now(), challenge.newest.parts is not None
    for position, fields in enumerate(wanted):
        phase = existing.pop(fields.slug, None) or Phase(challenge=challenge)
        _check_stays_ended(phase, fields, position)
        _check_reveal(phase, fields, position)
        if phase.pk:
            wait_after_change(phase, fields, now, has_private_tasks=splits)
            if _ranks_otherwise(phase, fields):
                again.append(phase.pk)
        _fill(phase, fields)
        phase.position = position
        phase.save()
    for gone in existing.values():
        _remove(gone)
    _restrict(challenge, wanted)
    added = add_boards(challenge)
    refill_later(again)
    if again or any(not board.is_complete for board in added):
        transaction.on_commit(partial(fill_boards, challenge))
    after = {phase.slug: phase_as_json(phase) for phase in challenge.phases.all()}
    tell_of_dates(challenge, before, after)
    if _tell(challenge, before, after, user):
        recount_quotas(challenge)


def _check_stays_ended(phase: Phase, fields: PhaseFields, position: int) -> None:
    """Refuse to open a phase again whose private scores are public. Raises ServiceError."""
    if phase.final_at is None:
        return
    if fields.closes_at is None or fields.closes_at > received_now():
        closes = None if fields.closes_at is None else written(fields.closes_at)
        wrong = gettext("must not be later than now, because the final scores have been computed")
        raise invalid(f"phases.{position}.closes_at", wrong, got=closes)
    if fields.final_part != phase.final_part:
        wrong = gettext("must be {part}, because the final scores have been computed")
        raise invalid(
            f"phases.{position}.final_part",
            wrong.format(part=phase.final_part),
            got=fields.final_part,
        )


def _check_reveal(phase: Phase, fields: PhaseFields, position: int) -> None:
    """Refuse to reveal a board before its phase closes. Raises ServiceError.

    Dates that a former release took stay valid until one of them changes.
    """
    revealed, closes = fields.reveals_at, fields.closes_at
    if revealed is None or closes is None or revealed >= closes:
        return
    if phase.pk and (revealed, closes) == (phase.reveals_at, phase.closes_at):
        return
    wrong = gettext("must not be before {moment}, when the phase closes").format(
        moment=written(closes)
    )
    raise invalid(f"phases.{position}.reveals_at", wrong, got=written(revealed))


def _fill(phase: Phase, fields: PhaseFields) -> None:
    for name, value in fields.model_dump().items():
        setattr(phase, COLUMNS[name], value)
    phase.counting = fields.counting or ""


def _restrict(challenge: Challenge, phases: Sequence[PhaseFields]) -> None:
    """Record whether any phase hides something; if none does, `access_of` reads no phases."""
    settings = [ViewSettings(*[getattr(phase, name) for name in VISIBILITIES]) for phase in phases]
    withheld = [Withholding(*[getattr(phase, name) for name in WITHHELD]) for phase in phases]
    hides = (
        any(phase.freezes_at is not None for phase in phases)
        or any(setting.hides_something for setting in settings)
        or any(withholding.hides_something for withholding in withheld)
    )
    if challenge.is_restricted != hides:
        challenge.is_restricted = hides
        challenge.save(update_fields=["is_restricted"])


def _ranks_otherwise(phase: Phase, fields: PhaseFields) -> bool:
    """Whether the board of a phase must be counted again after the change to these fields."""
    ruled = [phase.counting or None, *(getattr(phase, name) for name in RANKING)]
    return ruled != [fields.counting, *(getattr(fields, name) for name in RANKING)]


def _keep_renamed(existing: dict[str, Phase], wanted: Sequence[PhaseFields]) -> None:
    """Treat the only removed phase and the only new one as the same phase with a new slug."""
    new = [fields.slug for fields in wanted if fields.slug not in existing]
    gone = existing.keys() - {fields.slug for fields in wanted}
    if len(new) == len(gone) == 1:
        existing[new[0]] = existing.pop(gone.pop())


def _remove(phase: Phase) -> None:
    if phase.attempts.exists():
        wrong = gettext(
            "must keep the phase {slug}, which has attempts; got phases without it"
        ).format(slug=phase.slug)
        raise ServiceError("conflict", f"phases: {wrong}", {"phases": [wrong]})
    phase.delete()


def _tell(
    challenge: Challenge,
    before: Mapping[str, JsonObject],
    after: Mapping[str, JsonObject],
    user: User | None,
) -> bool:
    """Record what changed, an entry per phase; returns whether attempts must be counted again."""
    recount = False
    for slug in sorted(before.keys() | after.keys()):
        old, new = before.get(slug), after.get(slug)
        record(
            challenge.pk, AuditKind.PHASE, by=user, before=old, after=new, named=slug, public=True
        )
        changed = {name for name in COUNTED if (old or {}).get(name) != (new or {}).get(name)}
        recount = recount or bool(changed)
    return recount
