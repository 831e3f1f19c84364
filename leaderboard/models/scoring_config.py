from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import Any

from django.conf import settings
from django.db import models
from django.utils.functional import cached_property

from leaderboard.models.frozen import FROZEN, attname_of, refuse_frozen
from leaderboard.models.scoring_columns import ScoringColumns
from leaderboard.operating.request_ids import MAX_LENGTH
from leaderboard.rules.json.stored import GivenTextMetric, StoredTask
from leaderboard.rules.json.untyped_dicts import ColumnValues
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.secrets import filled
from leaderboard.rules.ranking.places import CountingMode as CountingName
from leaderboard.rules.ranking.places import Ranking, RankKey
from leaderboard.rules.rewards.evidence import DeclaredTask
from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.rewards.task_sources import without_sources
from leaderboard.rules.texts.value_names import Reported
from leaderboard.schemas.choices import Counting, IndependentUnit, UnknownTasks
from leaderboard.schemas.metrics import MetricSpec, parse_metrics, spec_of
from leaderboard.schemas.predictions import parse_prediction_metrics
from leaderboard.schemas.programs import ScoringProgram
from leaderboard.schemas.rewards import DeclaredReward, parse_rewards
from leaderboard.schemas.text_metrics import (
    TextSpec,
    parse_text_metrics,
    secrets_key,
    text_spec_of,
)
from leaderboard.strategies import get_strategy, ranking_of


class ScoringConfigQuerySet(models.QuerySet["ScoringConfig"]):
    def update(self, **values: Any) -> int:
        """Update rows, as in any QuerySet. Raises FrozenConfig for a frozen field."""
        refuse_frozen(map(attname_of, values))
        return super().update(**values)

    def rescoring(self) -> ScoringConfigQuerySet:
        """Configs under which all attempts are being scored again."""
        return self.filter(rescore_started_at__isnull=False, rescore_finished_at__isnull=True)

    def change_sources(self, config: ScoringConfig, tasks: Sequence[StoredTask]) -> None:
        """Change the sources of a config's tasks, which do not affect scores.

        Raises FrozenConfig if the tasks differ in anything else.
        """
        if without_sources(tasks) != without_sources(config.tasks):
            refuse_frozen(["tasks"])
        models.QuerySet.update(self.filter(pk=config.pk), tasks=tasks)


class ScoringConfig(ScoringColumns):
    """A numbered revision of how a challenge is scored and ranked.

    The fields named in `FROZEN` never change once it is stored. The others are results of scoring
    under it, and the state of the rescore of all attempts under it.
    """

    Counting = Counting
    UnknownTasks = UnknownTasks

    shown_decimals: int | None = None
    """To how many digits the phase shows scores, of a config that `in_phase` has made."""

    FOUND_OUT = ("public_details", "metric_notes")
    """The fields that plugins filled when the config was checked."""

    challenge = models.ForeignKey("leaderboard.Challenge", models.CASCADE, related_name="configs")
    number = models.PositiveIntegerField()
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
    switched_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When the board switched to it, because all attempts were scored under it.",
    )
    shown_from = models.DateTimeField(
        null=True,
        editable=False,
        help_text="Since when the board has shown it; empty: never, or before this was recorded.",
    )
    shown_until = models.DateTimeField(
        null=True, editable=False, help_text="When the board began to show another config."
    )
    rescore_total = models.PositiveIntegerField(default=0, editable=False)
    rescore_request_id = models.CharField(
        max_length=MAX_LENGTH, blank=True, default="", db_default="", editable=False
    )

    objects = ScoringConfigQuerySet.as_manager()

    class Meta:
        ordering = ["challenge", "-number"]
        constraints = [
            models.UniqueConstraint(fields=["challenge", "number"], name="one_config_per_number"),
            models.CheckConstraint(
                condition=~models.Q(strategy=""), name="a_config_has_a_strategy"
            ),
        ]
        indexes = [
            models.Index(
                fields=["challenge"],
                name="configs_with_a_split",
                condition=models.Q(split__isnull=False),
            )
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
        exact = ranking_of(
            self.strategy,
            [RankKey(**key) for key in self.rank_by],
            only_succeeded=self.only_succeeded,
            counting=self.counting,  # type: ignore[arg-type]
            min_coverage=self.min_coverage,
        )
        return exact if self.shown_decimals is None else exact.rounded_to(self.shown_decimals)

    @cached_property
    def own_ranking(self) -> Ranking:
        """The ranking without values that compare participants: only by an attempt's own values.

        It decides which of a participant's attempts counts.
        """
        compared = {spec.name for spec in self.comparing_specs}
        own = tuple(key for key in self.ranking.keys if key.key not in compared)
        return replace(self.ranking, keys=own)

    def in_phase(self, least_coverage: float | None, decimals: int | None) -> ScoringConfig:
        """This config for a phase that requires more coverage, or shows rounded scores.

        Not to be saved. Where scores are rounded, they are ranked as they are shown: an order by
        exact scores would tell which of two equal ones is better.
        """
        asked = least_coverage, decimals
        if asked not in self._in_phases:
            self._in_phases[asked] = self._made_for(*asked)
        return self._in_phases[asked]

    def _made_for(self, least_coverage: float | None, decimals: int | None) -> ScoringConfig:
        is_stricter = least_coverage is not None and least_coverage > (self.min_coverage or 0)
        if not is_stricter and decimals is None:
            return self
        config = copy(self)
        for made in ("ranking", "own_ranking", "_picking", "_in_phases"):
            config.__dict__.pop(made, None)
        if is_stricter:
            config.min_coverage = least_coverage
        config.shown_decimals = decimals
        return config

    @cached_property
    def _in_phases(self) -> dict[tuple[float | None, int | None], ScoringConfig]:
        return {}

    def picking(self, counting: CountingName) -> Ranking:
        """`own_ranking` for a phase in which these attempts of a participant count."""
        rankings = self._picking
        if counting not in rankings:
            rankings[counting] = replace(self.own_ranking, counting=counting)
        return rankings[counting]

    @cached_property
    def _picking(self) -> dict[CountingName, Ranking]:
        return {}

    @property
    def ranked_keys(self) -> list[str]:
        """The keys of the values that the board ranks by, the first one first."""
        return [key.key for key in self.ranking.keys]

    @property
    def whole_config(self) -> JsonObject:
        """The config that the scorer gets. It contains secrets, so never show it."""
        return filled(self.config, self.secrets) if self.secrets else self.config

    def whole_parameters(self, given: GivenTextMetric, name: str) -> JsonObject:
        """The parameters that a text metric gets. They contain secrets, so never show them.

        given: the metric as the document or challenge names it. name: the key of its value.
        """
        parameters = given.get("parameters") or {}
        return filled(parameters, self.text_secrets.get(secrets_key(given["id"], name), {}))

    @cached_property
    def metric_specs(self) -> tuple[MetricSpec, ...]:
        return parse_metrics(self.metrics)

    @property
    def comparing_specs(self) -> tuple[MetricSpec, ...]:
        """The metrics whose values compare the participants of a board."""
        return tuple(spec for spec in self.metric_specs if spec.compares)

    def reported_rule(self, key: str) -> Reported:
        """What happens to a value that a participant reports under the key of a metric.

        `refuse` for a key of no metric.
        """
        spec = spec_of(key, self.metric_specs) or text_spec_of(key, self.named_specs)
        return spec.reported if spec else "refuse"

    @cached_property
    def text_specs(self) -> tuple[TextSpec, ...]:
        """The text metrics of the challenge, including disabled ones."""
        return parse_text_metrics(self.text_metrics)

    @cached_property
    def scoring_program(self) -> ScoringProgram | None:
        """The program that scores submitted files, if there is one."""
        return None if self.program is None else ScoringProgram.model_validate(self.program)

    @property
    def program_values(self) -> Mapping[str, str]:
        """The better directions of the values that the program returns, by their names."""
        return {} if self.scoring_program is None else self.scoring_program.directions

    @cached_property
    def prediction_specs(self) -> tuple[TextSpec, ...]:
        """The metrics of predictions of the challenge."""
        return parse_prediction_metrics(self.prediction_metrics)

    @property
    def takes_files(self) -> bool:
        """Whether an attempt submits a file, and nothing else."""
        return bool(self.prediction_metrics) or self.program is not None

    @cached_property
    def named_specs(self) -> tuple[TextSpec, ...]:
        """The text metrics and the metrics of predictions, of which a config has only one kind."""
        return (*self.text_specs, *self.prediction_specs)

    @cached_property
    def reported_names(self) -> dict[str, bool]:
        """Names of values, and whether participants report them, as far as this was asked."""
        return {}

    @cached_property
    def declared_tasks(self) -> tuple[DeclaredTask, ...]:
        return tuple(
            DeclaredTask(
                task["name"],
                tuple(task.get("rewards", ())),
                task.get("group", ""),
                task.get("weight", 1.0),
                self._cluster_of(task),
            )
            for task in self.tasks
        )

    def _cluster_of(self, task: StoredTask) -> str:
        match self.independent_unit:
            case IndependentUnit.CLUSTER:
                return task.get("cluster", "")
            case IndependentUnit.GROUP:
                return task.get("group", "")
        return ""

    @cached_property
    def task_clusters(self) -> Mapping[str, str]:
        """The clusters of the tasks that have one: what is independent of each other."""
        return {task.name: task.cluster for task in self.declared_tasks if task.cluster}

    @cached_property
    def declared_rewards(self) -> list[str]:
        """The names of the rewards that tasks declare, each once."""
        names = (name for task in self.declared_tasks for name in task.rewards)
        return list(dict.fromkeys(names))

    @cached_property
    def reward_bounds(self) -> Mapping[str, DeclaredReward]:
        """The rewards whose bounds are declared, by name."""
        return {parse_reward.name: parse_reward for parse_reward in parse_rewards(self.rewards)}

    @property
    def reward_intervals(self) -> dict[str, Interval]:
        """The bounds of these rewards by name, for `rules.rewards.evidence.RewardEvidence`."""
        return {name: reward.bounds for name, reward in self.reward_bounds.items()}

    @cached_property
    def unlisted_names(self) -> set[str]:
        """A cache of names of reported values that are not the name of a metric of this server.

        With it, a batch of attempts looks up each name once.
        """
        return set()

    @cached_property
    def keeps_unknown_tasks(self) -> bool:
        return not self.tasks or self.unknown_tasks == self.UnknownTasks.KEEP

    def knows_task(self, name: str) -> bool:
        """Whether samples of this task count: it is declared, or all tasks are accepted."""
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
        """Whether the board accepts scores by plugins of this code without an organiser's decision.

        An unknown code, of the plugins or of the config, does not count as a different one.
        """
        return "" in (code, self.code) or code == self.code or code in self.accepted_codes

    def frozen_fields(self) -> ColumnValues:
        """The values of all frozen fields: a change of one of them makes a new revision."""
        return {name: getattr(self, name) for name in FROZEN}

    def copied(self) -> ScoringConfig:
        """A new config that scores as this one does, without a challenge and a number."""
        found_out = {name: getattr(self, name) for name in self.FOUND_OUT}
        return ScoringConfig(**self.frozen_fields(), **found_out)
