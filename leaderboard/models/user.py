from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy


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

    language = models.CharField(
        max_length=12,
        blank=True,
        editable=False,
        help_text=gettext_lazy(
            "That of the pages when the user last signed in or chose one; of mail to them."
        ),
    )

    def organises(self, tenant_id: Any) -> bool:
        """Whether this user may configure the challenges of the tenant."""
        return self.is_active and (
            self.is_superuser
            or self.memberships.filter(tenant_id=tenant_id, role="organiser").exists()
        )
