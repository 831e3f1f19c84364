"""What the form for a phase asks before it saves a change that is hard to undo."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Final

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _

from leaderboard.models import Challenge, Phase
from leaderboard.pages.labels.zones import in_zone
from leaderboard.pages.manage.forms.phase_form import PhaseForm, PhaseQuestion
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.schemas.errors import checked
from leaderboard.schemas.phase_fields import PHASE, PhaseFields
from leaderboard.schemas.phases import written
from leaderboard.services.competition.schedule.ending import ends_now

END: Final = "end"
DATES: Final = "dates"
MOVE, KEEP = "move", "keep"
FOLLOWING: Final = ("freezes_at", "choose_until", "reveals_at")
"""The dates that hang on the end of a phase."""


def questions(
    challenge: Challenge, phase: Phase | None, form: PhaseForm, now: datetime
) -> list[PhaseQuestion]:
    """The questions about a valid form. Raises SchemaError if a field is wrong."""
    wanted: PhaseFields = checked(PHASE, form.sent())
    if phase is None:
        return []
    texts = []
    if following := _left_behind(phase, wanted):
        texts.append(_about_dates(phase, wanted, following))
    if not challenge.is_draft and ends_now(phase, wanted, now):
        texts.append(_about_end(challenge, wanted, now))
    return texts


def is_answered(asked: list[PhaseQuestion], data: QueryDict) -> bool:
    return all(data.get(question.name) for question in asked)


def answered(phase: Phase | None, form: PhaseForm, data: QueryDict) -> SentFields:
    """The fields of a valid form, in which the dates move with the end if that was asked for."""
    sent = form.sent()
    if phase is None or data.get(DATES) != MOVE:
        return sent
    wanted: PhaseFields = checked(PHASE, sent)
    if wanted.closes_at is None or phase.closes_at is None:
        return sent
    by = wanted.closes_at - phase.closes_at
    return sent | {name: written(getattr(phase, name) + by) for name in _left_behind(phase, wanted)}


def _left_behind(phase: Phase, wanted: PhaseFields) -> list[str]:
    """The dates that stay where they are while the end moves."""
    if None in (phase.closes_at, wanted.closes_at) or phase.closes_at == wanted.closes_at:
        return []
    return [
        name
        for name in FOLLOWING
        if getattr(phase, name) and getattr(phase, name) == getattr(wanted, name)
    ]


def _about_dates(phase: Phase, wanted: PhaseFields, following: list[str]) -> PhaseQuestion:
    texts = {
        "freezes_at": _("The board still freezes at {moment}."),
        "choose_until": _("Participants still choose until {moment}."),
        "reveals_at": _("The board is still revealed at {moment}."),
    }
    facts = [
        texts[name].format(moment=in_zone(getattr(wanted, name), phase.time_zone))
        for name in following
    ]
    field = forms.ChoiceField(
        label=_("The end moves. Do the dates that hang on it move by the same time?"),
        choices=[(MOVE, _("Move them with the end")), (KEEP, _("Leave them where they are"))],
        widget=forms.RadioSelect,
        required=False,
    )
    return PhaseQuestion(DATES, field, facts)


def _about_end(challenge: Challenge, wanted: PhaseFields, now: datetime) -> PhaseQuestion:
    field = forms.BooleanField(label=_("End the phase with this change"), required=False)
    return PhaseQuestion(END, field, [*_effects_of_end(challenge, wanted, now)])


def _effects_of_end(challenge: Challenge, wanted: PhaseFields, now: datetime) -> Iterator[str]:
    """What becomes public when a phase ends, and what nobody can do any more, a sentence each."""
    yield _("The phase ends at once, and takes no attempts any more.")
    yield from _published(challenge, wanted, now)
    if _has_finals(challenge, wanted) and not _stays_frozen(wanted, now):
        yield _(
            "The final scores are computed ten minutes after you save, or when you confirm the end"
            " on the page of phases. Until then you can take the end back, and afterwards the phase"
            " cannot be opened again."
        )


def _published(challenge: Challenge, wanted: PhaseFields, now: datetime) -> Iterator[str]:
    if _has_finals(challenge, wanted):
        if _stays_frozen(wanted, now):
            yield _("The final scores on private tasks are computed when the board is revealed.")
        elif wanted.final_part == TaskPart.ALL:
            yield _("The final scores on all tasks, the private ones too, become public.")
        else:
            yield _("The final scores on the private tasks become public.")
    if wanted.scores_delayed:
        yield _("The scores and the board become public.")
    if wanted.names == "anonymous":
        yield _("The names of the participants become public.")
    if wanted.attempts == "after_end":
        yield _("The attempts of all participants become public.")


def _has_finals(challenge: Challenge, wanted: PhaseFields) -> bool:
    return challenge.newest.parts is not None and wanted.final_part != TaskPart.PUBLIC


def _stays_frozen(wanted: PhaseFields, now: datetime) -> bool:
    frozen = wanted.freezes_at is not None and wanted.freezes_at <= now
    return frozen and (wanted.reveals_at is None or wanted.reveals_at > now)
