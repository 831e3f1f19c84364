"""`/c/{slug}/manage/extra/`: organisers give a participant, or all, extra attempts."""

from __future__ import annotations

from typing import Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.forms.schema_fields import whole_number
from leaderboard.models import Challenge
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.rules.json.untyped_dicts import FormValues
from leaderboard.services.competition.clock import received_now
from leaderboard.services.competition.quotas.grants import give_extra, grants_of, take_back
from leaderboard.services.competition.quotas.state import current_phase
from leaderboard.services.errors import ServiceError

PER_PAGE: Final = 50


class ExtraForm(FormWithSent):
    """The service checks what is sent, so that errors are those of the API."""

    participant = forms.CharField(
        label=gettext_lazy("Participant"),
        required=False,
        help_text=gettext_lazy("The last part of the address of the participant’s page."),
    )
    everybody = forms.BooleanField(
        label=gettext_lazy("All participants, for example after an outage"), required=False
    )
    phase = forms.ChoiceField(label=gettext_lazy("Phase"))
    extra = forms.CharField(
        label=gettext_lazy("Extra attempts"),
        widget=forms.NumberInput(attrs={"min": 0}),
        help_text=gettext_lazy(
            "On top of each limit per day, per week and in total. 0: only more time."
        ),
    )
    until = forms.CharField(
        label=gettext_lazy("Until"),
        required=False,
        widget=forms.TextInput(attrs={"type": "datetime-local"}),
        help_text=gettext_lazy(
            "In the time zone of the phase. After its end, the phase stays open for this"
            " participant until then. Empty: they always count."
        ),
    )
    reason = forms.CharField(label=gettext_lazy("Reason"))

    def __init__(self, challenge: Challenge, participant: str, data: QueryDict | None) -> None:
        current = current_phase(challenge, received_now()).phase
        super().__init__(data, initial={"participant": participant, "phase": current.slug})
        phases = [(phase.slug, str(phase)) for phase in challenge.phases.all()]
        self.fields["phase"] = forms.ChoiceField(label=gettext_lazy("Phase"), choices=phases)

    def clean(self) -> FormValues:
        """Ask whom the attempts are for, unless that is clear."""
        fields: FormValues = super().clean() or {}
        if bool(fields.get("participant")) == bool(fields.get("everybody")):
            self.add_error("participant", _("Name one participant, or choose all of them."))
        return fields

    def sent(self) -> dict[str, object]:
        """The grant as the API would be sent it. Call it after `is_valid`."""
        given = self.cleaned_data
        names = ("phase", "reason")
        return {
            **{name: given[name] for name in names},
            "participant": None if given["everybody"] else given["participant"],
            "extra": whole_number(given["extra"]),
            "until": given["until"] or None,
        }


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_extra(request: HttpRequest, slug: str) -> HttpResponse:
    """`?participant=SLUG` fills in the participant."""
    challenge = organised_or_404(request, slug)
    gives = request.POST.get("action") == "give"
    participant = request.GET.get("participant", "")
    form = ExtraForm(challenge, participant, request.POST if gives else None)
    if request.method == "POST" and _done(request, challenge, form):
        return redirect("manage-extra", slug=slug)
    page = Paginator(grants_of(challenge), PER_PAGE).get_page(request.GET.get("page"))
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "extra",
        "form": form,
        "page": page,
    }
    status = 422 if form.errors else 200
    return render(request, "pages/manage/extra.html", context, status=status)


def _done(request: HttpRequest, challenge: Challenge, form: ExtraForm) -> bool:
    """Do what was asked for; False with the errors in the form."""
    user = signed_in(request)
    match request.POST.get("action"):
        case "give":
            if not form.is_valid():
                return False
            try:
                give_extra(challenge, form.sent(), by=user)
            except ServiceError as refused:
                explain(form, refused)
                return False
            messages.success(request, _("The extra attempts are given."))
        case "remove":
            pk = request.POST.get("grant", "")
            grant = grants_of(challenge).filter(pk=pk).first() if pk.isdecimal() else None
            if grant is None:
                raise Http404("There is no such grant.")
            take_back(grant, by=user)
            messages.success(request, _("The extra attempts are taken back."))
        case _:
            raise Http404("There is no such action.")
    return True
