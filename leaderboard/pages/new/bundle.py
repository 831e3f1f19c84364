"""`/new/import/`: a competition of another platform becomes a draft, with a report of every key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import translated
from leaderboard.models import Tenant
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.services.bundles.drafting import ImportedBundle, import_bundle, prepared_bundle
from leaderboard.services.errors import ServiceError


class BundleForm(FormWithSent):
    """The zip, and for whom the draft is made."""

    file = forms.FileField(label=gettext_lazy("Bundle"))
    tenant = forms.ModelChoiceField(
        Tenant.objects.none(), label=gettext_lazy("Tenant"), empty_label=None, to_field_name="slug"
    )
    without_gpu = forms.BooleanField(
        label=gettext_lazy("Try it without a GPU"),
        help_text=gettext_lazy(
            "For bundles that name an image with a GPU, whose programs can do without one."
        ),
        required=False,
    )

    def __init__(self, tenants: Sequence[Tenant], *args: object, **options: object) -> None:
        super().__init__(*args, **options)  # type: ignore[arg-type]
        self.fields["tenant"].queryset = Tenant.objects.filter(  # type: ignore[attr-defined]
            pk__in=[tenant.pk for tenant in tenants]
        )
        if len(tenants) == 1:
            self.fields["tenant"].initial = tenants[0].slug
            self.fields["tenant"].widget = forms.HiddenInput()


class KeyLine(NamedTuple):
    """A key of the bundle in the report."""

    key: str
    outcome: str
    text: str


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def import_competition(request: HttpRequest) -> HttpResponse:
    """The form, and after it the report with a link to the draft."""
    user = signed_in(request)
    tenants = list(Tenant.objects.organised_by(user).order_by("slug"))
    if not tenants:
        raise Http404("There is no such page.")
    if request.method != "POST":
        return render(request, "pages/new/bundle.html", {"form": BundleForm(tenants)})
    form = BundleForm(tenants, request.POST, request.FILES)
    if form.is_valid():
        file = form.cleaned_data["file"]
        try:
            without_gpu = form.cleaned_data["without_gpu"]
            bundle = prepared_bundle(file.file, file.name, without_gpu=without_gpu)
            imported = import_bundle(bundle, tenant=form.cleaned_data["tenant"], user=user)
        except ServiceError as refused:
            explain(form, refused)
        else:
            return render(request, "pages/new/bundle_report.html", _report(imported))
    return render(request, "pages/new/bundle.html", {"form": form}, status=422)


def _report(imported: ImportedBundle) -> dict[str, object]:
    outcomes = {
        "taken": _("taken"),
        "differently": _("taken differently"),
        "left_out": _("not taken"),
    }
    return {
        "challenge": imported.challenge,
        "platform": imported.platform,
        "has_sample": imported.has_sample,
        "lines": [
            KeyLine(line.key, outcomes[line.outcome], translated(line.text))
            for line in imported.report
        ],
    }
