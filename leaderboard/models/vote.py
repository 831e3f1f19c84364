from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now

from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant


class Vote(models.Model):
    """What one voter prefers of the outputs of two participants for one prompt.

    `first` is the participant with the smaller id. `outcome` is 1 if it is preferred, 0 if the
    second one is, and 0.5 for a tie. `voter` identifies who has voted: an account, or a text that
    organisers have sent. A voter has one vote for a pair and a named prompt; a later one replaces
    it.
    """

    challenge = models.ForeignKey(Challenge, models.CASCADE, related_name="votes", db_index=False)
    first = models.ForeignKey(Participant, models.CASCADE, related_name="+")
    second = models.ForeignKey(Participant, models.CASCADE, related_name="+")
    outcome = models.FloatField()
    voter = models.CharField(max_length=120)
    prompt = models.CharField(max_length=255, blank=True)
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "voter", "prompt", "first", "second"],
                condition=~Q(prompt=""),
                name="one_vote_per_prompt",
            ),
            models.CheckConstraint(condition=Q(first__lt=F("second")), name="votes_have_an_order"),
        ]
        indexes = [models.Index(fields=["challenge", "voter", "at"], name="votes_of_a_voter")]

    def __str__(self) -> str:
        return f"vote about {self.first_id} and {self.second_id}"


class Arena(models.Model):
    """The board of a challenge that follows from its votes, computed by a worker.

    `version` moves with each change of the votes; `computed_version` is the one that `rows` are
    for: `rules.statistics.arenas.ArenaRow`s, with ids of participants as systems.
    """

    challenge = models.OneToOneField(
        Challenge, models.CASCADE, primary_key=True, related_name="arena", editable=False
    )
    version = models.PositiveBigIntegerField(default=0, editable=False)
    computed_version = models.PositiveBigIntegerField(default=0, editable=False)
    computed_at = models.DateTimeField(null=True, editable=False)
    votes = models.PositiveIntegerField(default=0, editable=False)
    voters = models.PositiveIntegerField(default=0, editable=False)
    rows: models.JSONField[Any, Any] = models.JSONField(default=list, editable=False)

    def __str__(self) -> str:
        return f"arena of {self.challenge_id}"

    @property
    def is_current(self) -> bool:
        """Whether the rows include every vote."""
        return self.version == self.computed_version
