from __future__ import annotations

from django.db import models
from django.db.models import Q

from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant


class EventQuerySet(models.QuerySet["Event"]):
    """Events."""


class Event(models.Model):
    """What happened in a challenge: a line of its log, which is only ever added to.

    seq: 1, 2, … without gaps. body: numbers and codes, as the canonical text that is hashed.
    secret: names and free texts, as such a text; "" if there are none, or once they were erased,
    with the salt. `rules.event_chain` says what blind and link are. `services.events` writes it in
    the transaction of what happened.
    """

    class Kind(models.IntegerChoices):
        """The labels are codes, which are hashed and published: they never change."""

        PUBLISHED = 1, "published"
        RECEIVED = 2, "received"
        SCORED = 3, "scored"
        FAILED = 4, "failed"
        RETRIED = 5, "retried"
        WITHDRAWN = 6, "withdrawn"
        RESTORED = 7, "restored"
        CHOSEN = 8, "chosen"
        UNCHOSEN = 9, "unchosen"
        VERIFIED = 10, "verified"
        UNVERIFIED = 11, "unverified"
        DISQUALIFIED = 12, "disqualified"
        REINSTATED = 13, "reinstated"
        ROW_KIND = 14, "row-kind"
        MERGED = 15, "merged"
        RENAMED = 16, "renamed"
        ERASED = 17, "erased"
        PHASE = 18, "phase"
        FREEZE = 19, "freeze"
        REVEAL = 20, "reveal"
        VERSION = 21, "version"
        RESCORE_BEGUN = 22, "rescore-begun"
        RESCORED = 23, "rescored"
        SHOWN = 24, "shown"
        CHANGED = 25, "changed"
        ANNOUNCEMENT = 26, "announcement"
        REGISTRATION_RULES = 27, "registration-rules"
        ROLE = 28, "role"
        GRANT = 29, "grant"
        CONDITIONS = 32, "conditions"
        JUDGED = 33, "judged"
        ACCEPTED = 36, "accepted"
        RETURNED = 37, "returned"
        RULED = 38, "ruled"
        APPEALED = 39, "appealed"
        ANSWERED = 40, "answered"
        UNDONE = 41, "undone"
        REGISTERED = 42, "registered"
        DECIDED = 43, "decided"
        OPENED = 45, "opened"
        CLOSED = 46, "closed"
        EVIDENCE = 48, "evidence"

    pk = models.CompositePrimaryKey("challenge_id", "seq")
    # Without a constraint, which would look up the challenge for each line of a bulk.
    challenge = models.ForeignKey(
        Challenge, models.CASCADE, related_name="events", db_index=False, db_constraint=False
    )
    seq = models.PositiveBigIntegerField()
    at = models.DateTimeField()
    kind = models.PositiveSmallIntegerField()
    participant = models.ForeignKey(
        Participant, models.DO_NOTHING, null=True, db_index=False, db_constraint=False
    )
    body = models.TextField()
    secret = models.TextField(blank=True, default="")
    salt = models.BinaryField(null=True)
    blind = models.BinaryField()
    link = models.BinaryField()

    objects = EventQuerySet.as_manager()

    class Meta:
        indexes = [
            models.Index(
                fields=["participant"], name="events_with_a_secret", condition=~Q(secret="")
            )
        ]

    def __str__(self) -> str:
        return f"{self.seq} {self.code}"

    @property
    def code(self) -> str:
        """Its kind as it is hashed and published."""
        return self.Kind(self.kind).label


class EventLog(models.Model):
    """The end of a challenge's log, which who adds to it locks. A draft has none.

    seq, at, link: of its last event. key: the secret for the aliases of participants. relayed: up
    to which event users have their notices.
    """

    challenge = models.OneToOneField(
        Challenge, models.CASCADE, primary_key=True, related_name="event_log"
    )
    seq = models.PositiveBigIntegerField(default=0)
    at = models.DateTimeField()
    link = models.BinaryField()
    key = models.BinaryField()
    relayed = models.PositiveBigIntegerField(default=0, db_default=0)

    def __str__(self) -> str:
        return f"{self.challenge_id}: {self.seq} events"


class LogAnchor(models.Model):
    """The ends of all logs that grew since the anchor before, as they were published on a day.

    heads: the last seq by the id of the challenge. leaves: sorted (`rules.event_chain.leaf`).
    root: SHA-256 of the leaves, as lines.
    """

    day = models.DateField(primary_key=True)
    at = models.DateTimeField()
    heads = models.JSONField()
    leaves = models.JSONField()
    root = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.day}: {self.root}"
