from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import starmap
from typing import Any, TypedDict

from django.db import models

from leaderboard.models.attempt import Attempt
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.rules.admission.rulings import ruled, rulings_of
from leaderboard.rules.json.packing import packed, unpacked
from leaderboard.rules.rewards import evidence
from leaderboard.rules.rewards.evidence import ONLY_REWARD, Sample


class _StoredSamples(TypedDict):
    """What `samples` contains, packed: rows of `Sample`, tasks, and the reward that is reduced."""

    samples: list[list[Any]]
    tasks: list[str]
    reward: str


class Evidence(models.Model):
    """The samples that an attempt submitted, in a table of their own: boards and lists never read
    it.

    `samples` is compressed JSON: `{"samples": [[task, sample, rewards, usage, error], …],
    "tasks": [names of tasks that may have no sample], "reward": the only reward's name or null}`.
    `stated` has the metric values in the file that the attempt was imported from, beside ours:
    a list of `StoredFileMetric`. `rulings` are the decisions about samples that hold, as `[task,
    sample, kind]`.
    """

    attempt = models.OneToOneField(
        Attempt, models.CASCADE, primary_key=True, related_name="evidence"
    )
    samples = models.BinaryField()
    stated = models.JSONField(default=list, editable=False)
    rulings = models.JSONField(default=list, db_default=models.Value([], models.JSONField()))

    class Meta:
        verbose_name_plural = "evidence"

    def __str__(self) -> str:
        return f"evidence of {self.attempt_id}"

    @staticmethod
    def pack(samples: Iterable[Sample], *, tasks: Sequence[str] | None = None) -> bytes:
        """The value of the field `samples` for some samples.

        tasks: all tasks of an attempt submitted as `task_rewards`, with or without samples; its
        only reward has no name of its own.
        """
        rows = [_without_nothing(sample) for sample in samples]
        reward = None if tasks is None else ONLY_REWARD
        return packed({"samples": rows, "tasks": tasks or [], "reward": reward})

    def read(self) -> list[Sample]:
        """The samples as they were submitted, in their order."""
        return list(starmap(Sample, self._document()["samples"]))

    def under(
        self, config: ScoringConfig, counts: Callable[[str], bool] | None
    ) -> evidence.RewardEvidence:
        """The samples as the metrics of a scoring config see them, by task.

        Leaves out samples of unknown tasks, unless the config keeps them, and tasks of which every
        sample is left out by a decision: they are not owed. counts: whether a task
        is taken, by its name: `ScoringConfig.counts` for scores, `shows` for readers; None for all.
        """
        document = self._document()
        rows: Sequence[Sequence[Any]] = document["samples"]
        left_out: frozenset[str] = frozenset()
        if self.rulings:
            submitted, rows = rows, ruled(starmap(Sample, rows), rulings_of(self.rulings))
            left_out = frozenset(row[0] for row in submitted) - {row[0] for row in rows}
        takes = _both(config.knows_task, counts)
        if uncounted := {task for task in {row[0] for row in rows} if not takes(task)}:
            rows = [row for row in rows if row[0] not in uncounted]
        owed = [task for task in config.declared_tasks if task.name not in left_out]
        return evidence.RewardEvidence(
            starmap(Sample, rows),
            owed if counts is None else [task for task in owed if counts(task.name)],
            tasks=(task for task in document["tasks"] if takes(task) and task not in left_out),
            reward=document["reward"],
            bounds=config.reward_intervals,
        )

    def _document(self) -> _StoredSamples:
        document: _StoredSamples = unpacked(self.samples)
        return document


def _without_nothing(sample: Sample) -> list[Any]:
    """The sample as a list without its run, and without empty values at its end."""
    row: list[Any] = list(sample[:-1])
    while len(row) > 3 and not row[-1]:
        row.pop()
    return row


def _both(
    is_known: Callable[[str], bool], counts: Callable[[str], bool] | None
) -> Callable[[str], bool]:
    return is_known if counts is None else lambda task: is_known(task) and counts(task)
