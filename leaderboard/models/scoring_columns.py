from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import models
from django.utils.functional import cached_property

from leaderboard.models.from_schema import columns_of
from leaderboard.rules.rewards.documents import MAX_TEXTS
from leaderboard.rules.rewards.splits import Split, TaskPart, split_of
from leaderboard.schemas.scoring import ScoringFields


@columns_of(ScoringFields)
class ScoringColumns(models.Model):
    """The fields of a scoring config that say how attempts are scored, and over which tasks.

    `ScoringFields` has the columns that organisers fill in.
    """

    strategy = models.CharField(max_length=40)
    timeout_ms = models.PositiveIntegerField(default=5000)
    secrets = models.JSONField(
        default=dict,
        db_default=models.Value({}, output_field=models.JSONField()),
        blank=True,
        editable=False,
        help_text="Values that the config has a mask for, by their place in it.",
    )
    split_below = models.PositiveBigIntegerField(
        null=True, editable=False, help_text="The hash below which a task is public, for a share."
    )
    final_parts = models.JSONField(
        default=dict,
        db_default=models.Value({}, output_field=models.JSONField()),
        editable=False,
        help_text="The part of the tasks that counts in each phase that has ended, by its id.",
    )
    text_secrets = models.JSONField(
        default=dict,
        db_default=models.Value({}, output_field=models.JSONField()),
        blank=True,
        editable=False,
        help_text="Values that parameters of text metrics have a mask for, by metric and place.",
    )
    references = models.ForeignKey(
        "leaderboard.References",
        models.RESTRICT,
        null=True,
        blank=True,
        related_name="configs",
        help_text="The instances with their expected outputs, if the challenge holds them.",
    )
    truth = models.ForeignKey(
        "leaderboard.Truth",
        models.RESTRICT,
        null=True,
        blank=True,
        editable=False,
        related_name="configs",
        help_text="What files of predictions are compared with.",
    )

    plugin_id: str
    entrypoint: str
    config: Any
    rank_by: Any
    only_succeeded: bool
    counting: str
    metrics: Any
    tasks: Any
    rewards: Any
    independent_unit: str
    judged_rewards: Any
    labels_per_attempt: int
    labels_seed: str
    num_samples: int | None
    min_coverage: float | None
    unknown_tasks: str
    split: Any
    program: Any
    text_metrics: Any
    max_outputs: int | None
    text_timeout_ms: int
    prediction_metrics: Any
    id_column: str
    targets: Any
    prediction_kind: str
    positive_label: str

    class Meta:
        abstract = True

    @property
    def outputs_per_instance(self) -> int:
        """How many outputs of an instance an attempt may have, and how many of them count.

        Participants who send their own references gain nothing by further outputs. Where the
        challenge holds the references, each output is a guess.
        """
        return MAX_TEXTS if self.references_id is None else self.max_outputs or 1

    @property
    def allows_guesses(self) -> bool:
        """Whether the best of several outputs counts against references of the challenge."""
        return self.references_id is not None and self.outputs_per_instance > 1

    @cached_property
    def parts(self) -> Split | None:
        """The split into public and private tasks or instances, if there is one."""
        return split_of(self.split, self.split_below)

    def part_in(self, phase_id: int | None) -> TaskPart:
        """The part of the tasks on which attempts of a phase are scored.

        That is the public one until the config says that the phase has ended.
        """
        if self.parts is None:
            return TaskPart.ALL
        return TaskPart(self.final_parts.get(str(phase_id), TaskPart.PUBLIC))

    def counts(self, phase_id: int | None) -> Callable[[str], bool] | None:
        """Whether a task or an instance counts in a phase, by its name; None if all do."""
        part = self.part_in(phase_id)
        return None if part is TaskPart.ALL or self.parts is None else self.parts.takes(part)

    def shows(self, phase_id: int | None) -> Callable[[str], bool] | None:
        """Whether readers see results of a task in a phase, by its name; None for all tasks.

        Before the end these are the public tasks, also for organisers.
        """
        if self.parts is None or str(phase_id) in self.final_parts:
            return None
        return self.parts.is_public

    def lets_show(self, other: ScoringColumns, phase_id: int | None) -> bool:
        """Whether readers may see scores under another version while the board shows this one.

        Before the end of a phase, a score on more tasks would tell about the private ones.
        """
        same = other.parts == self.parts and other.truth_id == self.truth_id
        return self.shows(phase_id) is None or same
