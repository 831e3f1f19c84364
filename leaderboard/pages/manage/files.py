"""`/c/{slug}/manage/files/`: the files of a challenge, for its organisers."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.db.models import RestrictedError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge, ChallengeFile
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.services.challenges.own_plugins import remove_challenge_file
from leaderboard.services.challenges.truths import add_challenge_file
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.readers import files_for

MAX_BYTES: Final = 64 * 2**20


class ChallengeFileForm(FormWithSent):
    """A new file, and what it is for."""

    role = forms.ChoiceField(
        label=gettext_lazy("What it is for"),
        choices=[(role.value, role.label) for role in ChallengeFile.UPLOADABLE],
        help_text=gettext_lazy(
            "Participants may download public data, the starting kit and the sample submission. A "
            "truth replaces the one before, in a new scoring version."
        ),
    )
    phase = forms.ChoiceField(label=gettext_lazy("Phase"), required=False)
    file = forms.FileField(
        label=gettext_lazy("File"), widget=forms.FileInput(attrs={"data-most": MAX_BYTES})
    )

    def __init__(self, challenge: Challenge, *given: Any) -> None:
        super().__init__(*given)
        phases = [(phase.slug, str(phase)) for phase in challenge.phases.all()]
        self.fields["phase"] = forms.ChoiceField(
            label=_("Phase"), choices=[("", _("All phases")), *phases], required=False
        )

    def clean_file(self) -> UploadedFile[Any]:
        file: UploadedFile[Any] = self.cleaned_data["file"]
        if (file.size or 0) > MAX_BYTES:
            text = _("must have at most {most} MiB; got more")
            raise forms.ValidationError(text.format(most=MAX_BYTES >> 20))
        return file


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_files(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    adds = request.POST.get("action") == "add"
    form = ChallengeFileForm(challenge, *((request.POST, request.FILES) if adds else ()))
    if request.method == "POST" and _done(request, challenge, form):
        return redirect("manage-files", slug=slug)
    files = files_for(challenge, organiser=True)
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "files",
        "form": form,
        "files": [(reverse("api:challenge-file", args=[file.pk]), file) for file in files],
    }
    status = 422 if form.errors else 200
    return render(request, "pages/manage/files.html", context, status=status)


def _done(request: HttpRequest, challenge: Challenge, form: ChallengeFileForm) -> bool:
    """Do what was asked for; False with the errors in the form."""
    match request.POST.get("action"):
        case "add":
            return form.is_valid() and _added(request, challenge, form)
        case "remove":
            pk = request.POST.get("file", "")
            files = ChallengeFile.objects.filter(challenge=challenge)
            file = files.filter(pk=pk).first() if pk.isdecimal() else None
            if file is None:
                raise Http404("There is no such file.")
            try:
                remove_challenge_file(file, user=signed_in(request))
            except RestrictedError:
                messages.error(request, _("A scoring version names this file, so it stays."))
            except ServiceError as refused:
                messages.error(request, refused.message)
            else:
                messages.success(request, _("The file is deleted."))
            return True
    raise Http404("There is no such action.")


def _added(request: HttpRequest, challenge: Challenge, form: ChallengeFileForm) -> bool:
    given = form.cleaned_data
    try:
        add_challenge_file(
            challenge,
            given["file"],
            name=given["file"].name,
            role=ChallengeFile.Role(given["role"]),
            user=signed_in(request),
            phase=challenge.phases.filter(slug=given["phase"]).first(),
        )
    except ServiceError as refused:
        explain(form, refused)
        return False
    messages.success(request, _("The file is stored."))
    return True
