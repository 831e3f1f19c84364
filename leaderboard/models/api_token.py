from __future__ import annotations

from django.db import models
from knox.models import AbstractAuthToken

from leaderboard.models.tenant import Tenant

SCOPES = ("read", "submit", "organise")


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """An API token: only a hash of it is stored. What it may do is its scopes.

    `organise` holds for `tenant`; a token without a tenant organises nothing.
    """

    name = models.CharField(max_length=80, blank=True)
    scopes = models.JSONField(default=list)
    tenant = models.ForeignKey(Tenant, models.CASCADE, null=True, blank=True, related_name="tokens")
    last_used_at = models.DateTimeField(null=True, blank=True, editable=False)

    class Meta:
        ordering = ["-created"]

    def __str__(self) -> str:
        return f"{self.name or 'token'} {self.token_key}… of {self.user}"

    def allows(self, scope: str) -> bool:
        return scope in self.scopes
