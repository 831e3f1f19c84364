from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.db.models.functions import Now
from django.utils.translation import gettext_lazy

from leaderboard.models.challenge import Challenge
from leaderboard.models.choices import choices_of
from leaderboard.models.from_schema import columns_of
from leaderboard.models.participant import Participant
from leaderboard.models.user import User
from leaderboard.rules.ids import uuid7
from leaderboard.rules.json.stored import StoredQuestion
from leaderboard.schemas.choices import RegistrationStatus, RowKind
from leaderboard.schemas.registration import RegistrationRulesBody


@columns_of(RegistrationRulesBody)
class RegistrationRules(models.Model):
    """Who may take part in a challenge. Without this row, everyone may.

    `RegistrationRulesBody` has the columns that organisers fill in. With this row, each user takes
    part as one participant; see `Entry.is_sole`.
    """

    challenge = models.OneToOneField(
        Challenge,
        models.CASCADE,
        primary_key=True,
        related_name="registration_rules",
        verbose_name=gettext_lazy("challenge"),
    )
    terms_version = models.PositiveIntegerField(
        default=0,
        editable=False,
        help_text=gettext_lazy("Counts the changes of the terms."),
        verbose_name=gettext_lazy("terms version"),
    )
    waiting_told_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("When organisers last got mail about waiting registrations."),
        verbose_name=gettext_lazy("waiting told at"),
    )

    mode: str
    code: str
    domains: list[str]
    invited: list[str]
    smallest_team: int
    largest_team: int
    teams_fixed_at: datetime | None
    brackets: list[str]
    bracket_choice: str
    terms: str
    questions: list[StoredQuestion]

    class Meta:
        verbose_name = gettext_lazy("registration rules")
        verbose_name_plural = gettext_lazy("registration rules")
        constraints = [
            models.CheckConstraint(
                condition=Q(smallest_team__gte=1, largest_team__gte=F("smallest_team")),
                name="teams_have_a_size",
            )
        ]

    def __str__(self) -> str:
        return f"{self.challenge}: {self.mode}"


class RegistrationQuerySet(models.QuerySet["Registration"]):
    def out_of_ranking(self) -> RegistrationQuerySet:
        """Participants whose rows are out of the ranking; those of disqualified ones are not."""
        return self.exclude(row_kind=RowKind.RANKED).filter(disqualified_at=None)


class Registration(models.Model):
    """A participant in a challenge. Changes of its members lock this row.

    terms_version: the version of the accepted terms, 0 for none. reason: why it was declined.

    A participant whose `row_kind` is not `ranked` stands on boards in its place, without a rank.

    A participant with `disqualified_at` has no rank in the challenge, whatever its attempts. The
    `disqualified_reason` is public; the `appeal` is what its members answer, for organisers, whose
    `appeal_answer` only its members read.
    """

    id = models.UUIDField(
        primary_key=True, default=uuid7, editable=False, verbose_name=gettext_lazy("id")
    )
    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="registrations",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="registrations",
        verbose_name=gettext_lazy("participant"),
    )
    status = models.CharField(
        max_length=8,
        choices=choices_of(RegistrationStatus),
        default=RegistrationStatus.ACCEPTED,
        verbose_name=gettext_lazy("status"),
    )
    answers = models.JSONField(default=dict, blank=True, verbose_name=gettext_lazy("answers"))
    terms_version = models.PositiveIntegerField(
        default=0, verbose_name=gettext_lazy("terms version")
    )
    bracket = models.CharField(max_length=80, blank=True, verbose_name=gettext_lazy("bracket"))
    created_at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("created at"))
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("decided by"),
    )
    decided_at = models.DateTimeField(
        null=True, blank=True, verbose_name=gettext_lazy("decided at")
    )
    reason = models.CharField(max_length=300, blank=True, verbose_name=gettext_lazy("reason"))
    row_kind = models.CharField(
        max_length=20,
        choices=choices_of(RowKind),
        default=RowKind.RANKED,
        db_default=RowKind.RANKED,
        help_text=gettext_lazy("Whether its row competes, or is out of the ranking."),
        verbose_name=gettext_lazy("row kind"),
    )
    disqualified_at = models.DateTimeField(
        null=True, blank=True, verbose_name=gettext_lazy("disqualified at")
    )
    disqualified_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("disqualified by"),
    )
    disqualified_reason = models.CharField(
        max_length=300,
        blank=True,
        db_default="",
        verbose_name=gettext_lazy("disqualified reason"),
    )
    appeal = models.TextField(blank=True, db_default="", verbose_name=gettext_lazy("appeal"))
    appealed_at = models.DateTimeField(
        null=True, blank=True, verbose_name=gettext_lazy("appealed at")
    )

    appeal_answer = models.TextField(
        blank=True, db_default="", default="", verbose_name=gettext_lazy("answer to the appeal")
    )
    appeal_answered_at = models.DateTimeField(
        null=True, blank=True, verbose_name=gettext_lazy("appeal answered at")
    )

    objects = RegistrationQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("registration")
        verbose_name_plural = gettext_lazy("registrations")
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "participant"], name="one_registration_per_participant"
            )
        ]
        indexes = [
            models.Index(fields=["challenge", "-created_at", "-id"], name="registrations_newest"),
            models.Index(
                fields=["challenge", "participant"],
                condition=Q(disqualified_at__isnull=False),
                name="disqualified_participants",
            ),
            models.Index(fields=["challenge", "status"], name="registrations_by_status"),
        ]

    def __str__(self) -> str:
        return f"{self.participant}: {self.challenge}"


class EntryQuerySet(models.QuerySet["Entry"]):
    def current(self) -> EntryQuerySet:
        """Entries of users who have not left."""
        return self.filter(left_at=None)

    def admitted(self) -> EntryQuerySet:
        """Current entries without members who wait for an organiser's decision."""
        return self.current().filter(is_waiting=False)

    def of(self, user: User, challenge: Challenge) -> EntryQuerySet:
        """The user's current entries in the challenge."""
        return self.current().filter(user=user, challenge=challenge)


class Entry(models.Model):
    """A user who takes part in a challenge as a participant, from `joined_at` to `left_at`.

    is_sole: whether the user may have no other current entry in the challenge. It is true if the
    challenge has registration rules or the phase has limits; otherwise a user may take part under
    many names.

    is_waiting: whether the user joined after the organisers' decision about the team, and they have
    not decided about the user yet. Until then the user has none of a member's rights.
    """

    class Role(models.TextChoices):
        CAPTAIN = "captain", gettext_lazy("Captain")
        MEMBER = "member", gettext_lazy("Member")

    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        related_name="entries",
        db_index=False,
        verbose_name=gettext_lazy("challenge"),
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="entries",
        verbose_name=gettext_lazy("user"),
    )
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        related_name="entries",
        verbose_name=gettext_lazy("participant"),
    )
    role = models.CharField(
        max_length=7,
        choices=Role.choices,
        default=Role.MEMBER,
        verbose_name=gettext_lazy("role"),
    )
    is_sole = models.BooleanField(default=False, verbose_name=gettext_lazy("is sole"))
    answers = models.JSONField(
        default=dict,
        blank=True,
        db_default={},
        help_text=gettext_lazy("Of a member who joined; those of the captain are the team’s."),
        verbose_name=gettext_lazy("answers"),
    )
    is_waiting = models.BooleanField(
        default=False, db_default=False, verbose_name=gettext_lazy("waits for a decision")
    )
    joined_at = models.DateTimeField(db_default=Now(), verbose_name=gettext_lazy("joined at"))
    left_at = models.DateTimeField(null=True, blank=True, verbose_name=gettext_lazy("left at"))

    objects = EntryQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("entry")
        verbose_name_plural = gettext_lazy("entries")
        constraints = [
            models.UniqueConstraint(
                fields=["challenge", "user"],
                condition=Q(left_at__isnull=True, is_sole=True),
                name="one_team_per_user_and_challenge",
            ),
            models.UniqueConstraint(
                fields=["challenge", "participant"],
                condition=Q(left_at__isnull=True, role="captain"),
                name="one_captain_per_participant",
            ),
            models.UniqueConstraint(
                fields=["challenge", "participant", "user"],
                condition=Q(left_at__isnull=True),
                name="one_entry_per_member",
            ),
        ]
        indexes = [
            models.Index(fields=["challenge", "participant"], name="entries_of_participant"),
            models.Index(
                fields=["challenge"],
                condition=Q(left_at__isnull=True, is_waiting=True),
                name="waiting_entries",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.participant}"
