from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant


class AuditEntry(models.Model):
    """What an organiser has changed in a challenge. Everybody may read the `public` ones.

    object: what was changed, such as the slug of a phase or a username; "" for the challenge as a
    whole and for a participant, whose name may change. before, after: the changed fields by their
    names in the API; null where the object is new or was removed. `services.competition.audit`
    writes it, in the transaction of the change.
    """

    class Kind(models.TextChoices):
        ADMISSION = "admission", gettext_lazy("Rules of admission")
        ANNOUNCEMENT = "announcement", gettext_lazy("Announcement")
        ATTEMPT = "attempt", gettext_lazy("Attempt")
        CHALLENGE = "challenge", gettext_lazy("Challenge")
        GRANT = "grant", gettext_lazy("Extra attempts")
        PARTICIPANT = "participant", gettext_lazy("Participant")
        PHASE = "phase", gettext_lazy("Phase")
        REGISTRATION = "registration", gettext_lazy("Registration")
        ROLE = "role", gettext_lazy("Role")
        RULES = "rules", gettext_lazy("Rules of registration")
        SCORING = "scoring", gettext_lazy("Scoring")

    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="audit_entries",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("at"))
    actor = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("actor"),
    )
    kind = models.CharField(max_length=12, choices=Kind.choices, verbose_name=gettext_lazy("kind"))
    object = models.CharField(max_length=200, blank=True, verbose_name=gettext_lazy("object"))
    participant = models.ForeignKey(
        Participant,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="audit_entries",
        verbose_name=gettext_lazy("participant"),
    )
    before = models.JSONField(null=True, verbose_name=gettext_lazy("before"))
    after = models.JSONField(null=True, verbose_name=gettext_lazy("after"))
    public = models.BooleanField(default=False, verbose_name=gettext_lazy("public"))

    class Meta:
        verbose_name = gettext_lazy("change of a challenge")
        verbose_name_plural = gettext_lazy("changes of challenges")
        ordering = ["-at", "-pk"]
        indexes = [
            models.Index(fields=["challenge", "-at", "-id"], name="audit_newest"),
            models.Index(fields=["challenge", "kind", "-at", "-id"], name="audit_newest_of_kind"),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.object}, {self.at}"
