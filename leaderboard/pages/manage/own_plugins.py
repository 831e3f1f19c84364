"""`/c/{slug}/manage/plugins/`: the plugins that a challenge has of its own, for its organisers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.docstrings import first_line
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.pages.plugins.trial import TRIALS, seconds_of, wait_text
from leaderboard.pages.shared.access import is_organiser, organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain, with_status
from leaderboard.services.challenges.own_plugins import (
    OwnUpload,
    put_own_plugins,
    remove_own_plugins,
    upload_of,
)
from leaderboard.services.challenges.shared_plugins import (
    OtherUpload,
    other_uploads,
    sent_plugins,
    sharing_challenges,
)
from leaderboard.services.errors import ServiceError
from leaderboard.services.plugins.own import OwnPlugin

MOST_NAMES: Final = 3
"""So many files are named of plugins that can be taken over."""
_KINDS: dict[str, Promise] = {
    "scorer": gettext_lazy("Scorer"),
    "metric": gettext_lazy("Metric"),
    "text_metric": gettext_lazy("Text metric"),
}


class PluginRow(NamedTuple):
    """What the page says of a plugin. name: how the challenge names it. detail: the traceback.

    entrypoint: by which it is chosen to be tried; "" for one that cannot be used.
    """

    name: str
    kind: Promise
    about: str
    error: str
    detail: str
    entrypoint: str


class PluginsForm(FormWithSent):
    """A new upload, or the plugins of another challenge, in place of the upload before.

    others: the plugins of other challenges that the reader may configure.
    """

    file = forms.FileField(
        label=gettext_lazy("Python file or zip file"),
        help_text=gettext_lazy(
            "Scorers lie in it as they are, metrics in a folder metrics, text metrics in a folder "
            "text. At most 1 MiB. It takes the place of the upload before."
        ),
    )
    source = forms.ChoiceField(
        label=gettext_lazy("Or the plugins of another challenge"),
        required=False,
        help_text=gettext_lazy("They are copied: what changes there later changes nothing here."),
    )
    also = forms.MultipleChoiceField(
        label=gettext_lazy("Replace them in these challenges too"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=gettext_lazy(
            "They have the same plugins. The settings of each say what becomes of its scores."
        ),
    )

    def __init__(self, *sent: Any, uploads: Sequence[OtherUpload]) -> None:
        super().__init__(*sent)
        source = [(other.challenge.slug, _label(other)) for other in uploads if not other.same]
        also = [(other.challenge.slug, other.challenge.name) for other in uploads if other.same]
        self.fields["file"].required = not source
        self._offer("source", [("", _("None")), *source] if source else [])
        self._offer("also", also)

    def _offer(self, name: str, choices: Sequence[tuple[str, str]]) -> None:
        """Give a field its choices; leave it out without any."""
        field = self.fields.pop(name)
        if choices and isinstance(field, forms.ChoiceField):
            field.choices = choices
            self.fields[name] = field


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_plugins(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    adds = request.POST.get("action") == "upload"
    organiser = signed_in(request) if is_organiser(request, challenge) else None
    uploads = other_uploads(challenge, organiser=organiser)
    form = PluginsForm(*((request.POST, request.FILES) if adds else ()), uploads=uploads)
    if request.method == "POST" and organiser and _done(request, challenge, form):
        return redirect("manage-plugins", slug=slug)
    upload = upload_of(challenge)
    trial = _trial(request, challenge, upload, may_try=organiser is not None)
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "plugins",
        "form": form,
        "is_on": settings.CHALLENGE_CODE,
        "upload": upload,
        "url": reverse("api:challenge-file", args=[upload.file.pk]) if upload else "",
        "plugins": [_row(plugin) for plugin in upload.plugins] if upload else [],
        "on_change": challenge.get_on_code_change_display(),
        **(trial or {}),
    }
    return with_status(render(request, "pages/manage/plugins.html", context), form)


def _done(request: HttpRequest, challenge: Challenge, form: PluginsForm) -> bool:
    """Do what was asked for; False with the errors in the form."""
    match request.POST.get("action"):
        case "upload":
            return form.is_valid() and _uploaded(request, challenge, form)
        case "remove":
            try:
                remove_own_plugins(challenge, user=signed_in(request))
            except ServiceError as refused:
                messages.error(request, refused.message)
            else:
                messages.success(request, _("The plugins are removed."))
            return True
        case "try":
            return False
    raise Http404("There is no such action.")


def _trial(
    request: HttpRequest, challenge: Challenge, upload: OwnUpload | None, *, may_try: bool
) -> dict[str, object] | None:
    """The form that tries the plugin that `try` in the address names, and what it gave."""
    chosen = request.GET.get("try", "")
    usable = (
        plugin for plugin in (upload.plugins if upload else ()) if not plugin.description.error
    )
    plugin = next((one for one in usable if one.description.entrypoint == chosen), None)
    if plugin is None or not may_try:
        return None
    is_sent = request.method == "POST" and request.POST.get("action") == "try"
    form = TRIALS[plugin.kind](plugin.description, request.POST if is_sent else None)
    result, wait = None, 0
    if is_sent and form.is_valid() and not (wait := seconds_of(signed_in(request))):
        result = form.tried(challenge.tenant.slug, see_detail=True, challenge=challenge)
    return {
        "trial": form,
        "tried": plugin.description.name or plugin.description.entrypoint,
        "result": result,
        "wait": wait_text(wait) if wait else "",
    }


def _uploaded(request: HttpRequest, challenge: Challenge, form: PluginsForm) -> bool:
    sent, user = request.POST, signed_in(request)
    try:
        # What was ticked counts, also when it is not offered any more: then it is refused.
        also = sharing_challenges(challenge, sent.getlist("also"), organiser=user)
        file, source = form.cleaned_data["file"], sent.get("source", "")
        files = sent_plugins(challenge, file, source, organiser=user)
        put_own_plugins(challenge, files, user=user, also=also)
    except ServiceError as refused:
        explain(form, refused)
        return False
    messages.success(request, _("The plugins are stored."))
    return True


def _label(other: OtherUpload) -> str:
    """The challenge, the files and the digest of plugins that can be taken over."""
    names = list(other.names[:MOST_NAMES])
    names += ["…"] if len(other.names) > MOST_NAMES else []
    return f"{other.challenge.name}: {', '.join(names)} ({other.file.sha256[:12]})"


def _row(plugin: OwnPlugin) -> PluginRow:
    kind, described = plugin
    is_named = kind != "scorer" and described.name
    return PluginRow(
        described.name if is_named else described.entrypoint,
        _KINDS[kind],
        first_line(described.doc),
        translated(described.error.message) if described.error else "",
        described.error.detail if described.error else "",
        "" if described.error else described.entrypoint,
    )
