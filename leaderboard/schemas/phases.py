"""The phases of a challenge: their dates and the limits on attempts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Annotated, Final

from pydantic import AfterValidator, Field, PlainValidator, ValidationInfo, WithJsonSchema

from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.rules.texts.local_times import known_zones, read_moment
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Accepts, Items, Strict
from leaderboard.schemas.choices import (
    AttemptsVisibility,
    BoardVisibility,
    Counting,
    LimitsPer,
    NamesVisibility,
    NotesVisibility,
    ScoresVisibility,
)
from leaderboard.schemas.errors import WrongPart
from leaderboard.schemas.texts import Line

MAX_PHASES: Final = 20
MOST: Final = 1_000_000
MOST_DECIMALS: Final = 10
MOST_GRACE: Final = 3600
MOST_COUNTED: Final = 100
LEAST_IMPROVEMENT: Final = 1e-9
MOST_IMPROVEMENT: Final = 1e9
MAIN: Final = "main"
"""The slug of the phase of a challenge that declares none."""


def _zone(name: str) -> str:
    if name not in known_zones():
        raise ValueError(
            message(
                "must be a time zone of the IANA database, like Europe/Berlin or UTC; got {sent}",
                sent=sent(name),
            )
        )
    return name


def _moment(value: object, info: ValidationInfo) -> datetime | None:
    if value is None:
        return None
    return read_moment(value, info.data.get("time_zone", "UTC"))


PhaseMoment = Annotated[
    datetime | None,
    PlainValidator(_moment),
    WithJsonSchema({"anyOf": [{"type": "string", "maxLength": 40}, {"type": "null"}]}),
]
_Choice: Final = Field(strict=False)
"""An enumerated value, which JSON has as a text."""
Attempts = Annotated[int, Field(ge=1, le=MOST)]
GraceSeconds = Annotated[int, Field(ge=0, le=MOST_GRACE)]
Decimals = Annotated[int, Field(ge=0, le=MOST_DECIMALS)]
Improvement = Annotated[float, Field(ge=LEAST_IMPROVEMENT, le=MOST_IMPROVEMENT)]
PhaseCoverage = Annotated[float, Field(ge=0, le=1)]


class PhaseFields(Strict):
    """A phase of a challenge, by the names of the API."""

    slug: Annotated[
        str,
        Field(
            max_length=80,
            pattern="^[a-z0-9]+(-[a-z0-9]+)*$",
            description="Stands in addresses, and says which phase of the challenge this is.",
        ),
        Accepts(message("must be lower-case letters, digits and single hyphens, at most 80")),
    ] = MAIN
    name: Annotated[str, Line(120, least=0)] = ""
    time_zone: Annotated[
        str,
        Field(max_length=64, description="Where the days and weeks of limits begin."),
        AfterValidator(_zone),
    ] = "UTC"
    opens_at: Annotated[PhaseMoment, Field(description="The first moment of the phase.")] = None
    closes_at: Annotated[PhaseMoment, Field(description="The first moment after the phase.")] = None
    grace_seconds: Annotated[
        GraceSeconds,
        Field(description="How many seconds after `closes_at` an attempt may still arrive."),
    ] = 0
    per_day: Annotated[Attempts | None, Field(description="Attempts on a calendar day.")] = None
    per_week: Annotated[Attempts | None, Field(description="Attempts from Monday to Sunday.")] = (
        None
    )
    total: Annotated[Attempts | None, Field(description="Attempts in the whole phase.")] = None
    at_once: Annotated[Attempts | None, Field(description="Attempts that wait for a score.")] = None
    count_failed: Annotated[
        bool, Field(description="Whether attempts that fail count towards the limits.")
    ] = True
    limits_per: Annotated[
        LimitsPer,
        _Choice,
        Field(
            description="For whom the limits count: for an `account` under all of its names"
            " together, or for each `name` by itself."
        ),
    ] = LimitsPer.ACCOUNT
    board: Annotated[
        BoardVisibility,
        Counting,
        _Choice,
        Field(description="Who sees the board; `own`: each participant sees their own row."),
    ] = BoardVisibility.PUBLIC
    scores: Annotated[
        ScoresVisibility,
        _Choice,
        Field(description="Whose scores readers see: those of everyone, their own, or none."),
    ] = ScoresVisibility.SHOWN
    attempts: Annotated[
        AttemptsVisibility,
        _Choice,
        Field(description="Whose attempts readers can open; `after_end`: everyone's then."),
    ] = AttemptsVisibility.PUBLIC
    names: Annotated[
        NamesVisibility,
        _Choice,
        Field(description="`anonymous`: other participants have no names before the end."),
    ] = NamesVisibility.SHOWN
    notes: Annotated[
        NotesVisibility,
        _Choice,
        Field(
            description="Who sees notes and meta; `auto`: everyone, if the phase hides nothing else"
        ),
    ] = NotesVisibility.AUTO
    counting: Annotated[
        Counting | None,
        _Choice,
        Field(description="Which attempts count; null: as the scoring of the challenge says."),
    ] = None
    counted: Annotated[
        Annotated[int, Field(ge=1, le=MOST_COUNTED)] | None,
        Field(
            description="How many attempts a participant may choose (`chosen`), or of how many last"
            " ones the mean counts (`mean`); null: 3."
        ),
    ] = None
    choose_until: Annotated[
        PhaseMoment,
        Field(description="Until when participants choose; null: until the phase closes."),
    ] = None
    freezes_at: Annotated[
        PhaseMoment,
        Field(
            description="From then on, only organisers see what later attempts change on the board."
        ),
    ] = None
    reveals_at: Annotated[
        PhaseMoment,
        Field(description="When the frozen board ends; null: when organisers reveal it."),
    ] = None
    own_while_frozen: Annotated[
        bool,
        Field(description="Whether participants see their own results while it is frozen."),
    ] = True
    decimals: Annotated[
        Decimals | None,
        Field(description="Digits after the point of the scores that readers see; null: exact."),
    ] = None
    scores_delayed: Annotated[
        bool, Field(description="Whether scores are hidden until the phase has ended.")
    ] = False
    least_coverage: Annotated[
        PhaseCoverage | None,
        Field(description="A score over a smaller share of the tasks is hidden; null: none."),
    ] = None

    least_improvement: Annotated[
        Improvement | None,
        Field(
            description="By how much an attempt has to improve the score that counts, otherwise the"
            " board does not move and the attempt's own score is hidden; null: any improvement"
            " counts. Scores are rounded to its digits. Only where the best attempt counts."
        ),
    ] = None

    final_part: Annotated[
        TaskPart,
        _Choice,
        Field(
            description="The tasks that count at the end, where some tasks of the challenge are "
            "private; `public`: none of them ever does."
        ),
    ] = TaskPart.PRIVATE

    overlaps: Annotated[
        bool, Field(description="Whether its dates may overlap those of other phases.")
    ] = False
    face: Annotated[
        bool,
        Field(
            description="Whether the challenge shows this phase where none is named, once it has "
            "opened; if no phase is named as its face, that is the one that closed last."
        ),
    ] = False


def _in_order(phases: tuple[PhaseFields, ...]) -> tuple[PhaseFields, ...]:
    """Refuse phases that share a slug, that close before they open, or that overlap.

    In a phase with a least improvement the best attempt counts, whatever the challenge says.
    """
    for place, wrong in _faults(phases):
        raise WrongPart(place, wrong)
    return tuple(
        phase.model_copy(update={"counting": Counting.BEST}) if phase.least_improvement else phase
        for phase in phases
    )


def _faults(phases: Sequence[PhaseFields]) -> Iterator[tuple[str, Message]]:
    slugs: set[str] = set()
    for at, phase in enumerate(phases):
        if phase.slug in slugs:
            yield (
                f"{at}.slug",
                message("must be one that no other phase has; got {slug}", slug=phase.slug),
            )
        slugs.add(phase.slug)
        if phase.opens_at and phase.closes_at and phase.opens_at >= phase.closes_at:
            wrong = message("must be after opens_at; got {moment}", moment=written(phase.closes_at))
            yield f"{at}.closes_at", wrong
        if phase.scores_delayed and phase.closes_at is None:
            yield (
                f"{at}.scores_delayed",
                message("must be false in a phase that never closes; got true"),
            )
        if phase.least_improvement and phase.counting not in (None, Counting.BEST):
            yield (
                f"{at}.least_improvement",
                message(
                    "must be null unless the best attempt counts; got {sent}",
                    sent=phase.least_improvement,
                ),
            )
        yield from _freeze(at, phase)
    plain = [(at, phase) for at, phase in enumerate(phases) if not phase.overlaps]
    for before, after in pairwise(plain):
        yield from _overlap(*before, *after)


def _freeze(at: int, phase: PhaseFields) -> Iterator[tuple[str, Message]]:
    """Why a phase cannot freeze then, or be revealed then."""
    frozen, revealed = phase.freezes_at, phase.reveals_at
    if frozen and phase.opens_at and frozen <= phase.opens_at:
        wrong = message("must be after opens_at; got {moment}", moment=written(frozen))
        yield f"{at}.freezes_at", wrong
    if frozen and phase.closes_at and frozen > phase.closes_at:
        wrong = message("must not be after closes_at; got {moment}", moment=written(frozen))
        yield f"{at}.freezes_at", wrong
    if revealed and (frozen is None or revealed <= frozen):
        wrong = message("must be after freezes_at; got {moment}", moment=written(revealed))
        yield f"{at}.reveals_at", wrong


def _overlap(
    earlier: int, before: PhaseFields, at: int, phase: PhaseFields
) -> Iterator[tuple[str, Message]]:
    """Why two phases, of which none may overlap others, cannot follow one another."""
    if before.closes_at is None:
        yield (
            f"{earlier}.closes_at",
            message("must be a date, because another phase follows; got null"),
        )
    elif phase.opens_at is None or phase.opens_at < before.closes_at:
        yield (
            f"{at}.opens_at",
            message(
                "must not be before {moment}, when the phase before it closes; got {sent}",
                moment=written(before.closes_at),
                sent=written(phase.opens_at) if phase.opens_at else "null",
            ),
        )


def written(moment: datetime) -> str:
    """A time in the form of the API."""
    return moment.astimezone(UTC).isoformat().replace("+00:00", "Z")


Phases = Annotated[tuple[PhaseFields, ...], Items(MAX_PHASES), AfterValidator(_in_order)]
