from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, cast
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.core.exceptions import ValidationError
from django.db import connection, models
from django.db.models import Case, F, Q, When
from django.urls import reverse

from leaderboard.models.tenant import Membership, Tenant
from leaderboard.models.user import User
from leaderboard.rules.ids import uuid7

if TYPE_CHECKING:
    from leaderboard.models.scoring_config import ScoringConfig


class ChallengeQuerySet(models.QuerySet["Challenge"]):
    def visible_to(self, user: User | AnonymousUser | None) -> ChallengeQuerySet:
        """Every challenge that `user` may open, when they know where it is."""
        if user is None or not isinstance(user, User) or not user.is_active:
            return self.exclude(visibility=Challenge.Visibility.PRIVATE)
        if user.is_superuser:
            return self
        return self.filter(
            ~Q(visibility=Challenge.Visibility.PRIVATE)
            | Q(tenant__in=Membership.objects.filter(user=user).values("tenant"))
        )

    def called(self, slug: str, user: User | AnonymousUser | None) -> Challenge | None:
        """The challenge that an address with this slug opens for `user`; None if none does.

        Private challenges of several tenants may have one slug, and a public one may have it too. A
        member gets the own tenant's challenge, so that no other tenant can redirect members by its
        name.
        """
        return self.all_called(slug, user).first()

    def all_called(self, slug: str, user: User | AnonymousUser | None) -> ChallengeQuerySet:
        """Those of which `called` takes the first."""
        found = self.visible_to(user).filter(slug=slug)
        if not isinstance(user, User):
            return found.order_by("pk")
        private = Q(visibility=Challenge.Visibility.PRIVATE)
        mine = Q(tenant__in=Membership.objects.filter(user=user).values("tenant"))
        place = Case(When(private & mine, then=0), When(~private, then=1), default=2)
        return found.order_by(place, "pk")

    def listed_for(self, user: User | AnonymousUser | None) -> ChallengeQuerySet:
        """Those that lists show: unlisted ones only to members of their tenant."""
        visible = self.visible_to(user)
        if isinstance(user, User) and user.is_superuser:
            return visible
        listed = ~Q(visibility=Challenge.Visibility.UNLISTED)
        if isinstance(user, User) and user.is_active:
            listed |= Q(tenant__in=Membership.objects.filter(user=user).values("tenant"))
        return visible.filter(listed)

    def organised_by(self, user: User) -> ChallengeQuerySet:
        return self.filter(tenant__in=Tenant.objects.organised_by(user))

    def bump(self, challenge_id: UUID) -> None:
        """Tell caches and ETags that the board has changed."""
        self.filter(id=challenge_id).update(**NEXT_VERSION)

    def hold_attempts(self, challenge_id: UUID) -> None:
        """Until the end of the transaction, keep `alter_attempts` of the challenge waiting.

        Any number may hold at once. SQLite has one writer at a time and needs no lock.
        """
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute(
                    "SELECT 1 FROM leaderboard_challenge WHERE id = %s FOR KEY SHARE",
                    [challenge_id],
                )

    def hold_board(self, challenge_id: UUID) -> None:
        """Until the end of the transaction, be the only one who writes to the shown board."""
        self.select_for_update(no_key=True).values_list("pk").get(pk=challenge_id)

    def alter_attempts(self, challenge_id: UUID) -> Challenge:
        """The challenge, locked so that no transaction counts its attempts until this one ends."""
        return self.select_for_update().get(pk=challenge_id)


NEXT_VERSION = {each: F(each) + 1 for each in ("board_version", "version_with_columns")}
"""What whoever changes a board updates of its challenge."""


class Challenge(models.Model):
    """What is attempted, and the board that ranks the attempts.

    How it is scored stands in its scoring configs. New attempts are submitted under
    `newest_config`; the board shows `shown_config`, an older one until a rescore is done.
    """

    class Visibility(models.TextChoices):
        PUBLIC = "public"
        UNLISTED = "unlisted"
        PRIVATE = "private"

    class DetailsVisibility(models.TextChoices):
        AUTO = "auto"
        PUBLIC = "public"
        PARTICIPANT = "participant"
        ORGANISER = "organiser"

    class OnCodeChange(models.TextChoices):
        """What happens when plugins on the server are others than those of the board."""

        WARN = "warn"
        HOLD = "hold"
        RESCORE = "rescore"

    class ReferencesVisibility(models.TextChoices):
        PUBLIC = "public"
        ORGANISER = "organiser"

    class ConfigVisibility(models.TextChoices):
        PUBLIC = "public"
        ORGANISER = "organiser"

    id = models.UUIDField(primary_key=True, default=uuid7, editable=False)
    tenant = models.ForeignKey(Tenant, models.PROTECT, related_name="challenges")
    slug = models.SlugField(max_length=80)
    name = models.CharField(max_length=120)
    summary = models.CharField(max_length=300, blank=True, help_text="One line for lists.")
    description = models.TextField(blank=True, help_text="Markdown.")
    goal = models.TextField(blank=True, help_text="What counts as success. Markdown.")
    app_id = models.CharField(max_length=120, blank=True)
    workflow_id = models.CharField(max_length=120, blank=True)
    visibility = models.CharField(
        max_length=8, choices=Visibility.choices, default=Visibility.PUBLIC
    )
    is_active = models.BooleanField(default=True, help_text="Accepts attempts.")
    details_visibility = models.CharField(
        max_length=11, choices=DetailsVisibility.choices, default=DetailsVisibility.AUTO
    )
    references_visibility = models.CharField(
        max_length=9,
        choices=ReferencesVisibility.choices,
        default=ReferencesVisibility.ORGANISER,
        help_text="Who sees what is expected of a model, and what gives it away.",
    )
    config_visibility = models.CharField(
        max_length=9,
        choices=ConfigVisibility.choices,
        default=ConfigVisibility.PUBLIC,
        db_default=ConfigVisibility.PUBLIC,
        help_text="Who sees the settings of the scorer and of metrics, and the text of scripts.",
    )
    on_code_change = models.CharField(
        max_length=7,
        choices=OnCodeChange.choices,
        default=OnCodeChange.WARN,
        help_text="What happens when the source of the scorer, or of a metric, has changed.",
    )
    columns = models.JSONField(default=list, blank=True)
    values = models.JSONField(
        default=list,
        blank=True,
        help_text='Names of values that participants report: ["solved", "penalty_minutes"].',
    )
    newest_config = models.ForeignKey(
        "leaderboard.ScoringConfig", models.PROTECT, null=True, editable=False, related_name="+"
    )
    shown_config = models.ForeignKey(
        "leaderboard.ScoringConfig", models.PROTECT, null=True, editable=False, related_name="+"
    )
    board_version = models.PositiveBigIntegerField(default=0, editable=False)
    version_with_columns = models.PositiveBigIntegerField(
        default=0,
        db_default=0,
        editable=False,
        help_text="Moves with the board's version, unless a release before sorted columns writes.",
    )
    board_changed_at = models.DateTimeField(null=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = ChallengeQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["slug"],
                condition=~Q(visibility="private"),
                name="one_open_challenge_per_slug",
            ),
            models.UniqueConstraint(
                fields=["tenant", "slug"], name="one_challenge_of_a_tenant_per_slug"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("board", args=[self.slug])

    def validate_constraints(self, exclude: Collection[str] | None = None) -> None:
        """Both constraints are about the slug, so forms show it there."""
        try:
            super().validate_constraints(exclude)
        except ValidationError:
            raise ValidationError({"slug": "It must be one that no challenge has."}) from None

    def share(self, *configs: ScoringConfig) -> None:
        """Let the challenge and its own configs refer to each other's instances, so that none is
        read twice.
        """
        for config in configs:
            config.challenge = self
            if self.newest_config_id == config.pk:
                self.newest_config = config
            if self.shown_config_id == config.pk:
                self.shown_config = config

    @property
    def newest(self) -> ScoringConfig:
        """The scoring config that new attempts are submitted under; every challenge has one."""
        return cast("ScoringConfig", self.newest_config)

    @property
    def shown(self) -> ScoringConfig:
        """The scoring config whose ranks the board shows; every challenge has one."""
        return cast("ScoringConfig", self.shown_config)
