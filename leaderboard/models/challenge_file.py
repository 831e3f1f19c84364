from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.models.phase import Phase

LONGEST_NAME = 255
LONGEST_PATH = 200


class ChallengeFile(models.Model):
    """A file that organisers upload for a challenge: a truth, a program, or data for participants.

    It never changes: another file is another row. Scoring configs name the truth and the programs
    that they score with. phase: the only phase that it is for; None: all. path: its name in the
    storage `files`. `services.files` writes and deletes the files.
    """

    class Role(models.TextChoices):
        TRUTH = "truth", gettext_lazy("Truth")
        SCORING_PROGRAM = "scoring_program", gettext_lazy("Scoring program")
        INGESTION_PROGRAM = "ingestion_program", gettext_lazy("Ingestion program")
        INPUT_DATA = "input_data", gettext_lazy("Input data")
        ENVIRONMENT = "environment", gettext_lazy("Locked packages")
        PUBLIC_DATA = "public_data", gettext_lazy("Public data")
        STARTING_KIT = "starting_kit", gettext_lazy("Starting kit")
        SAMPLE_SUBMISSION = "sample_submission", gettext_lazy("Sample submission")
        PLUGINS = "plugins", gettext_lazy("Plugins of the challenge")

    FOR_PARTICIPANTS = (Role.PUBLIC_DATA, Role.STARTING_KIT, Role.SAMPLE_SUBMISSION)
    """The roles of files that everybody who sees the challenge may download."""
    UPLOADABLE = tuple(role for role in Role if role.value != "plugins")
    """The roles of files that are added one by one. Plugins are one upload, which is replaced."""

    challenge = models.ForeignKey(
        Challenge, models.CASCADE, related_name="files", verbose_name=gettext_lazy("challenge")
    )
    role = models.CharField(max_length=20, choices=Role.choices, verbose_name=gettext_lazy("role"))
    phase = models.ForeignKey(
        Phase,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="files",
        verbose_name=gettext_lazy("phase"),
    )
    name = models.CharField(max_length=LONGEST_NAME, verbose_name=gettext_lazy("name"))
    size = models.PositiveBigIntegerField(
        help_text=gettext_lazy("Bytes."), verbose_name=gettext_lazy("size")
    )
    sha256 = models.CharField(max_length=64)
    path = models.CharField(max_length=LONGEST_PATH, unique=True, editable=False)
    created_at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("created at"))
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )

    class Meta:
        verbose_name = gettext_lazy("file of a challenge")
        verbose_name_plural = gettext_lazy("files of challenges")
        ordering = ["challenge", "role", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "role", "sha256"], name="challenge_file_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.role} {self.name}"
