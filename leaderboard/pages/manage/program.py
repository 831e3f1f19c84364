"""`/c/{slug}/manage/program/`: organisers upload the program that scores submitted files."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.datastructures import MultiValueDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.pages.manage.forms.program_fields import PREFIX, chosen_settings, setting_fields
from leaderboard.pages.shared.access import is_organiser, organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain, with_status
from leaderboard.programs.reading.contract import ProgramSetting
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.errors import ServiceError
from leaderboard.services.programs.reading import (
    file_of,
    packages_with,
    read_program,
    with_driver,
)
from leaderboard.services.programs.setting_up import (
    ROLES,
    add_program_file,
    environment_of,
    latest_runs,
    preparation_of,
    program_files,
)
from leaderboard.services.scripts.preparations import PreparationProgress

_LABELS = {
    "scoring": gettext_lazy("Scoring program"),
    "truth": gettext_lazy("Truth"),
    "ingestion": gettext_lazy("Ingestion program"),
    "input": gettext_lazy("Input data"),
}
_PLAIN = ("id_column", "usage_column", "target_column", "rows_match", "seconds", "memory_mb")
_KEPT = ("computed", "phases", "splits", "phase_codename")


class ProgramForm(FormWithSent):
    """The files of a program, and how it is called. Services check them."""

    values = forms.CharField(
        label=gettext_lazy("Values"),
        help_text=gettext_lazy(
            "A line for each number that the program returns, with asc where lower is better: "
            "result asc. The score of a Kaggle metric is called result."
        ),
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )
    id_column = forms.CharField(label=gettext_lazy("Column of ids"), required=False)
    usage_column = forms.CharField(
        label=gettext_lazy("Column with Public, Private and Ignored"), required=False
    )
    target_column = forms.CharField(label=gettext_lazy("Target column"), required=False)
    rows_match = forms.BooleanField(
        label=gettext_lazy("Rows are matched by id"),
        help_text=gettext_lazy("Off: a Kaggle metric gets the whole file for each part."),
        required=False,
        initial=True,
    )
    packages = forms.CharField(
        label=gettext_lazy("Packages to install"),
        help_text=gettext_lazy(
            "One per line. Empty: those that the program needs, as found. Their exact versions stay"
            " locked until this list changes."
        ),
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
    )
    seconds = forms.IntegerField(
        label=gettext_lazy("Seconds"), min_value=1, max_value=1800, initial=600
    )
    memory_mb = forms.IntegerField(label=gettext_lazy("MiB of memory"), min_value=256, initial=2048)

    def __init__(
        self,
        challenge: Challenge,
        data: QueryDict | None = None,
        files: MultiValueDict[str, Any] | None = None,
    ) -> None:
        stored: Mapping[str, Any] = challenge.newest.program or {}
        initial = {
            **stored,
            "values": "\n".join(f"{key} {way}" for key, way in stored.get("values", {}).items()),
            "packages": "\n".join(stored.get("packages", ())),
        }
        super().__init__(data, files, initial=initial)
        for part, label in _LABELS.items():
            choices = [(file.sha256, file.name) for file in program_files(challenge, part)]
            self.fields[part] = forms.ChoiceField(
                label=label, required=False, choices=[("", _("None")), *choices]
            )
            self.fields[f"{part}_file"] = forms.FileField(
                label=_("Upload: {what}").format(what=label), required=False
            )
        self.declared = self._declared(challenge)
        self.fields |= setting_fields(self.declared, stored.get("settings", {}))
        first = [name for part in _LABELS for name in (part, f"{part}_file")]
        own = [PREFIX + setting.name for setting in self.declared]
        self.order_fields([*first, "values", *own])

    def _declared(self, challenge: Challenge) -> tuple[ProgramSetting, ...]:
        """The settings of the chosen program; none of one that cannot be read, or is new."""
        chosen = self.data.get("scoring", self.initial.get("scoring", ""))
        try:
            return read_program(file_of(challenge, ROLES["scoring"], chosen)).settings
        except ServiceError:
            return ()

    def clean_values(self) -> dict[str, str]:
        lines = [line.split() for line in self.cleaned_data["values"].splitlines() if line.strip()]
        if not all(len(line) in (1, 2) and line[1:] in ([], ["asc"], ["desc"]) for line in lines):
            raise ValidationError(_("Must have a name and asc or desc in each line."))
        return {line[0]: line[1] if len(line) == 2 else "desc" for line in lines}

    def program(self, parts: Mapping[str, str]) -> SentFields:
        """The field `program`, with these digests, and with what has no field here as it was."""
        typed = self.cleaned_data
        plain = {name: typed[name] for name in _PLAIN if typed[name] not in ("", None)}
        packages = [line.strip() for line in typed["packages"].splitlines() if line.strip()]
        stored = {name: digest for name, digest in parts.items() if digest}
        kept = {name: self.initial[name] for name in _KEPT if name in self.initial}
        return {
            **kept,
            **plain,
            **stored,
            "values": typed["values"],
            "settings": chosen_settings(self.declared, typed),
            "packages": packages,
        }


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_program(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    form, progress = ProgramForm(challenge), None
    if request.method == "POST" and is_organiser(request, challenge):
        form = ProgramForm(challenge, request.POST, request.FILES)
        if form.is_valid():
            try:
                parts = _stored_parts(request, challenge, form)
                form = _filled_form(request, challenge, parts)
                if form.is_valid():
                    progress = _saved(request, challenge, form, parts)
                    if progress is None:
                        messages.success(request, _("The program is saved."))
                        return redirect("manage-program", slug=slug)
            except ServiceError as refused:
                explain(form, refused)
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "program",
        "form": form,
        "progress": progress,
        "runs": latest_runs(challenge),
        "environment": environment_of(challenge),
    }
    return with_status(render(request, "pages/manage/program.html", context), form)


def _stored_parts(request: HttpRequest, challenge: Challenge, form: ProgramForm) -> dict[str, str]:
    """The digest of each part, after storing the files that were uploaded."""
    user, typed = signed_in(request), form.cleaned_data
    return {
        part: add_program_file(challenge, part, file, name=file.name, user=user)
        if (file := typed[f"{part}_file"])
        else typed[part]
        for part in ROLES
    }


def _filled_form(
    request: HttpRequest, challenge: Challenge, parts: Mapping[str, str]
) -> ProgramForm:
    """The form with the stored files chosen, because a browser sends no file again by itself."""
    data = request.POST.copy()
    data.update(parts)
    return ProgramForm(challenge, data)


def _saved(
    request: HttpRequest, challenge: Challenge, form: ProgramForm, parts: Mapping[str, str]
) -> PreparationProgress | None:
    """Save the program; the progress if its packages are being prepared. Raises ServiceError."""
    file = file_of(challenge, ROLES["scoring"], parts["scoring"])
    reading = read_program(file)
    program = form.program(parts) | {"kind": reading.contract.name}
    for text in reading.warnings:
        messages.warning(request, translated(text))
    ingestion = parts["ingestion"] and file_of(challenge, ROLES["ingestion"], parts["ingestion"])
    wanted = program["packages"] or packages_with(reading, ingestion or None)
    program["packages"] = list(with_driver(reading.contract, wanted))
    if program["packages"]:
        progress = preparation_of(program["packages"])
        if progress.state != "ready":
            return progress
    ranked = [{"key": key} for key in program["values"]][:4]
    fields: SentFields = {"program": program}
    if challenge.newest.program is None:
        fields |= {"scoring_strategy": "metric", "rank_by": ranked}
    change_challenge(challenge, user=signed_in(request), fields=fields)
    return None
