"""Challenges in the admin: the form, the dry run, the versions of the scoring, rescoring."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.contrib.admin import helpers
from django.contrib.admin.utils import unquote
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.admin import preparing, rescore, stored_file
from leaderboard.admin.challenge_fieldsets import fieldsets_of
from leaderboard.admin.challenge_form import ChallengeForm
from leaderboard.admin.challenge_versions import version_text, versions_of
from leaderboard.admin.dry_run import TryForm, try_unsaved
from leaderboard.admin.metric_fields import known_rank_keys
from leaderboard.admin.scoped import TenantFilter, TenantScoped, user_of
from leaderboard.forms.reference_fields import MAX_BYTES
from leaderboard.languages.translation import translated
from leaderboard.models import Attempt, Challenge, Score
from leaderboard.rules.json.untyped_dicts import FrameworkDict
from leaderboard.rules.plugins.descriptions import known_text
from leaderboard.services.challenges.challenges import (
    change_challenge,
    create_challenge,
    delete_challenge,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.descriptions import known_scorers
from leaderboard.services.plugins.metric_registry import known_metrics
from leaderboard.services.plugins.tenants import visible_plugins
from leaderboard.services.plugins.text_metrics import known_text_metrics
from leaderboard.services.scripts.metric_scripts import installed_for


@admin.register(Challenge)
class ChallengeAdmin(TenantScoped):
    form = ChallengeForm
    prepopulated_fields = {"slug": ["name"]}
    list_display = [
        "name",
        "tenant",
        "strategy",
        "visibility",
        "is_draft",
        "is_active",
        "scoring_version",
    ]
    list_filter = [TenantFilter, "visibility", "is_draft", "is_active"]
    list_select_related = ["tenant", "newest_config", "shown_config"]
    ordering = ["name"]
    search_fields = ["name", "slug"]
    actions = None

    # The list.

    @admin.display(description=gettext_lazy("strategy"))
    def strategy(self, challenge: Challenge) -> str:
        return challenge.newest.strategy

    @admin.display(description=gettext_lazy("scoring version"))
    def scoring_version(self, challenge: Challenge) -> str:
        current, newest = challenge.shown, challenge.newest
        if newest.is_rescoring:
            text = _("{shown}, rescoring under {newest}")
        else:
            text = "{shown}" if current == newest else _("{shown}, newest {newest}")
        return text.format(shown=current.number, newest=newest.number)

    # The page.

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("tenant",) if obj else ()

    def changeform_view(
        self,
        request: HttpRequest,
        object_id: str | None = None,
        form_url: str = "",
        extra_context: FrameworkDict | None = None,
    ) -> HttpResponse:
        """Parse the input, call one service function, answer. `_load` and `_try` save nothing.

        Django's own view would save the row; here a service saves it, and may refuse. A separate
        page shows the progress of preparations before a save.
        """
        challenge = self._opened(request, object_id)
        form = self._form(request, challenge)
        facts = TryForm(request.POST if request.method == "POST" else None)
        tried: Score | None = None
        if request.method == "POST":
            if "_load" in request.POST:
                form.forget_errors()
            elif "_try" in request.POST:
                tried = try_unsaved(form, facts)
            elif waited_for := preparing.waited_for(request, form):
                return preparing.waiting_page(self, request, challenge, form, waited_for)
            elif saved := self._saved(request, form, challenge):
                return self._answer(request, form, saved, is_new=challenge is None)
        if stored_file.FIELD in form.errors and stored_file.is_new(request, form.chosen_file):
            stored_file.forget(request, form.chosen_file)
            form.show_stored_file(None)
        return self._page(request, form, challenge, {"facts": facts, "tried": tried})

    def _opened(self, request: HttpRequest, object_id: str | None) -> Challenge | None:
        challenge: Challenge | None = None
        if object_id is not None:
            challenge = self.get_object(request, unquote(object_id))
            if challenge is None:
                raise Http404
        if not self.organises(request, challenge):
            raise PermissionDenied
        return challenge

    def _form(self, request: HttpRequest, challenge: Challenge | None) -> ChallengeForm:
        form_class: Any = self.get_form(
            request, challenge, change=challenge is not None, fields=["tenant"]
        )
        posted = request.method == "POST"
        kept = stored_file.stored_file_of(request, most=MAX_BYTES) if posted else None
        data = stored_file.posted_with(request, kept) if posted else None
        files = request.FILES if posted else None
        asked = {}
        if "entrypoint" in request.GET:
            asked = {"scoring_entrypoint": request.GET["entrypoint"], "scoring_strategy": "custom"}
        form: ChallengeForm = form_class(
            data, files, initial=asked, instance=challenge, user=user_of(request)
        )
        form.show_stored_file(kept)
        return form

    def _saved(
        self, request: HttpRequest, form: ChallengeForm, challenge: Challenge | None
    ) -> Challenge | None:
        if not form.is_valid():
            return None
        user = user_of(request)
        try:
            document = form.hold()
            if challenge is not None:
                challenge = change_challenge(
                    challenge,
                    user=user,
                    fields=form.changes(),
                    hold=document,
                    release=form.releases,
                )
            else:
                challenge = create_challenge(
                    tenant=form.cleaned_data["tenant"],
                    user=user,
                    fields=form.values(),
                    hold=document,
                )
        except ServiceError as refused:
            form.refuse(refused)
            return None
        stored_file.forget(request, form.chosen_file)
        for text in form.notes():
            self.message_user(request, text, messages.INFO)
        return challenge

    def _answer(
        self, request: HttpRequest, form: ChallengeForm, challenge: Challenge, *, is_new: bool
    ) -> HttpResponse:
        message = self.construct_change_message(request, form, [], is_new)
        if form.config_before != challenge.newest:
            preparing.announce_installed(self, request, challenge)
        if is_new:
            self.log_addition(request, challenge, message)
            return self.response_add(request, challenge)
        self.log_change(request, challenge, message)
        if form.config_before != challenge.newest:
            self.message_user(request, version_text(challenge), messages.WARNING)
        return self.response_change(request, challenge)

    def _page(
        self,
        request: HttpRequest,
        form: ChallengeForm,
        challenge: Challenge | None,
        extra: FrameworkDict,
    ) -> HttpResponse:
        add, user = challenge is None, user_of(request)
        adminform = helpers.AdminForm(
            form,
            fieldsets_of(form),
            self.prepopulated_fields if add else {},
            self.get_readonly_fields(request, challenge),
            model_admin=self,
        )
        context = {
            **self.admin_site.each_context(request),
            "title": _("Add challenge") if add else _("Change challenge"),
            "subtitle": None if add else str(challenge),
            "adminform": adminform,
            "object_id": None if challenge is None else str(challenge.pk),
            "original": challenge,
            "to_field": None,
            "media": self.media + adminform.media,
            "inline_admin_formsets": [],
            "errors": helpers.AdminErrorList(form, []),
            "preserved_filters": self.get_preserved_filters(request),
            "scorer": form.scorer,
            "scorer_doc": _paragraphs(form.scorer.doc) if form.scorer else [],
            "known_scorers": visible_plugins(user, known_scorers()),
            "known_metrics": visible_plugins(user, known_metrics()),
            "known_text_metrics": visible_plugins(user, known_text_metrics()),
            "known_rank_keys": known_rank_keys(form.config_before, user),
            "metric_scripts": installed_for(form.config_before.metric_specs)
            if form.config_before
            else [],
            **versions_of(challenge),
            **extra,
        }
        return self.render_change_form(request, context, add=add, change=not add, obj=challenge)

    # What takes long.

    def get_urls(self) -> list[URLPattern]:
        views: list[tuple[str, str, Callable[..., HttpResponse]]] = [
            ("preparing/", "preparing", self.preparing_view),
            ("<uuid:object_id>/rescore/", "rescore", self.rescore_view),
            ("<uuid:object_id>/progress/", "progress", self.progress_view),
        ]
        own = [
            path(route, self.admin_site.admin_view(view), name=f"leaderboard_challenge_{name}")
            for route, name, view in views
        ]
        return [*own, *super().get_urls()]

    def preparing_view(self, request: HttpRequest) -> HttpResponse:
        if not self.organises(request):
            raise PermissionDenied
        return preparing.state(request)

    def rescore_view(self, request: HttpRequest, object_id: Any) -> HttpResponse:
        return rescore.confirm(self, request, self._existing(request, object_id))

    def progress_view(self, request: HttpRequest, object_id: Any) -> HttpResponse:
        return rescore.progress(self, request, self._existing(request, object_id))

    def _existing(self, request: HttpRequest, object_id: Any) -> Challenge:
        challenge = self._opened(request, str(object_id))
        if challenge is None:
            raise Http404
        return challenge

    # Deleting.

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Allow this only without attempts other than a sample, because they are never deleted."""
        allowed = super().has_delete_permission(request, obj)
        if not allowed or obj is None:
            return allowed
        return not Attempt.objects.filter(challenge=obj).without_sample(obj).exists()

    def get_deleted_objects(
        self, objs: Any, request: HttpRequest
    ) -> tuple[list[str], dict[str, int], set[str], list[str]]:
        names = [str(obj) for obj in objs]
        return names, {"challenges": len(names)}, set(), []

    def delete_model(self, request: HttpRequest, obj: Challenge) -> None:
        delete_challenge(obj)

    def delete_view(
        self, request: HttpRequest, object_id: str, extra_context: FrameworkDict | None = None
    ) -> HttpResponse:
        try:
            return super().delete_view(request, object_id, extra_context)
        except ServiceError as refused:
            self.message_user(request, refused.message, messages.ERROR)
            return HttpResponseRedirect(
                reverse("admin:leaderboard_challenge_change", args=[object_id])
            )

    def get_queryset(self, request: HttpRequest) -> QuerySet[Challenge]:
        return super().get_queryset(request).select_related(*self.list_select_related)


def _paragraphs(doc: str) -> list[str]:
    """The paragraphs of a docstring; the first one of a built-in plugin is translated."""
    return [translated(known_text(" ".join(paragraph.split()))) for paragraph in doc.split("\n\n")]
