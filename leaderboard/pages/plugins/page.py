"""`/plugins/{module:Class}/`: one plugin, with its source where public and a form that tries it."""

from __future__ import annotations

from typing import Any, Final

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.languages.translation import translated
from leaderboard.models import Tenant, User
from leaderboard.pages.plugins.docs import doc_html
from leaderboard.pages.plugins.trial import (
    TRIALS,
    PluginTrial,
    TrialResult,
    seconds_of,
    wait_text,
)
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.tables.config_table import fields_of
from leaderboard.predictions.layouts import KINDS as PREDICTION_KINDS
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.descriptions import PluginDescription
from leaderboard.services.plugins.sources import is_public, source_of
from leaderboard.services.plugins.tenants import tenant_with, visible_plugins

KINDS: Final = {
    "scorer": gettext_lazy("Scorer"),
    "metric": gettext_lazy("Metric"),
    "text_metric": gettext_lazy("Text metric"),
    "prediction_metric": gettext_lazy("Metric of predictions"),
}


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def plugin_page(request: HttpRequest, entrypoint: str) -> HttpResponse:
    if moved := _entrypoint_of_moved(entrypoint):
        return redirect("plugin", moved, permanent=True)
    plugin, kind = _plugin_or_404(request, entrypoint)
    user = signed_in(request) if request.user.is_authenticated else None
    form, tenant = _form(request, plugin, kind), tenant_with(user, entrypoint) if user else None
    allowed = user is not None and tenant is not None and _may_try(user, plugin)
    result: TrialResult | None = None
    wait = 0
    if request.method == "POST":
        if user is None:
            return redirect(f"{reverse('login')}?{urlencode({'next': request.path})}")
        if form is None or not allowed:
            raise Http404("There is no form for this plugin.")
        if form.is_valid():
            wait = seconds_of(user)
            result = None if wait else form.tried(tenant or "", see_detail=_sees_detail(user))
    install = plugin.install if plugin.error and plugin.error.code == "not_installed" else ""
    context = {
        "plugin": plugin,
        "kind": KINDS[kind],
        "name": plugin.name or plugin.entrypoint.rpartition(":")[2],
        "error": translated(plugin.error.message) if plugin.error and not install else "",
        "install": install,
        "doc": doc_html(plugin.doc),
        "fields": fields_of(plugin, {}),
        "takes_anything": kind == "scorer" and plugin.config_schema is plugin.defaults is None,
        "source": source_of(plugin) if is_public(plugin) else "",
        "form": form if allowed else None,
        "is_tryable": form is not None and is_public(plugin),
        "result": result,
        "wait": wait_text(wait) if wait else "",
    }
    return _refused_for(wait, render(request, "pages/plugin.html", context))


def _plugin_or_404(request: HttpRequest, entrypoint: str) -> tuple[PluginDescription, str]:
    """The plugin with an entry point that the reader may see, and its kind. Raises Http404."""
    all_plugins = known_plugins()
    user = request.user if isinstance(request.user, User) else None
    kinds = zip(KINDS, all_plugins.by_kind, strict=True)
    for kind, plugins in kinds:
        for plugin in plugins:
            if plugin.entrypoint == entrypoint and visible_plugins(user, [plugin]):
                return plugin, kind
    raise Http404("There is no such plugin.")


def _entrypoint_of_moved(entrypoint: str) -> str:
    """Where a metric of predictions is since each kind has a folder; "" for all other plugins.

    So `scorers.predictions.rmse:…` leads to `scorers.predictions.values.rmse:…`.
    """
    package, _dot, name = entrypoint.rpartition(".")
    metrics = {metric.entrypoint for metric in known_plugins().prediction_metrics}
    if package != "scorers.predictions" or entrypoint in metrics:
        return ""
    addresses = {f"{package}.{kind}.{name}" for kind in PREDICTION_KINDS}
    return next(iter(addresses & metrics), "")


def _form(request: HttpRequest, plugin: PluginDescription, kind: str) -> PluginTrial | None:
    """The form that tries a plugin; None for one that cannot be tried on a page."""
    data: Any = request.POST if request.method == "POST" else None
    if plugin.error is not None or kind not in TRIALS:
        return None
    return TRIALS[kind](plugin, data)


def _may_try(user: User, plugin: PluginDescription) -> bool:
    """Whether a user may try a plugin: anybody if all may read it, else organisers.

    By trying, one could find out what the code of a plugin does.
    """
    return is_public(plugin) or user.is_superuser or Tenant.objects.organised_by(user).exists()


def _sees_detail(user: User) -> bool:
    """Whether a user reads tracebacks and output, as organisers do on the pages of attempts."""
    return user.is_staff or Tenant.objects.organised_by(user).exists()


def _refused_for(seconds: int, response: HttpResponse) -> HttpResponse:
    """The page: 429 with `Retry-After` if the user has to wait before the next trial."""
    if seconds:
        response.status_code = 429
        response["Retry-After"] = str(seconds)
    return response
