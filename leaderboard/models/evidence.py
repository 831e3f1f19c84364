from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import starmap
from typing import Any

from django.db import models

from leaderboard.models.attempt import Attempt
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.rules import rewards
from leaderboard.rules.packing import packed, unpacked
from leaderboard.rules.rewards import ONLY_REWARD, Sample


class Evidence(models.Model):
    """The samples that an attempt brought, in a table of their own: boards and lists never read it.

    `samples` is compressed JSON: `{"samples": [[task, sample, rewards, usage, error], …],
    "tasks": [names of tasks that may have no sample], "reward": the only reward's name or null}`.
    `stated` is what the file that an attempt was imported from says of its metrics, compared:
    `[{"name", "stated", "ours"}]`.
    """

    attempt = models.OneToOneField(
        Attempt, models.CASCADE, primary_key=True, related_name="evidence"
    )
    samples = models.BinaryField()
    stated = models.JSONField(default=list, editable=False)

    class Meta:
        verbose_name_plural = "evidence"

    def __str__(self) -> str:
        return f"evidence of {self.attempt_id}"

    @staticmethod
    def pack(samples: Iterable[Sample], *, tasks: Sequence[str] | None = None) -> bytes:
        """Samples as the field of that name holds them.

        tasks: of an attempt that came as `task_rewards`, with one reward that has no name of its
        own: all its tasks, those without samples too.
        """
        rows = [_without_nothing(sample) for sample in samples]
        reward = None if tasks is None else ONLY_REWARD
        return packed({"samples": rows, "tasks": tasks or [], "reward": reward})

    def read(self) -> list[Sample]:
        """The samples as they were submitted, in their order."""
        return list(starmap(Sample, self._document()["samples"]))

    def under(self, config: ScoringConfig) -> rewards.RewardEvidence:
        """The samples as the metrics of a scoring config see them, by task.

        Samples of tasks that the config does not know are left out, if it keeps no unknown ones.
        """
        document = self._document()
        rows = document["samples"]
        tasks = {row[0] for row in rows}
        if unknown := {task for task in tasks if not config.knows_task(task)}:
            rows = [row for row in rows if row[0] not in unknown]
        return rewards.RewardEvidence(
            starmap(Sample, rows),
            config.declared_tasks,
            tasks=filter(config.knows_task, document["tasks"]),
            reward=document["reward"],
            bounds=config.reward_intervals,
        )

    def _document(self) -> dict[str, Any]:
        found: dict[str, Any] = unpacked(self.samples)
        return found


def _without_nothing(sample: Sample) -> list[Any]:
    """The sample as a list, cut behind the last thing that it says."""
    row = list(sample)
    while len(row) > 3 and not row[-1]:
        row.pop()
    return row
