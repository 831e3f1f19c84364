from __future__ import annotations

from django.conf import settings
from django.db import models

from leaderboard.models.user import User


class TenantQuerySet(models.QuerySet["Tenant"]):
    def organised_by(self, user: User) -> TenantQuerySet:
        """The tenants whose challenges `user` may configure."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user, memberships__role=Membership.Role.ORGANISER)


class Tenant(models.Model):  # type: ignore[django-manager-missing]
    """An organisation on this server: its challenges and participants are apart from others'."""

    slug = models.SlugField(max_length=60, unique=True)
    name = models.CharField(max_length=120)
    created_at = models.DateTimeField(auto_now_add=True)
    served_at = models.DateTimeField(
        null=True, editable=False, help_text="When a worker last took one of its attempts."
    )

    objects = TenantQuerySet.as_manager()

    class Meta:
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's place in a tenant: members see its private challenges, organisers configure them."""

    class Role(models.TextChoices):
        MEMBER = "member"
        ORGANISER = "organiser"

    tenant = models.ForeignKey(Tenant, models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=12, choices=Role.choices, default=Role.MEMBER)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user"], name="one_membership_per_tenant")
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.role} of {self.tenant}"
