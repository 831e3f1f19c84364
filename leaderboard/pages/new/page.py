"""`/new/`: organisers make a challenge. It begins with the kind, and the result is a draft."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.columns import Column
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge, Tenant, User
from leaderboard.pages.labels import row_labels
from leaderboard.pages.new.forms import OF_TEMPLATE, KindForm
from leaderboard.pages.new.kinds import KINDS
from leaderboard.pages.new.predictions import PredictionsKind
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.services.challenges.drafts import board_preview, create_draft
from leaderboard.services.challenges.templates import TEMPLATES
from leaderboard.services.errors import ServiceError
from leaderboard.services.imports.uploads import TRUTHS

ROWS = range(1, 4)


class BoardPreview(NamedTuple):
    """The board that the form would make: its columns, or why there is none yet.

    warnings: sentences about what may be a mistake.
    """

    columns: list[Column]
    why_not: str
    warnings: Sequence[str] = ()


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_challenge(request: HttpRequest) -> HttpResponse:
    """`?kind=` chooses the form, `?template=` fills in the template."""
    user = signed_in(request)
    tenants = list(Tenant.objects.organised_by(user).order_by("slug"))
    if not tenants:
        raise Http404("There is no such page.")
    kind, template = request.GET.get("kind", ""), request.GET.get("template", "")
    if kind not in KINDS:
        return render(request, "pages/new/start.html", _start())
    data = _sent(request, user) if request.method == "POST" else None
    form = KINDS[kind](user, tenants, data, template)
    # htmx also sends the button that has the focus, though it asks only for the preview.
    creates = request.POST.get("action") == "create" and "HX-Request" not in request.headers
    if creates and (challenge := _created(request, form)):
        messages.success(request, _("The challenge is made. It is a draft that you publish here."))
        return redirect("manage", slug=challenge.slug)
    context = {
        "form": form if creates else _unchecked(form),
        "kind": form.label,
        "notice": form.notice,
        "preview": _preview(KINDS[kind](user, tenants, data, template)),
        "places": ROWS,
    }
    return render(request, "pages/new/form.html", context, status=422 if creates else 200)


def _sent(request: HttpRequest, user: User) -> QueryDict:
    """The fields of the form; an uploaded truth is stored, and `kept` names it."""
    data, file = request.POST.copy(), request.FILES.get("truth")
    if isinstance(file, UploadedFile):
        data["kept"] = TRUTHS.keep(file, user)
    return data


def _created(request: HttpRequest, form: KindForm) -> Challenge | None:
    if not form.is_valid():
        return None
    try:
        return create_draft(
            tenant=form.tenant,
            user=signed_in(request),
            fields=form.body(),
            template=form.cleaned_data["template"],
            truth=form.upload if isinstance(form, PredictionsKind) else None,
        )
    except ServiceError as refused:
        explain(form, refused)
    return None


def _preview(form: KindForm) -> BoardPreview:
    if not form.is_bound:
        return BoardPreview([], _("It appears here once you have chosen what it ranks by."))
    form.full_clean()
    wrong = [name for name in form.errors if name in (*form.own, *form.setting_names, "tenant")]
    if wrong:
        return BoardPreview([], _("It appears here once you have chosen what it ranks by."))
    try:
        board = board_preview(form.tenant, form.body())
    except ServiceError as refused:
        return BoardPreview([], refused.message)
    return BoardPreview(row_labels.spoken(board.columns), "", board.warnings)


def _unchecked(form: KindForm) -> KindForm:
    """The form with what was sent, without errors: a preview refuses nothing."""
    form.errors.clear()
    return form


def _start() -> dict[str, object]:
    return {
        "kinds": [(key, kind.label, kind.about, kind.notice) for key, kind in KINDS.items()],
        "templates": [
            (
                template.key,
                [*OF_TEMPLATE[template.key].items()],
                translated(template.label),
                translated(template.summary),
            )
            for template in TEMPLATES.values()
        ],
    }
