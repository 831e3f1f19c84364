"""The scoring program of a challenge: its kind, its files, its settings and its limits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal

from pydantic import AfterValidator, Field

from leaderboard.programs import known_contracts
from leaderboard.programs.reading.packages import checked_requirement
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import OWN, VALUE_NAMES, is_value_name
from leaderboard.schemas.base import Accepts, Items, Strict
from leaderboard.schemas.texts import Line

MAX_SECONDS: Final = 1800
MAX_MEMORY_MB: Final = 64 * 1024
MAX_COLUMN: Final = 120

if TYPE_CHECKING:
    ProgramKind = str
else:
    ProgramKind = Literal[tuple(known_contracts())]

FileDigest = Annotated[
    str,
    Field(pattern="^[0-9a-f]{64}$"),
    Accepts(message("must be the SHA-256 of a file of this challenge")),
]
ColumnName = Annotated[str, Line(MAX_COLUMN, least=0)]


def _package(text: str) -> str:
    if wrong := checked_requirement(text):
        raise ValueError(wrong)
    return text


def _value_names(values: Mapping[str, Any]) -> Mapping[str, Any]:
    for name in values:
        if not is_value_name(name) or name in OWN:
            text = message(
                "must have names of {value_names}, other than {own}; got {got}",
                value_names=VALUE_NAMES,
                own=", ".join(OWN),
                got=sent(name),
            )
            raise ValueError(text)
    return values


class ProgramFiles(Strict):
    """The files of one phase that replace those of the challenge."""

    scoring: Annotated[
        FileDigest | None, Field(description="Its own scoring program, of the same kind.")
    ] = None
    truth: Annotated[FileDigest | None, Field(description="Its own truth.")] = None
    ingestion: Annotated[
        FileDigest | None,
        Field(description="Its own ingestion program, if the challenge has one."),
    ] = None
    input: Annotated[FileDigest | None, Field(description="Its own input data.")] = None
    codename: Annotated[
        ColumnName, Field(description="For EvalAI: what is passed instead of the phase's slug.")
    ] = ""


class ComputedValue(Strict):
    """A number that is computed from the numbers of a program; undefined if one of them is."""

    operation: Annotated[
        Literal["avg", "sum", "min", "max"], Field(description="How it is computed from them.")
    ]
    of: Annotated[
        tuple[Annotated[str, Line(80)], ...],
        Field(min_length=1, description="The names of the numbers that it is computed from."),
        Items(100),
    ]
    direction: Literal["asc", "desc"] = "desc"

    def value(self, values: Mapping[str, float | None]) -> float | None:
        numbers = [values.get(name) for name in self.of]
        defined = [number for number in numbers if number is not None]
        if len(defined) < len(numbers):
            return None
        match self.operation:
            case "min":
                return min(defined)
            case "max":
                return max(defined)
        total = math.fsum(defined)
        return total / len(defined) if self.operation == "avg" else total


class ScoringProgram(Strict):
    """How a program scores the files that participants submit.

    Files are named by their SHA-256 among the files of the challenge.
    """

    kind: Annotated[ProgramKind, Field(description="The contract that the program follows.")]
    scoring: Annotated[FileDigest, Field(description="The scoring program: a Python file or zip.")]
    values: Annotated[
        dict[str, Literal["asc", "desc"]],
        Field(min_length=1, max_length=100),
        AfterValidator(_value_names),
        Field(description="The numbers that the program returns, and the better direction."),
    ]
    computed: Annotated[
        dict[str, ComputedValue],
        AfterValidator(_value_names),
        Field(description="Further numbers, computed from those of the program."),
    ] = {}
    truth: Annotated[
        FileDigest | None, Field(description="What submissions are compared with, if anything.")
    ] = None
    ingestion: Annotated[
        FileDigest | None, Field(description="Runs the code that participants submit.")
    ] = None
    input: Annotated[FileDigest | None, Field(description="What submitted code may read.")] = None
    phases: Annotated[
        dict[str, ProgramFiles], Field(description="Other files of phases, by their slugs.")
    ] = {}
    settings: Annotated[JsonObject, Field(description="Parameters of the function.")] = {}
    id_column: Annotated[ColumnName, Field(description="Names the rows of the tables.")] = ""
    usage_column: Annotated[
        ColumnName, Field(description="Says Public, Private or Ignored for each row of the truth.")
    ] = ""
    target_column: Annotated[
        ColumnName, Field(description="For compute: what is predicted; empty: the only other one.")
    ] = ""
    rows_match: Annotated[
        bool, Field(description="Whether rows are matched by id before the program gets them.")
    ] = True
    splits: Annotated[
        dict[str, Literal["public", "private"]],
        Field(description="The part that a split of EvalAI belongs to; public if absent."),
    ] = {}
    phase_codename: Annotated[
        ColumnName, Field(description="For EvalAI: what is passed instead of the phase's slug.")
    ] = ""
    packages: Annotated[
        tuple[Annotated[str, Line(200), AfterValidator(_package)], ...],
        Items(100),
        Field(description="Requirements to prepare; empty: the packages of the server."),
    ] = ()
    lock: Annotated[
        FileDigest | None,
        Field(
            description="Exactly what is installed for `packages`: written by Podium when they are"
            " prepared, kept until they change."
        ),
    ] = None
    seconds: Annotated[
        int, Field(ge=1, le=MAX_SECONDS, description="How long one run may take.")
    ] = 600
    memory_mb: Annotated[
        int, Field(ge=256, le=MAX_MEMORY_MB, description="MiB that one run may use.")
    ] = 2048

    @property
    def directions(self) -> dict[str, Literal["asc", "desc"]]:
        """The better direction of each value, computed ones included."""
        return {**self.values, **{name: column.direction for name, column in self.computed.items()}}

    @property
    def digests(self) -> set[str]:
        """Those of all files that it names."""
        own = (
            digest
            for files in self.phases.values()
            for digest in (files.scoring, files.truth, files.ingestion, files.input)
        )
        named = (self.scoring, self.truth, self.ingestion, self.input, self.lock, *own)
        return {digest for digest in named if digest}

    def as_json(self) -> JsonObject:
        """The program as a scoring config stores it."""
        return self.model_dump(mode="json", exclude_defaults=True)

    @property
    def scoring_programs(self) -> tuple[str, ...]:
        """The digests of the scoring program, and of those that phases have of their own."""
        own = (files.scoring for files in self.phases.values())
        return tuple(dict.fromkeys([self.scoring, *filter(None, own)]))

    @property
    def ingestion_programs(self) -> tuple[str, ...]:
        """The digests of the ingestion program, and of those that phases have of their own."""
        own = (files.ingestion for files in self.phases.values())
        return tuple(dict.fromkeys(filter(None, [self.ingestion, *own])))

    def scoring_in(self, phase: str) -> str:
        """The digest of the scoring program in a phase."""
        own = self.phases.get(phase)
        return (own and own.scoring) or self.scoring

    def ingestion_in(self, phase: str) -> str | None:
        """The digest of what runs the code that is submitted in a phase, if code is."""
        own = self.phases.get(phase)
        return self.ingestion and ((own and own.ingestion) or self.ingestion)

    def truth_in(self, phase: str) -> str | None:
        """The digest of the truth in a phase, if there is one."""
        own = self.phases.get(phase)
        return (own and own.truth) or self.truth

    def codename_in(self, phase: str) -> str:
        """What EvalAI's scripts are told of a phase."""
        own = self.phases.get(phase)
        return (own and own.codename) or self.phase_codename or phase

    def input_in(self, phase: str) -> str | None:
        """The digest of the input data in a phase, if there are any."""
        own = self.phases.get(phase)
        return (own and own.input) or self.input
