from __future__ import annotations

from django.db import models
from django.utils.translation import gettext, gettext_lazy
from knox.models import AbstractAuthToken

from leaderboard.models.challenge import Challenge
from leaderboard.models.participant import Participant
from leaderboard.models.tenant import Tenant

SCOPES = ("read", "submit", "organise")


class ApiToken(AbstractAuthToken):  # type: ignore[misc]
    """An API token, of which only a hash is stored. Its scopes say what it permits.

    `organise` applies to `tenant`; without a tenant it permits nothing. A token that is bound to a
    `challenge` writes only there, and reads other challenges like a request without a token. One
    that is bound to a `participant` only submits as this one. It ends with what it is bound to.
    """

    name = models.CharField(max_length=80, blank=True, verbose_name=gettext_lazy("name"))
    scopes = models.JSONField(default=list, verbose_name=gettext_lazy("scopes"))
    tenant = models.ForeignKey(
        Tenant,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="tokens",
        verbose_name=gettext_lazy("tenant"),
    )
    challenge = models.ForeignKey(
        Challenge,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("challenge"),
    )
    participant = models.ForeignKey(
        Participant,
        models.CASCADE,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=gettext_lazy("participant"),
    )
    last_used_at = models.DateTimeField(
        null=True, blank=True, editable=False, verbose_name=gettext_lazy("last used at")
    )

    class Meta:
        verbose_name = gettext_lazy("api token")
        verbose_name_plural = gettext_lazy("api tokens")
        ordering = ["-created"]

    def __str__(self) -> str:
        return gettext("{name} {key}… of {user}").format(
            name=self.name or gettext("token"), key=self.token_key, user=self.user
        )

    def is_for(self, challenge_id: object) -> bool:
        """Whether the token is bound to this challenge, or to none."""
        return self.challenge_id in (None, challenge_id)

    def allows(self, scope: str) -> bool:
        return scope in self.scopes
