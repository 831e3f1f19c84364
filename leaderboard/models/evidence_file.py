from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.attempt import Attempt
from leaderboard.models.challenge import Challenge
from leaderboard.models.challenge_file import LONGEST_NAME, LONGEST_PATH
from leaderboard.schemas.marks import LONGEST_LINK

KindsOfSamples = Mapping[UUID, Mapping[tuple[str, int], Sequence[str]]]


class EvidenceFileQuerySet(models.QuerySet["EvidenceFile"]):
    """Evidence of attempts."""

    def kinds_of(self, attempts: Collection[UUID]) -> KindsOfSamples:
        """The kinds of evidence that samples have, by attempt, then by task and number."""
        kinds: dict[UUID, dict[tuple[str, int], list[str]]] = {}
        files = self.filter(attempt__in=attempts).exclude(task="").order_by()
        columns = files.values_list("attempt", "task", "sample", "kind").distinct()
        for attempt, task, sample, kind in columns:
            of_attempt = kinds.setdefault(attempt, {})
            of_attempt.setdefault((task, sample or 0), []).append(kind)
        return kinds


class EvidenceFile(models.Model):
    """What shows how a sample, or a whole attempt, went: a stored file, or a link to one.

    Rows are only added. task, sample: of the sample; "" and None for the whole attempt. path: the
    name of the file in the storage `files`, "" for a link. url: never opened by the server.
    """

    class Kind(models.TextChoices):
        TRAJECTORY = "trajectory", gettext_lazy("Trajectory")
        LOG = "log", gettext_lazy("Log")
        DIFF = "diff", gettext_lazy("Diff")
        OTHER = "other", gettext_lazy("Other evidence")

    attempt = models.ForeignKey(
        Attempt, models.CASCADE, related_name="evidence_files", db_index=False
    )
    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="evidence_files")
    task = models.CharField(max_length=255, blank=True)
    sample = models.PositiveIntegerField(null=True)
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=LONGEST_NAME, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    path = models.CharField(max_length=LONGEST_PATH, blank=True, editable=False)
    url = models.CharField(max_length=LONGEST_LINK, blank=True)
    added_at = models.DateTimeField(db_default=Now())
    added_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    objects = EvidenceFileQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("evidence file")
        verbose_name_plural = gettext_lazy("evidence files")
        constraints = [
            models.CheckConstraint(
                condition=(Q(path="") & ~Q(url="")) | (~Q(path="") & Q(url="")),
                name="evidence_is_a_file_or_a_link",
            ),
            models.UniqueConstraint(
                fields=["path"], condition=~Q(path=""), name="evidence_has_its_own_file"
            ),
        ]
        indexes = [
            models.Index(fields=["attempt", "task", "sample", "id"], name="evidence_of_attempt")
        ]

    def __str__(self) -> str:
        return f"{self.kind}, {self.attempt_id}"
