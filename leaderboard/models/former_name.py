from __future__ import annotations

from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.participant import Participant
from leaderboard.models.tenant import Tenant


class FormerName(models.Model):
    """A former name of a participant. It stays reserved, so that old links work.

    is_private: as for the participant; other participants may use the names of private ones.
    """

    tenant = models.ForeignKey(
        Tenant,
        models.CASCADE,
        related_name="former_names",
        db_index=False,
        verbose_name=gettext_lazy("tenant"),
    )
    is_private = models.BooleanField(default=False, verbose_name=gettext_lazy("is private"))
    handle_key = models.CharField(max_length=400, verbose_name=gettext_lazy("handle key"))
    slug = models.SlugField(max_length=140, db_index=False, verbose_name=gettext_lazy("slug"))
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="former_names",
        verbose_name=gettext_lazy("participant"),
    )
    until = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("until"))

    class Meta:
        verbose_name = gettext_lazy("former name")
        verbose_name_plural = gettext_lazy("former names")
        constraints = [
            models.UniqueConstraint(
                fields=["tenant", "handle_key", "is_private"], name="one_former_name_per_handle"
            ),
            models.UniqueConstraint(
                fields=["tenant", "slug", "is_private"], name="one_former_name_per_slug"
            ),
        ]

    def __str__(self) -> str:
        return self.slug
