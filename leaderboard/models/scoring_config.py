from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.db import models
from django.utils.functional import cached_property

from leaderboard.models.frozen import FROZEN, attname_of, refuse_frozen
from leaderboard.rules.intervals import Interval
from leaderboard.rules.metric_specs import MetricSpec, parse_metrics, spec_of
from leaderboard.rules.ranking import Ranking, RankKey
from leaderboard.rules.reward_bounds import DeclaredReward, parse_rewards
from leaderboard.rules.rewards import DeclaredTask
from leaderboard.rules.secrets import filled
from leaderboard.rules.spec_names import Reported
from leaderboard.rules.task_sources import without_sources
from leaderboard.rules.text_specs import (
    TextSpec,
    parse_text_metrics,
    secrets_key,
    text_spec_of,
)
from leaderboard.strategies import get_strategy, ranking_of

if TYPE_CHECKING:
    from leaderboard.models.challenge import Challenge


class ScoringConfigQuerySet(models.QuerySet["ScoringConfig"]):
    def update(self, **values: Any) -> int:
        """As everywhere. Raises FrozenConfig for a frozen field."""
        refuse_frozen(map(attname_of, values))
        return super().update(**values)

    def change_sources(self, config: ScoringConfig, tasks: Sequence[Mapping[str, Any]]) -> None:
        """Say anew where the tasks of a config come from, which has no say in scores.

        Raises FrozenConfig if the tasks differ in more than that.
        """
        if without_sources(tasks) != without_sources(config.tasks):
            refuse_frozen(["tasks"])
        models.QuerySet.update(self.filter(pk=config.pk), tasks=tasks)


class ScoringConfig(models.Model):
    """A numbered revision of how a challenge is scored and ranked.

    The fields named in `FROZEN` never change once it is stored; the rest is what scoring has found
    out under it, and the state of the rescore that brings all attempts under it.
    """

    class Counting(models.TextChoices):
        BEST = "best"
        LATEST = "latest"

    class UnknownTasks(models.TextChoices):
        """What becomes of samples of a task that the challenge does not declare."""

        REFUSE = "refuse"
        KEEP = "keep"

    FOUND_OUT = ("public_details", "metric_notes")
    """What plugins said of themselves when the config was checked."""

    challenge: models.ForeignKey[Challenge, Challenge] = models.ForeignKey(
        "leaderboard.Challenge", models.CASCADE, related_name="configs"
    )
    number = models.PositiveIntegerField()
    strategy = models.CharField(max_length=40)
    plugin_id = models.CharField(max_length=120, blank=True)
    entrypoint = models.CharField(max_length=255, blank=True)
    config = models.JSONField(default=dict, blank=True)
    secrets = models.JSONField(
        default=dict,
        db_default=models.Value({}, output_field=models.JSONField()),
        blank=True,
        editable=False,
        help_text="Values that the config has a mask for, by their place in it.",
    )
    rank_by = models.JSONField(default=list, blank=True)
    only_succeeded = models.BooleanField(default=False)
    counting = models.CharField(max_length=6, choices=Counting.choices, default=Counting.BEST)
    timeout_ms = models.PositiveIntegerField(default=5000)
    metrics = models.JSONField(default=list, blank=True)
    tasks = models.JSONField(default=list, blank=True)
    rewards = models.JSONField(
        default=list, blank=True, help_text="The bounds of rewards, as far as they are known."
    )
    num_samples = models.PositiveIntegerField(
        null=True, blank=True, help_text="How many samples of a task an attempt may bring."
    )
    min_coverage = models.FloatField(
        null=True, blank=True, help_text="The share of the tasks that a ranked attempt covers."
    )
    unknown_tasks = models.CharField(
        max_length=6, choices=UnknownTasks.choices, default=UnknownTasks.REFUSE
    )
    text_metrics = models.JSONField(
        default=list, blank=True, help_text="What is made of model outputs, as in an evaluation."
    )
    text_secrets = models.JSONField(
        default=dict,
        db_default=models.Value({}, output_field=models.JSONField()),
        blank=True,
        editable=False,
        help_text="Values that parameters of text metrics have a mask for, by metric and place.",
    )
    text_timeout_ms = models.PositiveIntegerField(
        default=600_000, help_text="How long one text metric may take for all instances."
    )
    references = models.ForeignKey(
        "leaderboard.References",
        models.RESTRICT,
        null=True,
        blank=True,
        related_name="configs",
        help_text="The instances with their expected outputs, if the challenge holds them.",
    )
    metric_notes = models.JSONField(
        default=dict, editable=False, help_text="What the metrics of plugins say of themselves."
    )
    metric_keys = models.JSONField(
        default=list, editable=False, help_text="Keys of the metric values that attempts have had."
    )
    public_details = models.BooleanField(
        default=False, help_text="Whether the scorer declares its details fit for everyone."
    )
    code = models.CharField(
        max_length=64,
        blank=True,
        default="",
        editable=False,
        help_text="The hash of the source of its plugins when it was made; empty: not known.",
    )
    accepted_codes = models.JSONField(
        default=list, editable=False, help_text="Other codes that an organiser lets score under it."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    keeps_state = models.BooleanField(
        default=False,
        help_text="The scorer gave another result in a used process: it is run one by one.",
    )
    rescore_started_at = models.DateTimeField(null=True, editable=False)
    rescore_finished_at = models.DateTimeField(null=True, editable=False)
    rescore_total = models.PositiveIntegerField(default=0, editable=False)

    objects = ScoringConfigQuerySet.as_manager()

    class Meta:
        ordering = ["challenge", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "number"], name="one_config_per_number"),
            models.CheckConstraint(
                condition=~models.Q(strategy=""), name="a_config_has_a_strategy"
            ),
        ]

    def __str__(self) -> str:
        return f"version {self.number} of {self.challenge_id}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        """Raises FrozenConfig for a stored config, unless `update_fields` names no frozen field."""
        if not self._state.adding:
            named = kwargs.get("update_fields")
            refuse_frozen(FROZEN if named is None else map(attname_of, named))
        super().save(*args, **kwargs)

    @cached_property
    def ranking(self) -> Ranking:
        """How attempts under this config are ordered."""
        return ranking_of(
            self.strategy,
            [RankKey(**key) for key in self.rank_by],
            only_succeeded=self.only_succeeded,
            counting=self.counting,  # type: ignore[arg-type]
            min_coverage=self.min_coverage,
        )

    @cached_property
    def own_ranking(self) -> Ranking:
        """The same without values that compare participants: what an attempt's own values say.

        It decides which of a participant's attempts counts.
        """
        compared = {spec.name for spec in self.comparing_specs}
        own = tuple(key for key in self.ranking.keys if key.key not in compared)
        return replace(self.ranking, keys=own)

    @property
    def ranked_keys(self) -> list[str]:
        """The keys of the values that the board ranks by, the first one first."""
        return [key.key for key in self.ranking.keys]

    @property
    def whole_config(self) -> dict[str, Any]:
        """What the scorer is called with. For nobody to see: it holds the secrets."""
        return filled(self.config, self.secrets) if self.secrets else self.config

    def whole_parameters(self, given: Mapping[str, Any], name: str) -> dict[str, Any]:
        """What a text metric is called with, as `given` names it, under the key `name`.

        For nobody to see: it holds the secrets.
        """
        parameters = given.get("parameters") or {}
        return filled(parameters, self.text_secrets.get(secrets_key(given["id"], name), {}))

    @cached_property
    def metric_specs(self) -> tuple[MetricSpec, ...]:
        return parse_metrics(self.metrics)

    @property
    def comparing_specs(self) -> tuple[MetricSpec, ...]:
        """The metrics whose values are of a whole board, and not of one attempt."""
        return tuple(spec for spec in self.metric_specs if spec.compares)

    def reported_rule(self, key: str) -> Reported:
        """What becomes of a value that a participant states under the key of a metric.

        `refuse` for every other key too: a value of no metric is no metric value.
        """
        spec = spec_of(key, self.metric_specs) or text_spec_of(key, self.text_specs)
        return spec.reported if spec else "refuse"

    @cached_property
    def text_specs(self) -> tuple[TextSpec, ...]:
        """The text metrics of the challenge, disabled ones too."""
        return parse_text_metrics(self.text_metrics)

    @cached_property
    def declared_tasks(self) -> tuple[DeclaredTask, ...]:
        return tuple(
            DeclaredTask(
                task["name"],
                tuple(task.get("rewards", ())),
                task.get("group", ""),
                task.get("weight", 1.0),
            )
            for task in self.tasks
        )

    @cached_property
    def declared_rewards(self) -> list[str]:
        """The names of the rewards that tasks declare, each once."""
        names = (name for task in self.declared_tasks for name in task.rewards)
        return list(dict.fromkeys(names))

    @cached_property
    def reward_bounds(self) -> Mapping[str, DeclaredReward]:
        """The rewards whose bounds are declared, by name."""
        return {each.name: each for each in parse_rewards(self.rewards)}

    @property
    def reward_intervals(self) -> dict[str, Interval]:
        """The lowest and the highest value of those rewards, as `rules.rewards.Evidence` takes."""
        return {name: each.bounds for name, each in self.reward_bounds.items()}

    @cached_property
    def unlisted_names(self) -> set[str]:
        """Names of reported values that were found to be the name of no metric of this server.

        A batch of attempts asks for each name once.
        """
        return set()

    @cached_property
    def keeps_unknown_tasks(self) -> bool:
        return not self.tasks or self.unknown_tasks == self.UnknownTasks.KEEP

    def knows_task(self, name: str) -> bool:
        """Whether samples of a task of that name count: it is declared, or all tasks are taken."""
        return self.keeps_unknown_tasks or name in self._task_names

    @cached_property
    def _task_names(self) -> frozenset[str]:
        return frozenset(task["name"] for task in self.tasks)

    @property
    def runs_scorer(self) -> bool:
        return get_strategy(self.strategy).runs_scorer

    @property
    def is_rescoring(self) -> bool:
        return self.rescore_started_at is not None and self.rescore_finished_at is None

    def accepts(self, code: str) -> bool:
        """Whether scores by plugins of this code belong on its board without a question. An unknown
        code, here or there, is no other one."""
        return "" in (code, self.code) or code == self.code or code in self.accepted_codes

    def frozen_fields(self) -> dict[str, Any]:
        """Everything that a change of would make a new revision."""
        return {name: getattr(self, name) for name in FROZEN}
