"""The fields of a phase: its dates, the limits on attempts, and who sees what."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Final

from pydantic import (
    AfterValidator,
    Field,
    PlainValidator,
    TypeAdapter,
    ValidationInfo,
    WithJsonSchema,
)

from leaderboard.rules.rewards.splits import TaskPart
from leaderboard.rules.texts.local_times import known_zones, read_moment
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.schemas.base import Accepts, Strict
from leaderboard.schemas.choices import (
    AttemptsVisibility,
    BoardVisibility,
    Counting,
    LimitsPer,
    NamesVisibility,
    NotesVisibility,
    ScoresVisibility,
)
from leaderboard.schemas.fields import Choice, In
from leaderboard.schemas.texts import Line

MOST: Final = 1_000_000
MOST_DECIMALS: Final = 10
MOST_FILE_MIB: Final = 2048
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
Attempts = Annotated[int, Field(ge=1, le=MOST)]
GraceSeconds = Annotated[int, Field(ge=0, le=MOST_GRACE)]
Decimals = Annotated[int, Field(ge=0, le=MOST_DECIMALS)]
FileMib = Annotated[int, Field(ge=1, le=MOST_FILE_MIB)]
Improvement = Annotated[float, Field(ge=LEAST_IMPROVEMENT, le=MOST_IMPROVEMENT)]
PhaseCoverage = Annotated[float, Field(ge=0, le=1)]
SlugOfPhase = Annotated[
    str,
    Field(max_length=80, pattern="^[a-z0-9]+(-[a-z0-9]+)*$"),
    Accepts(message("must be lower-case letters, digits and single hyphens, at most 80")),
]


class PhaseFields(Strict):
    """A phase of a challenge, by the names of the API.

    Each field is also a column of `Phase`, and a field of the form for phases, in this order.
    """

    name: Annotated[str, Line(120, least=0), In("phase")] = Field(
        default="",
        title=message("Name"),
        description=message("As pages show it. Empty: they show the slug."),
    )
    slug: Annotated[SlugOfPhase, In("phase")] = Field(
        default=MAIN,
        title=message("Slug"),
        description=message("Stands in addresses, and says which phase of the challenge this is."),
    )
    face: Annotated[bool, In("phase")] = Field(
        default=False,
        title=message("The challenge shows this phase"),
        description=message(
            "Its board is the one of the challenge, from its opening on. Of several such phases,"
            " the open one is shown, else the one that closed last. Without any: the phase that"
            " closed last."
        ),
    )
    time_zone: Annotated[str, Field(max_length=64), AfterValidator(_zone), In("dates")] = Field(
        default="UTC",
        title=message("Time zone"),
        description=message("Of the dates below, and of the days and weeks of limits."),
    )
    opens_at: Annotated[PhaseMoment, In("dates")] = Field(
        default=None,
        title=message("Opens"),
        description=message("The first moment of the phase. Empty: it was always open."),
    )
    closes_at: Annotated[PhaseMoment, In("dates")] = Field(
        default=None,
        title=message("Closes"),
        description=message("The first moment after the phase. Empty: it never closes."),
    )
    grace_seconds: Annotated[GraceSeconds, In("dates")] = Field(
        default=0,
        title=message("Grace in seconds"),
        description=message(
            "An attempt that arrives so much later still counts. How long this server takes to"
            " answer never makes an attempt late. Empty: none."
        ),
    )
    overlaps: Annotated[bool, In("dates")] = Field(
        default=False,
        title=message("Other phases may be open at the same time"),
        description=message("Then each attempt has to name its phase while several are open."),
    )
    freezes_at: Annotated[PhaseMoment, In("dates")] = Field(
        default=None,
        title=message("Freezes"),
        description=message(
            "From then on, everyone but organisers sees the board as it was."
            " Empty: it never freezes."
        ),
    )
    reveals_at: Annotated[PhaseMoment, In("dates")] = Field(
        default=None,
        title=message("Revealed"),
        description=message("When the freeze ends. Empty: when organisers reveal the board."),
    )
    own_while_frozen: Annotated[bool, In("dates")] = Field(
        default=True, title=message("While it is frozen, participants see their own results")
    )
    per_day: Annotated[Attempts | None, In("limits")] = Field(
        default=None,
        title=message("Per day"),
        description=message("Attempts of a participant on a calendar day."),
    )
    per_week: Annotated[Attempts | None, In("limits")] = Field(
        default=None,
        title=message("Per week"),
        description=message("Attempts of a participant in a week, from Monday to Sunday."),
    )
    per_month: Annotated[Attempts | None, In("limits")] = Field(
        default=None,
        title=message("Per month"),
        description=message("Attempts of a participant in a calendar month."),
    )
    total: Annotated[Attempts | None, In("limits")] = Field(
        default=None,
        title=message("In total"),
        description=message("Attempts of a participant in the whole phase."),
    )
    at_once: Annotated[Attempts | None, In("limits")] = Field(
        default=None,
        title=message("At once"),
        description=message("Attempts of a participant that wait to be scored."),
    )
    limits_per: Annotated[LimitsPer, Choice, In("limits")] = Field(
        default=LimitsPer.ACCOUNT,
        title=message("For whom the limits count"),
        description=message(
            "The attempts of a team also count for the team. With limits per name, an account may"
            " take part under several names where the challenge has no rules of registration."
        ),
    )
    count_failed: Annotated[bool, In("limits")] = Field(
        default=True, title=message("Attempts that fail count towards the limits")
    )
    file_mib: Annotated[FileMib | None, In("limits")] = Field(
        default=None,
        title=message("Largest file in MiB"),
        description=message(
            "Of an attempt, from 1 to 2048, where the challenge scores files. Empty: 2048."
        ),
    )
    counting: Annotated[Counting | None, Choice, In("counted")] = Field(
        default=None,
        title=message("Which attempt counts"),
        description=message(
            "Of each participant, for the board of this phase. Empty: as the scoring of the"
            " challenge says."
        ),
    )
    counted: Annotated[Annotated[int, Field(ge=1, le=MOST_COUNTED)] | None, In("counted")] = Field(
        default=None,
        title=message("How many"),
        description=message(
            "Attempts that a participant may choose, or whose mean counts. Empty: 3."
        ),
    )
    choose_until: Annotated[PhaseMoment, In("counted")] = Field(
        default=None,
        title=message("Choose until"),
        description=message("Empty: participants choose until the phase closes."),
    )
    least_coverage: Annotated[PhaseCoverage | None, In("counted")] = Field(
        default=None,
        title=message("Least coverage"),
        description=message(
            "0 to 1, such as 0.9: an attempt that covers a smaller share of the tasks has no rank,"
            " and only organisers see its score."
        ),
    )
    final_part: Annotated[TaskPart, Choice, In("counted")] = Field(
        default=TaskPart.PRIVATE,
        title=message("Which tasks count at the end"),
        description=message("Where some tasks of the challenge are private until then."),
    )
    board: Annotated[BoardVisibility, Choice, In("sight", "board_visibility")] = Field(
        default=BoardVisibility.PUBLIC, title=message("Who sees the board")
    )
    scores: Annotated[ScoresVisibility, Choice, In("sight", "scores_visibility")] = Field(
        default=ScoresVisibility.SHOWN,
        title=message("Whose scores readers see"),
        description=message("Where scores are hidden, so are the board and its order."),
    )
    attempts: Annotated[AttemptsVisibility, Choice, In("sight", "attempts_visibility")] = Field(
        default=AttemptsVisibility.PUBLIC, title=message("Whose attempts readers can open")
    )
    names: Annotated[NamesVisibility, Choice, In("sight", "names_visibility")] = Field(
        default=NamesVisibility.SHOWN,
        title=message("Names of participants"),
        description=message("Participants always see their own name."),
    )
    notes: Annotated[NotesVisibility, Choice, In("sight", "notes_visibility")] = Field(
        default=NotesVisibility.AUTO, title=message("Who sees notes and meta of attempts")
    )
    decimals: Annotated[Decimals | None, In("sight")] = Field(
        default=None,
        title=message("Digits of scores after the point"),
        description=message(
            "0 to 10: everybody but organisers sees rounded scores, and ranks are those of rounded"
            " ones. Empty: exact."
        ),
    )
    least_improvement: Annotated[Improvement | None, In("sight")] = Field(
        default=None,
        title=message("Least improvement"),
        description=message(
            "Such as 0.01: the board moves, and the score of an attempt is shown, only if it is"
            " better by so much than the score that counts. Empty: any improvement counts."
        ),
    )
    significant_improvement: Annotated[bool, In("sight")] = Field(
        default=False,
        title=message("Improvements have to be significant"),
        description=message(
            "Beside the least improvement: by more than one standard error of the differences"
            " between the two attempts, task by task or instance by instance."
        ),
    )
    scores_delayed: Annotated[bool, In("sight")] = Field(
        default=False,
        title=message("Scores and the board are hidden until the phase has ended"),
    )


PHASE: Final = TypeAdapter(PhaseFields)
