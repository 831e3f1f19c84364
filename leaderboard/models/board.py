from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import F, Q

from leaderboard.models.challenge import Challenge
from leaderboard.models.phase import Phase
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.rules.ranking.places import CountingMode, counting_of


class BoardQuerySet(models.QuerySet["Board"]):
    def of(self, config: ScoringConfig) -> BoardQuerySet:
        return self.filter(config=config)

    def taking(self, phase_id: int, since: datetime) -> BoardQuerySet:
        """The boards of a phase on which attempts submitted at `since` count."""
        return self.filter(Q(until=None) | Q(until__gt=since), phase=phase_id)

    def behind_freezes(self, moment: datetime) -> BoardQuerySet:
        """The boards in whose place the public sees those before a freeze, at a moment."""
        revealed = Q(phase__reveals_at__lte=moment)
        return self.filter(until=None, phase__freezes_at__lte=moment).exclude(revealed)

    def under_shown_config(self) -> BoardQuerySet:
        """Boards of the scoring configs that their challenges show."""
        return self.filter(config__challenge__shown_config=F("config"))

    def complete(self) -> BoardQuerySet:
        return self.filter(filled_to=None)

    def to_be_judged(self) -> BoardQuerySet:
        """Shown boards whose certainty is not stored for their version, with all they refer to."""
        ranking = self.under_shown_config().complete().filter(is_out_of_ranking=False)
        changed = ranking.exclude(judged_version=F("version"))
        return changed.select_related("phase", "config__challenge")


class Board(models.Model):
    """The standings of one phase under one scoring config.

    `until`: only attempts that were submitted before this moment count; without it, all of them.
    A board with `until` is what the public sees while the phase is frozen.

    A board that `is_out_of_ranking` has the rows out of the ranking, such as baselines, which
    readers see between those of the board beside it. It exists if the challenge has such rows.

    The board is derived from attempts and scores. `version` is raised, and `changed_at` set, by
    every change of its standings, in the same transaction. `unseen_changes` says how many of the
    changes moved no row and changed only numbers of attempts; it is counted in restricted
    challenges, for readers from whom attempts are hidden. `filled_to` is empty for a complete
    board. Otherwise the board was added after attempts had been scored, and has the standings of
    the participants up to this id; readers see no row of it.

    `judged_version` is the version for which a worker has stored how certain the order is (a
    `BoardCertainty`).
    """

    phase = models.ForeignKey(Phase, models.CASCADE, related_name="boards")
    config = models.ForeignKey(ScoringConfig, models.CASCADE, related_name="boards", db_index=False)
    until = models.DateTimeField(null=True, editable=False)
    is_out_of_ranking = models.BooleanField(default=False, db_default=False, editable=False)
    version = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)
    unseen_changes = models.PositiveBigIntegerField(default=0, db_default=0, editable=False)
    changed_at = models.DateTimeField(null=True, editable=False)
    filled_to = models.BigIntegerField(null=True, editable=False)
    judged_version = models.PositiveBigIntegerField(null=True, editable=False)

    before_freeze: Board | None = None
    """The board of the same phase with `until`, if a reader of boards has read it as well."""

    board_out_of_ranking: Board | None = None
    """The board of the rows out of the ranking, if there are any."""

    objects = BoardQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["config", "phase", "is_out_of_ranking"],
                condition=Q(until__isnull=True),
                name="one_board_of_a_phase",
            ),
            models.UniqueConstraint(
                fields=["config", "phase", "until", "is_out_of_ranking"],
                condition=Q(until__isnull=False),
                name="one_board_of_a_phase_until",
            ),
        ]
        indexes = [models.Index(fields=["config", "phase"], name="boards_of_a_config")]

    def __str__(self) -> str:
        return f"{self.phase_id} under config {self.config_id}"

    @property
    def challenge(self) -> Challenge:
        return self.config.challenge

    @property
    def ranked_by(self) -> ScoringConfig:
        """The config as the phase uses it: see `in_phase`. Loads the phase."""
        withheld = self.phase.withheld
        return self.config.in_phase(withheld.least_coverage, withheld.shown_decimals)

    @property
    def counting(self) -> CountingMode:
        """Which attempts of a participant count here. Loads the phase."""
        return counting_of(self.phase.counting, self.config.counting)

    @property
    def is_complete(self) -> bool:
        return self.filled_to is None

    @property
    def is_judged(self) -> bool:
        """Whether a `BoardCertainty` of this version is stored."""
        return self.judged_version == self.version

    @property
    def read_pk(self) -> int:
        """The id of the board for readers of its standings; 0 until it is complete.

        No board has the id 0: ranks on a part of the standings would be wrong.
        """
        return self.pk if self.is_complete else 0
