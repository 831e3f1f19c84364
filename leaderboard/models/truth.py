from __future__ import annotations

from django.db import models

from leaderboard.models.challenge_file import ChallengeFile


class Truth(models.Model):
    """What a truth file says, read by the columns that a scoring config names.

    It never changes, and can be made again from the file. digest: of the settings by which it was
    read. layout: the columns that files of predictions must have (`predictions.layouts.Layout`);
    it holds no secret. form: packed ids, against which files are checked. key: the packed answers
    and the part of each row, which only metrics see.
    """

    file = models.ForeignKey(ChallengeFile, models.RESTRICT, related_name="truths")
    digest = models.CharField(max_length=64)
    layout = models.JSONField()
    form = models.BinaryField()
    key = models.BinaryField()
    public_rows = models.PositiveIntegerField()
    private_rows = models.PositiveIntegerField()
    ignored_rows = models.PositiveIntegerField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["file", "digest"], name="truth_read_once")]

    def __str__(self) -> str:
        return f"truth in {self.file_id}"
