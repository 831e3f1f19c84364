"""Attempts in the admin: searched, read with every score, retried, withdrawn; never edited."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any
from uuid import UUID

from django.contrib import admin
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.http import HttpRequest, HttpResponse
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin.attempt_actions import AttemptActions
from leaderboard.admin.attempt_filters import ChallengeListFilter, ErrorFilter, WithdrawnFilter
from leaderboard.admin.paging import CappedPaginator
from leaderboard.admin.scoped import TenantFilter
from leaderboard.languages.translation import number_text
from leaderboard.models import Attempt, Participant, Score
from leaderboard.rules.ids import made_at
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.texts.names import name_key
from leaderboard.services.attempts.retry import failed_scores


@admin.register(Attempt)
class AttemptAdmin(AttemptActions):
    tenant_path = "challenge__tenant"
    list_display = [
        "received",
        "participant",
        "challenge",
        "ranked_value",
        "state",
        "error",
        "submitted_at",
    ]
    list_filter = [TenantFilter, ChallengeListFilter, "status", ErrorFilter, WithdrawnFilter]
    list_select_related = ["challenge__shown_config", "participant"]
    search_fields = ["id"]
    search_help_text = gettext_lazy("The id of an attempt, or a part of a participant's name.")
    # By the primary key, which begins with the time of arrival: an index at any size.
    ordering = ["-pk"]
    sortable_by = ("received",)
    paginator = CappedPaginator
    show_full_result_count = False
    show_facets = admin.ShowFacets.NEVER
    list_max_show_all = 0
    fieldsets = [
        (None, {"fields": ["challenge", "participant", "status", "scored_under"]}),
        (
            gettext_lazy("As submitted"),
            {
                "fields": ["submitted_at", "sender", "facts", "about", "note"],
            },
        ),
        (
            gettext_lazy("Since then"),
            {
                "fields": ["finished_at", "deliveries", "withdrawn_at", "withdrawn_reason"],
            },
        ),
    ]
    readonly_fields = ["scored_under", "sender", "facts", "about"]

    def get_queryset(self, request: HttpRequest) -> QuerySet[Attempt]:
        """Attempts with value and error under the scoring config that the board shows."""
        current_scores = Score.objects.filter(
            attempt=OuterRef("pk"), config=OuterRef("challenge__shown_config")
        )
        rows: QuerySet[Attempt] = (
            super()
            .get_queryset(request)
            .annotate(
                shown_value=Subquery(current_scores.values("value")[:1]),
                shown_metrics=Subquery(current_scores.values("metric_values")[:1]),
                shown_error=Subquery(current_scores.values("error_code")[:1]),
            )
        )
        return rows

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Any], search_term: str
    ) -> tuple[QuerySet[Any], bool]:
        term = search_term.strip()
        if not term:
            return queryset, False
        try:
            return queryset.filter(pk=UUID(term)), False
        except ValueError:
            named = Q(handle_key__contains=name_key(term)) | Q(name__icontains=term)
            return queryset.filter(participant__in=Participant.objects.filter(named)), False

    @admin.display(description=gettext_lazy("received"), ordering="pk")
    def received(self, attempt: Attempt) -> datetime:
        """When the server received the attempt; for imports `submitted_at` may be earlier."""
        return made_at(attempt.pk)

    @admin.display(description=gettext_lazy("ranked value"))
    def ranked_value(self, attempt: Attempt) -> str:
        """The value that its board ranks by, with its name: `score 152.5`, `pass@1 0.75`."""
        key = next((rank_key.key for rank_key in attempt.challenge.shown.ranking.keys), "")
        value = self._value(attempt, key)
        return "–" if value is None else f"{key} {number_text(format(value, ',.6g'))}"

    def _value(self, attempt: Attempt, key: str) -> float | None:
        if key == "score":
            score: float | None = vars(attempt)["shown_value"]
            return score
        measured = (vars(attempt)["shown_metrics"] or {}).get(key)
        values = {**attempt.values, **attempt.metrics()}
        value: float | None = measured["value"] if measured else values.get(key)
        return value

    @admin.display(description=gettext_lazy("error"))
    def error(self, attempt: Attempt) -> str:
        return vars(attempt)["shown_error"] or ""

    @admin.display(description=gettext_lazy("status"))
    def state(self, attempt: Attempt) -> str:
        if not attempt.withdrawn_at:
            return attempt.status
        return _("{status}, withdrawn").format(status=attempt.status)

    @admin.display(description=gettext_lazy("Submitted under"))
    def scored_under(self, attempt: Attempt) -> str:
        return _("scoring version {number}").format(number=attempt.scoring_config.number)

    @admin.display(description=gettext_lazy("Submitted by"))
    def sender(self, attempt: Attempt) -> str:
        return str(attempt.submitted_by or "–")

    @admin.display(description=gettext_lazy("Metrics"))
    def facts(self, attempt: Attempt) -> SafeString:
        return _json({name: fact for name, fact in attempt.metrics().items() if fact is not None})

    @admin.display(description=gettext_lazy("Meta"))
    def about(self, attempt: Attempt) -> SafeString:
        return _json(attempt.meta)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def render_change_form(
        self, request: HttpRequest, context: FrameworkDict, *args: Any, **kwargs: Any
    ) -> HttpResponse:
        attempt: Attempt = context["original"]
        scores = attempt.scores.select_related("config").order_by("-config__number")
        context["scores"] = list(scores)
        context["shown_config_id"] = attempt.challenge.shown_config_id
        context["can_retry"] = bool(failed_scores(attempt, attempt.challenge))
        return super().render_change_form(request, context, *args, **kwargs)


def _json(value: Any) -> SafeString:
    text = json.dumps(value, indent=2, ensure_ascii=False)
    return format_html('<pre class="podium-text">{}</pre>', text)
