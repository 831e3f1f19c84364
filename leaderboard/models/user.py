from __future__ import annotations

from typing import Any

from django.contrib.auth.models import AbstractUser


class User(AbstractUser):  # type: ignore[django-manager-missing]
    """A person or program that signs in. Django's own user; a table of ours so that it can grow."""

    def organises(self, tenant_id: Any) -> bool:
        """May this user configure the challenges of the tenant?"""
        return self.is_active and (
            self.is_superuser
            or self.memberships.filter(tenant_id=tenant_id, role="organiser").exists()
        )
