from __future__ import annotations

from typing import Any
from uuid import UUID

from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Value
from django.utils.translation import gettext_lazy

from leaderboard.languages.translation import translated
from leaderboard.models.skeleton_field import SkeletonField
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.skeletons import MAX_LENGTH, skeleton
from leaderboard.schemas.choices import DEFAULT_WAYS, NoticeKind, NoticeWay


class User(AbstractUser):  # type: ignore[django-manager-missing]
    """A person or program that signs in: Django's user in a table of ours, to allow new fields."""

    managed_by = models.ForeignKey(
        "leaderboard.Tenant",
        models.SET_NULL,
        null=True,
        blank=True,
        editable=False,
        related_name="managed_users",
        help_text=gettext_lazy(
            "The tenant whose organisers made the account: they may make links for it."
        ),
    )

    is_self_named = models.BooleanField(
        default=False,
        db_default=False,
        help_text=gettext_lazy(
            "Whether the user chose the username at sign-up. Such a username invites nobody to a"
            " challenge, because everybody could have chosen it."
        ),
        verbose_name=gettext_lazy("chose the username"),
    )

    skeleton = SkeletonField(
        max_length=MAX_LENGTH,
        default="",
        blank=True,
        editable=False,
        db_index=True,
        db_default="",
        help_text=gettext_lazy("Equal for usernames that are drawn alike."),
    )

    language = models.CharField(
        max_length=12,
        blank=True,
        editable=False,
        help_text=gettext_lazy(
            "That of the pages when the user last signed in or chose one; of mail to them."
        ),
    )

    notice_ways: models.JSONField[dict[str, str], dict[str, str]] = models.JSONField(
        default=dict,
        blank=True,
        editable=False,
        db_default=Value({}, models.JSONField()),
        help_text=gettext_lazy("How the user is told of each kind of notice, where they chose."),
    )

    time_zone = models.CharField(
        max_length=64,
        blank=True,
        editable=False,
        default="",
        db_default="",
        help_text=gettext_lazy("In which daily mail arrives in the morning. Empty: UTC."),
    )

    def clean(self) -> None:
        """Refuse a new username that looks like another one."""
        super().clean()
        if self._state.adding or self.skeleton != skeleton(self.username):
            check_looks_like_no_other(self.username, but=self.pk)

    def way_of(self, kind: NoticeKind, challenge: UUID | None = None) -> NoticeWay:
        """How the user wants to be told of a kind of notice, of a challenge if one is given.

        `notice_ways` also has the ids of challenges of which the user wants to hear nothing.
        """
        if challenge is not None and challenge.hex in self.notice_ways:
            return NoticeWay.OFF
        return NoticeWay(self.notice_ways.get(kind, DEFAULT_WAYS[kind]))

    def organises(self, tenant_id: Any) -> bool:
        """Whether this user may configure the challenges of the tenant."""
        return self.is_active and (
            self.is_superuser
            or self.memberships.filter(tenant_id=tenant_id, role="organiser").exists()
        )


def check_looks_like_no_other(username: str, *, but: int | None = None) -> None:
    """Raise ValidationError for a name that people take for that of another user (not `but`).

    The very same name is refused by the field, which says so.
    """
    alike = User.objects.filter(skeleton=skeleton(username)).exclude(username=username)
    look_alikes = alike if but is None else alike.exclude(pk=but)
    if look_alikes.exists():
        text = message(
            "must not look like the username of somebody else; got {got}", got=sent(username)
        )
        raise ValidationError({"username": translated(text)})
