"""Filters of the list of attempts, each cheap for any number of attempts."""

from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import F, QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin.scoped import organised_tenants
from leaderboard.models import Attempt, Challenge, Score
from leaderboard.rules.failures import FAILURE_CODES


class ChallengeListFilter(admin.SimpleListFilter):
    """Filters by challenge; offers those that the user organises."""

    title = gettext_lazy("challenge")
    parameter_name = "challenge"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        mine = Challenge.objects.filter(tenant__in=organised_tenants(request))
        return list(mine.order_by("name").values_list("slug", "name"))

    def queryset(self, request: HttpRequest, queryset: QuerySet[Attempt]) -> QuerySet[Attempt]:
        slug = self.value()
        return queryset.filter(challenge__slug=slug) if slug else queryset


class ErrorFilter(admin.SimpleListFilter):
    """Filters by the error under the scoring config that the board shows."""

    title = gettext_lazy("error")
    parameter_name = "error"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(code, code.replace("_", " ")) for code in FAILURE_CODES]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Attempt]) -> QuerySet[Attempt]:
        if not (code := self.value()):
            return queryset
        current_scores = Score.objects.filter(config=F("attempt__challenge__shown_config"))
        return queryset.filter(pk__in=current_scores.filter(error_code=code).values("attempt"))


class WithdrawnFilter(admin.SimpleListFilter):
    title = gettext_lazy("withdrawn")
    parameter_name = "withdrawn"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("yes", _("yes")), ("no", _("no"))]

    def queryset(self, request: HttpRequest, queryset: QuerySet[Attempt]) -> QuerySet[Attempt]:
        if self.value() not in ("yes", "no"):
            return queryset
        return queryset.filter(withdrawn_at__isnull=self.value() == "no")
