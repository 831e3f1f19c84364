from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, cast

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.urls import reverse
from django.utils.translation import gettext, gettext_lazy

from leaderboard.models.challenge_queries import ChallengeQueries
from leaderboard.models.from_schema import columns_of
from leaderboard.models.tenant import Tenant
from leaderboard.rules.ids import uuid7
from leaderboard.rules.json.stored import StoredColumn, StoredMetaField
from leaderboard.schemas.challenges import ChallengeFields
from leaderboard.schemas.choices import (
    ConfigVisibility,
    DetailsVisibility,
    OnCodeChange,
    ReferencesVisibility,
    Visibility,
)

if TYPE_CHECKING:
    from leaderboard.models.scoring_config import ScoringConfig


class ChallengeQuerySet(ChallengeQueries["Challenge"]):
    """Challenges."""


@columns_of(ChallengeFields)
class Challenge(models.Model):
    """What participants attempt, and the board that ranks the attempts.

    `ChallengeFields` has the columns that organisers fill in.

    Its scoring configs say how attempts are scored. New attempts are submitted under
    `newest_config`; the board shows `shown_config`, which is older until a rescore is done.
    """

    Visibility = Visibility
    DetailsVisibility = DetailsVisibility
    OnCodeChange = OnCodeChange
    ReferencesVisibility = ReferencesVisibility
    ConfigVisibility = ConfigVisibility

    id = models.UUIDField(
        primary_key=True, default=uuid7, editable=False, verbose_name=gettext_lazy("id")
    )
    tenant = models.ForeignKey(
        Tenant, models.PROTECT, related_name="challenges", verbose_name=gettext_lazy("tenant")
    )
    slug = models.SlugField(max_length=80)
    newest_config = models.ForeignKey(
        "leaderboard.ScoringConfig",
        models.PROTECT,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=gettext_lazy("newest config"),
    )
    shown_config = models.ForeignKey(
        "leaderboard.ScoringConfig",
        models.PROTECT,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=gettext_lazy("shown config"),
    )
    sample = models.OneToOneField(
        "leaderboard.Attempt",
        models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        help_text=gettext_lazy("The example that its organisers sent through a draft."),
        verbose_name=gettext_lazy("sample"),
    )
    condition_set = models.ForeignKey(
        "leaderboard.ConditionSet",
        models.SET_NULL,
        null=True,
        editable=False,
        related_name="+",
        verbose_name=gettext_lazy("rules of admission"),
    )
    is_restricted = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=gettext_lazy("Whether a phase hides something from some readers."),
        verbose_name=gettext_lazy("is restricted"),
    )
    has_marks = models.BooleanField(
        default=False,
        db_default=False,
        editable=False,
        help_text=gettext_lazy("Whether organisers have verified or annotated an attempt."),
        verbose_name=gettext_lazy("has marks"),
    )
    board_version = models.PositiveBigIntegerField(
        default=0,
        editable=False,
        help_text=gettext_lazy("How often its boards have changed, other than by scores."),
        verbose_name=gettext_lazy("board version"),
    )
    created_at = models.DateTimeField(auto_now_add=True, verbose_name=gettext_lazy("created at"))

    name: str
    summary: str
    description: str
    goal: str
    visibility: str
    is_draft: bool
    is_embeddable: bool
    details_visibility: str
    config_visibility: str
    is_active: bool
    app_id: str
    workflow_id: str
    columns: list[StoredColumn]
    values: list[str]
    dataset: str
    dataset_url: str
    dataset_revision: str
    license: str
    organisation: str
    meta_fields: list[StoredMetaField]
    saved_views: str
    folds_families: bool
    medals: str
    on_code_change: str
    references_visibility: str
    votes_from: str
    review: str
    decisions_needed: int
    reviewers_decide: bool
    disclose: str
    evidence_visibility: str

    has_several_boards = False
    """Whether it shows several boards; known as soon as `shown_boards` has read them."""

    objects = ChallengeQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("challenge")
        verbose_name_plural = gettext_lazy("challenges")
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(
                fields=["slug"],
                condition=~Q(visibility="private") & Q(is_draft=False),
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
        """Show both constraints at the slug in forms, because both are about it."""
        try:
            super().validate_constraints(exclude)
        except ValidationError:
            text = gettext("must be one that no challenge has; got {slug}, which is taken")
            raise ValidationError({"slug": text.format(slug=self.slug)}) from None

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
    def is_hidden(self) -> bool:
        """Whether not everyone may open it: it is private or a draft."""
        return self.is_draft or self.visibility == Visibility.PRIVATE

    @property
    def newest(self) -> ScoringConfig:
        """The scoring config under which new attempts are submitted; every challenge has one."""
        return cast("ScoringConfig", self.newest_config)

    @property
    def shown(self) -> ScoringConfig:
        """The scoring config whose ranks the board shows; every challenge has one."""
        return cast("ScoringConfig", self.shown_config)
