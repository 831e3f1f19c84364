"""Attempts as they arrive, and the results of a batch of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import IO, NamedTuple
from uuid import UUID

from leaderboard.facts import FactValue
from leaderboard.rules.json.stored import StoredFileMetric
from leaderboard.rules.rewards.documents import Document
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.runs import AttemptRun
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.store import WrittenFile
from leaderboard.services.standing.judging import Judgement

IMPORTED = "import"
"""Stored instead of a body's hash if the attempt came from a file; no hash equals it."""


class SentFile(NamedTuple):
    """A file that a participant submits. content: readable from its start. name: as they call it.

    sha256: its digest as the sender states it, "" if they do not.
    """

    content: IO[bytes]
    name: str
    sha256: str = ""


class KeptFile(NamedTuple):
    """A file that was accepted and written, before its row is.

    predictions, packed_for: as the fields of `SubmittedFile`.
    """

    stored: WrittenFile
    predictions: bytes | None = None
    packed_for: str = ""


@dataclass(frozen=True, slots=True)
class NewAttempt:
    """An attempt as it arrives, its fields already of the right type and range.

    `metrics` holds the facts by their API names (`succeeded`, `tokens_total`, `elapsed_ms`,
    `rating`, `created_at`, `cost_usd`, `input_tokens`, `output_tokens`); absent ones are missing or
    `None`. `values` are numbers that the participant reports. Rewards come as `samples`, or as
    `task_rewards`, the short form for one reward: its values by task, None for a failed sample. A
    model's outputs come as an `evaluation`, or as `outputs` by id if the challenge holds the
    references. `submitted_at` is for organisers who import history. `phase` is the slug of the
    phase, "" for the only one that is open. An attempt from a file has the `source_id` of its
    results, and the metrics that the file `stated` (see `services.imports.reported_metrics`).
    `run` and the runs of its samples are how it was run, as the submitter or the file says.
    `evidence` are the kinds of files that are kept after the attempt is saved, by task and number
    of the sample. `submit_attempt` fills `file`.
    """

    participant: str
    metrics: Mapping[str, FactValue | None] = field(default_factory=dict)
    values: Mapping[str, float] = field(default_factory=dict)
    samples: Sequence[Sample] = ()
    task_rewards: Mapping[str, Sequence[float | None]] = field(default_factory=dict)
    evaluation: Document | None = None
    outputs: Sequence[Instance] | None = None
    name: str = ""
    kind: str = ""
    meta: Mapping[str, str] = field(default_factory=dict)
    note: str = ""
    submitted_at: datetime | None = None
    phase: str = ""
    source_id: str = ""
    file_metrics: Sequence[StoredFileMetric] = ()
    file: KeptFile | None = None
    run: AttemptRun = field(default_factory=AttemptRun)
    evidence: Mapping[tuple[str, int], Sequence[str]] = field(default_factory=dict)


class UseKey(NamedTuple):
    """The key of a request or of a line, and its body's hash: it takes effect only once."""

    key: str
    body_hash: str

    @property
    def is_checked(self) -> bool:
        """Whether to look for attempts with the same key; importers do that themselves."""
        return self.key != "" and self.body_hash != IMPORTED


NO_USE = UseKey("", "")


class Renamed(NamedTuple):
    """A participant whose name is stored in another spelling than it was sent in.

    position: of the attempt in the batch.
    """

    position: int
    sent: str
    kept: str


class Accepted(NamedTuple):
    """An attempt of a batch that is saved.

    handle: of its participant, as it is stored. instances: the number of instances to evaluate,
    None for an attempt without any. judgement: what the rules of the challenge say of it.
    """

    pk: UUID
    handle: str
    instances: int | None
    judgement: Judgement | None = None


@dataclass(frozen=True, slots=True)
class BulkResult:
    """The result of a batch: the accepted attempts, and the refusals by position in the batch."""

    accepted: list[Accepted] = field(default_factory=list)
    rejected: list[tuple[int, ServiceError]] = field(default_factory=list)
    renamed: list[Renamed] = field(default_factory=list)
