"""The interface of a contract, and the plain values that it takes and gives."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Final, Literal, NamedTuple

from leaderboard.rules.failures import FailureCode
from leaderboard.rules.texts.messages import Message

PROGRAM: Final = "/app/program"
INPUT: Final = "/app/input"
TRUTH: Final = "/app/input/ref"
SUBMISSION: Final = "/app/input/res"
INPUT_DATA: Final = "/app/input_data"
INGESTED: Final = "/app/ingested_program"
OUTPUT: Final = "/app/output"
SHARED: Final = "/app/shared"
DRIVER: Final = "/app/driver"
DRIVERS: Final = Path(__file__).resolve().parents[1] / "drivers"
"""The folder that a program's driver runs from; it is seen as `DRIVER`."""

CountedPart = Literal["all", "public", "private"]
ProgramSettingKind = Literal["number", "integer", "text", "boolean", "json"]


class ProgramRefused(ValueError):
    """A program that cannot be used here; the text says why and what is accepted."""


class ProgramSetting(NamedTuple):
    """A value that organisers choose for a program.

    default: None with `is_required`. help: what the docstring of the function says of it.
    """

    name: str
    kind: ProgramSettingKind
    default: Any
    is_required: bool
    help: str = ""

    def accepts(self, value: object) -> bool:
        """Whether a value of JSON has its type."""
        if value is None:
            return self.kind == "json" or (self.default is None and not self.is_required)
        match self.kind:
            case "number":
                return isinstance(value, int | float) and not isinstance(value, bool)
            case "integer":
                return isinstance(value, int) and not isinstance(value, bool)
            case "boolean":
                return isinstance(value, bool)
            case "text":
                return isinstance(value, str)
            case "json":
                return True


@dataclass(frozen=True)
class ScoringTask:
    """What a program is to score.

    truth, submission: names of the files within `TRUTH` and `SUBMISSION`. part: the rows or splits
    that count. options: of the config, such as `settings`, `id_column`, `usage_column`,
    `rows_match` and `splits`. phase: the slug of the phase. meta: what the participant says of it.
    """

    truth: Sequence[str] = ()
    submission: Sequence[str] = ()
    part: CountedPart = "all"
    options: Mapping[str, Any] = field(default_factory=dict)
    phase: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)


class Call(NamedTuple):
    """How a program is called: arguments after the interpreter, and its working folder.

    has_fixed_paths: whether it opens files below `/app` by itself.
    """

    arguments: tuple[str, ...]
    folder: str
    has_fixed_paths: bool = False


class ProgramAnswer(NamedTuple):
    """What a program answered.

    values: its numbers by name; None: it has no number there. code, message: why there are none, a
    sentence that participants may read. notes: for organisers, what was left out. page: the name of
    a page of details among the results.
    """

    values: Mapping[str, float | None] = {}
    code: FailureCode | None = None
    message: str = ""
    notes: tuple[str, ...] = ()
    page: str = ""


class Contract(ABC):
    """A platform's agreement with its scoring programs.

    rank: contracts with a lower one are asked first whether a program follows them. needs: by what
    they recognise one. driver_packages: what its driver imports.
    """

    name: ClassVar[str]
    needs: ClassVar[Message]
    rank: ClassVar[int] = 1
    driver_packages: ClassVar[tuple[str, ...]] = ()

    @abstractmethod
    def recognises(self, program: Path) -> bool:
        """Whether an unpacked program follows this contract."""

    @abstractmethod
    def check(self, program: Path) -> None:
        """Raise ProgramRefused for a program that cannot run here."""

    def settings(self, program: Path) -> tuple[ProgramSetting, ...]:
        """The values that organisers choose. Raises ProgramRefused."""
        return ()

    def reads_archives(self, program: Path) -> bool:
        """Whether the program unpacks the truth and submissions itself."""
        return False

    @abstractmethod
    def call(self, program: Path, task: ScoringTask) -> Call:
        """How the program is called to score a submission. Raises ProgramRefused."""

    @abstractmethod
    def answer(self, results: Path, task: ScoringTask) -> ProgramAnswer:
        """Read what the program wrote. Raises nothing: a wrong answer has a code."""
