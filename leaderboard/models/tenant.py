from __future__ import annotations

from django.conf import settings
from django.db import models
from django.utils.translation import gettext, gettext_lazy

from leaderboard.models.user import User


class TenantQuerySet(models.QuerySet["Tenant"]):
    def organised_by(self, user: User) -> TenantQuerySet:
        """The tenants whose challenges `user` may configure."""
        if user.is_superuser:
            return self
        return self.filter(memberships__user=user, memberships__role=Membership.Role.ORGANISER)


class Tenant(models.Model):  # type: ignore[django-manager-missing]
    """An organisation on this server, with its own challenges and participants."""

    slug = models.SlugField(max_length=60, unique=True, verbose_name=gettext_lazy("slug"))
    name = models.CharField(max_length=120, verbose_name=gettext_lazy("name"))
    created_at = models.DateTimeField(auto_now_add=True, verbose_name=gettext_lazy("created at"))
    served_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text=gettext_lazy("When a worker last took one of its attempts."),
        verbose_name=gettext_lazy("served at"),
    )

    objects = TenantQuerySet.as_manager()

    class Meta:
        verbose_name = gettext_lazy("tenant")
        verbose_name_plural = gettext_lazy("tenants")
        ordering = ["slug"]

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's place in a tenant: members see its private challenges, organisers configure them."""

    class Role(models.TextChoices):
        MEMBER = "member", gettext_lazy("Member")
        ORGANISER = "organiser", gettext_lazy("Organiser")

    tenant = models.ForeignKey(
        Tenant, models.CASCADE, related_name="memberships", verbose_name=gettext_lazy("tenant")
    )
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.CASCADE,
        related_name="memberships",
        verbose_name=gettext_lazy("user"),
    )
    role = models.CharField(
        max_length=12, choices=Role.choices, default=Role.MEMBER, verbose_name=gettext_lazy("role")
    )

    class Meta:
        verbose_name = gettext_lazy("membership")
        verbose_name_plural = gettext_lazy("memberships")
        constraints = [
            models.UniqueConstraint(fields=["tenant", "user"], name="one_membership_per_tenant")
        ]

    def __str__(self) -> str:
        return gettext("{user}: {role} of {tenant}").format(
            user=self.user, role=self.get_role_display(), tenant=self.tenant
        )
