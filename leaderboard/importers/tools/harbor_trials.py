"""The trials of a Harbor job, and the groups of trials that become one attempt each."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime

from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.naming import participant_name
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.rules.texts.messages import counted


@dataclass(frozen=True)
class HarborGroup:
    """The properties that the trials of one attempt share."""

    job: str
    agent: str
    version: str
    model: str
    provider: str
    dataset: str

    @property
    def evals_key(self) -> str:
        """The key under which Harbor stores the metrics of these trials; it has no versions."""
        return "__".join(part for part in (self.agent, self.model, self.dataset) if part)


@dataclass(frozen=True)
class HarborTrial:
    """One try at a task, as its `result.json` describes it. evidence: files by their kinds."""

    group: HarborGroup
    id: str
    checksum: str
    started: datetime | None
    finished: datetime | None
    sample: SampleRow
    evidence: Mapping[str, str]


def names_of(groups: Iterable[HarborGroup]) -> dict[HarborGroup, str]:
    """The participant of each group: `agent (model)`.

    With provider and version if two systems would share the name.
    """
    systems: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for group in groups:
        name = participant_name(group.agent, group.model)
        systems[name].add((group.provider, group.version))
    return {
        group: participant_name(group.agent, group.model)
        if len(systems[participant_name(group.agent, group.model)]) == 1
        else participant_name(
            f"{group.agent} {group.version}".strip(),
            "/".join(part for part in (group.provider, group.model) if part),
        )
        for group in groups
    }


def changed_tasks(participant: str, trials: Iterable[HarborTrial]) -> list[str]:
    """A warning for each task whose checksum differs between the trials of a participant."""
    versions = {(trial.sample["task"], trial.checksum) for trial in trials}
    counts = Counter(task for task, _ in versions)
    return [
        counted(
            "{participant}: the task {task} changed between its trials ({count} checksum)",
            "{participant}: the task {task} changed between its trials ({count} checksums)",
            count,
            participant=participant,
            task=legible(task),
        )
        for task, count in sorted(counts.items())
        if count > 1
    ]
