from __future__ import annotations

from django.db import models
from django.utils.translation import gettext_lazy

from leaderboard.models.attempt import Attempt
from leaderboard.models.challenge import Challenge
from leaderboard.models.challenge_file import LONGEST_NAME, LONGEST_PATH


class SubmittedFile(models.Model):
    """The file that an attempt submitted, in a table of its own: boards and lists never read it.

    path: its name in the storage `files`. predictions: the values of its rows in the order of a
    truth, packed (`rules.predictions`); they can be made again from the file. packed_for: says
    which truth and columns they belong to; "" without predictions.
    """

    attempt = models.OneToOneField(
        Attempt, models.CASCADE, primary_key=True, related_name="submitted_file"
    )
    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="submitted_files")
    name = models.CharField(max_length=LONGEST_NAME, verbose_name=gettext_lazy("name"))
    size = models.PositiveBigIntegerField(
        help_text=gettext_lazy("Bytes."), verbose_name=gettext_lazy("size")
    )
    sha256 = models.CharField(max_length=64)
    path = models.CharField(max_length=LONGEST_PATH, unique=True, editable=False)
    predictions = models.BinaryField(null=True)
    packed_for = models.CharField(max_length=64, blank=True, default="", editable=False)

    class Meta:
        verbose_name = gettext_lazy("submitted file")
        verbose_name_plural = gettext_lazy("submitted files")

    def __str__(self) -> str:
        return f"file of {self.attempt_id}"
