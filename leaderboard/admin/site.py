"""The admin site: Django's own with the operator's site name and the isolation report."""

from __future__ import annotations

from typing import Any, Final, cast

from django.conf import settings
from django.contrib import admin
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth import REDIRECT_FIELD_NAME
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, URLResolver, path, reverse
from django.utils.decorators import method_decorator
from django.utils.functional import lazy
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache

from leaderboard.admin.scoped import organised_ids
from leaderboard.auth.signing_in import SignInView
from leaderboard.rules.json.untyped_dicts import FrameworkDict, PageContext
from leaderboard.services.plugins.isolation import worker_reports

NOT_SHOWN: Final = ("auth.Group", "socialaccount.SocialApp", "socialaccount.SocialToken")
MADE_BY_USERS: Final = ("mfa.Authenticator", "socialaccount.SocialAccount")
"""Rows that only the pages of an account make; operators see and delete them."""


def _title() -> str:
    return _("{site} admin").format(site=settings.SITE_NAME)


class _MadeByUsers:
    """Part of an admin for rows that are neither added nor changed here."""

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class PodiumAdminSite(admin.AdminSite):
    """Shows organisers the isolation report beside the rows that they may edit."""

    site_header = lazy(_title, str)()
    site_title = site_header
    index_title = gettext_lazy("Organising")

    def register(self, model_or_iterable: Any, admin_class: Any = None, **options: Any) -> None:
        """Register a model, but no groups, as memberships decide permissions, and no second place
        for secrets: providers are in the setting OPENID_CONNECT, and their tokens are not stored.
        """
        is_one = isinstance(model_or_iterable, type)
        models: list[Any] = [model_or_iterable] if is_one else [*model_or_iterable]
        for model in models:
            page_class = admin_class
            if model._meta.label in MADE_BY_USERS:
                page_class = type(page_class.__name__, (_MadeByUsers, page_class), {})
            if model._meta.label not in NOT_SHOWN:
                super().register(model, page_class, **options)

    def get_urls(self) -> list[URLPattern | URLResolver]:
        page = path("isolation/", self.admin_view(self.isolation_page), name="isolation")
        return [page, *super().get_urls()]

    def isolation_page(self, request: HttpRequest) -> TemplateResponse:
        """Which attacks the sandbox of each host stops; its workers attack it when they start."""
        if not organised_ids(request):
            raise PermissionDenied
        context = {
            **self.each_context(request),
            "title": gettext_lazy("Isolation of scorers"),
            "reports": worker_reports(),
        }
        return TemplateResponse(request, "admin/isolation.html", context)

    @method_decorator(never_cache)
    def login(
        self, request: HttpRequest, extra_context: FrameworkDict | None = None
    ) -> HttpResponse:
        """Show the admin's form, then sign in as everywhere else, with a second factor if set."""
        if request.method == "GET" and self.has_permission(request):
            return HttpResponseRedirect(reverse("admin:index", current_app=self.name))
        context = {
            **self.each_context(request),
            "title": _("Log in"),
            "subtitle": None,
            "app_path": request.get_full_path(),
            "username": request.user.get_username(),
        }
        if REDIRECT_FIELD_NAME not in request.GET and REDIRECT_FIELD_NAME not in request.POST:
            context[REDIRECT_FIELD_NAME] = reverse("admin:index", current_app=self.name)
        request.current_app = self.name
        view = SignInView.as_view(
            authentication_form=self.login_form or AdminAuthenticationForm,
            template_name=self.login_template or "admin/login.html",
            extra_context=context | (extra_context or {}),
        )
        return cast(HttpResponse, view(request))

    def get_app_list(self, request: HttpRequest, app_label: str | None = None) -> list[Any]:
        apps: list[Any] = super().get_app_list(request, app_label)
        for app in apps:
            if app["app_label"] == "leaderboard" and organised_ids(request):
                app["models"].append(self._isolation_entry())
        return apps

    def _isolation_entry(self) -> PageContext:
        return {
            "name": _("Isolation of scorers"),
            "object_name": "isolation",
            "perms": {},
            "admin_url": reverse("admin:isolation", current_app=self.name),
            "add_url": None,
            "view_only": True,
        }
