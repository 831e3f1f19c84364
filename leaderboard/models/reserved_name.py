from __future__ import annotations

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.tenant import Tenant


class ReservedName(models.Model):
    """A name or slug that a deleted account had on a board, as a digest.

    Nobody else gets it: old links, badges and papers would then show somebody else's rank.
    """

    tenant = models.ForeignKey(
        Tenant,
        models.CASCADE,
        related_name="+",
        db_index=False,
        verbose_name=gettext_lazy("tenant"),
    )
    digest = models.CharField(max_length=64, verbose_name=gettext_lazy("digest"))
    since = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("since"))

    class Meta:
        verbose_name = gettext_lazy("reserved name")
        verbose_name_plural = gettext_lazy("reserved names")
        constraints = [
            models.UniqueConstraint(fields=["tenant", "digest"], name="one_reservation_per_name")
        ]

    def __str__(self) -> str:
        return self.digest
