"""A competition as its bundle describes it, in the words of Podium."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Literal, NamedTuple

from leaderboard.importers.reading.source import Source
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.texts.messages import message

KeyOutcome = Literal["taken", "differently", "left_out"]


class KeyReport(NamedTuple):
    """What became of a key of a bundle. key: its path, such as `phases.0.name`. text: how, or why
    not; "" if it was taken as it is.
    """

    key: str
    outcome: KeyOutcome
    text: str = ""


@dataclass(frozen=True)
class BundledFile:
    """A file of a challenge. role: as in `ChallengeFile.Role`. phase: its only phase; "": all."""

    role: str
    name: str
    content: bytes = field(repr=False)
    phase: str = ""

    @cached_property
    def sha256(self) -> str:
        return sha256(self.content).hexdigest()


@dataclass
class BundledProgram:
    """The scoring program, by the names of `ScoringProgram`; files by their digests."""

    kind: str
    scoring: str = ""
    truth: str = ""
    ingestion: str = ""
    input: str = ""
    seconds: int = 1
    phases: dict[str, dict[str, str]] = field(default_factory=dict)
    values: dict[str, Direction] = field(default_factory=dict)
    computed: dict[str, JsonObject] = field(default_factory=dict)
    splits: dict[str, str] = field(default_factory=dict)
    packages: list[str] = field(default_factory=list)

    def as_json(self) -> JsonObject:
        return {name: value for name, value in asdict(self).items() if value}


@dataclass
class Bundle:
    """A competition.

    platform: the label of the platform. program: what scores submissions. fields: those of a new
    challenge, by the names of the API, with phases. rules: those of registration. files: what the
    program names by digest, and what participants download. sample: a submission to score.
    """

    platform: str
    program: BundledProgram
    fields: JsonObject = field(default_factory=dict)
    rules: JsonObject = field(default_factory=dict)
    files: list[BundledFile] = field(default_factory=list)
    sample: BundledFile | None = None
    report: list[KeyReport] = field(default_factory=list)

    def taken(self, key: str) -> None:
        self.report.append(KeyReport(key, "taken"))

    def differently(self, key: str, text: str) -> None:
        self.report.append(KeyReport(key, "differently", text))

    def left_out(self, key: str, text: str) -> None:
        self.report.append(KeyReport(key, "left_out", text))

    def leave_out(self, keys: Iterable[str], reasons: Mapping[str, str]) -> None:
        """Report keys that nothing here corresponds to. reasons: by the last part of a key."""
        for key in keys:
            nothing = message("Podium has nothing like it.")
            self.left_out(key, reasons.get(key.rpartition(".")[2], nothing))

    def programs(self, role: str) -> list[BundledFile]:
        """The programs of a role: that of the challenge, and those of single phases."""
        return [file for file in self.files if file.role == role]

    def add(self, file: BundledFile) -> str:
        """Keep a file once, however many phases name it; returns its digest."""
        if not any((one.role, one.sha256) == (file.role, file.sha256) for one in self.files):
            self.files.append(file)
        return file.sha256


@dataclass(frozen=True, slots=True)
class BundleReader:
    """The reader of a platform.

    configuration: the path of the configuration in an upload, "" if it is of another platform.
    read: the competition; raises ImportFailed.
    """

    key: str
    label: str
    needs: str
    configuration: Callable[[Source], str]
    read: Callable[[Source, str], Bundle]
