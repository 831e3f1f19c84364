from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge


class ConditionSet(models.Model):
    """A numbered revision of the rules of admission of a challenge; it never changes.

    It is no part of a scoring config, so that another rule never computes a score again. `since`:
    only attempts that arrive from then on are judged; None: all. `judged_to`: the id up to which
    earlier attempts are judged by it, while that goes on.
    """

    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="condition_sets",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    number = models.PositiveIntegerField(verbose_name=gettext_lazy("number"))
    rules = models.JSONField(default=list, verbose_name=gettext_lazy("rules"))
    since = models.DateTimeField(null=True, verbose_name=gettext_lazy("since"))
    created_at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("created at"))
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=gettext_lazy("by"),
    )
    is_judged = models.BooleanField(default=True, db_default=True, editable=False)
    judged_to = models.UUIDField(null=True, editable=False)

    class Meta:
        verbose_name = gettext_lazy("rules of admission")
        verbose_name_plural = gettext_lazy("rules of admission")
        constraints = [
            models.UniqueConstraint(fields=["challenge", "number"], name="one_rule_set_per_number")
        ]
        indexes = [
            models.Index(
                fields=["is_judged"], name="rule_sets_to_judge", condition=models.Q(is_judged=False)
            )
        ]

    def __str__(self) -> str:
        return f"{self.challenge}, rules {self.number}"
