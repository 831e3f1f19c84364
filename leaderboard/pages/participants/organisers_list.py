"""`/c/{slug}/people/`: organisers list, decide and import registrations, and send mail."""

from __future__ import annotations

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render, resolve_url
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.forms.errors import FormWithSent
from leaderboard.http.links import absolute
from leaderboard.models import Challenge, Registration
from leaderboard.models.choices import choices_of
from leaderboard.pages.shared.access import organised_or_404, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.pages.shared.people_tables import TableUpload
from leaderboard.rules.json.untyped_dicts import FormValues
from leaderboard.schemas.choices import RegistrationStatus, RowKind
from leaderboard.services.competition.mail.to_people import (
    LONGEST_SUBJECT,
    Audience,
    address_of,
    newest_letters,
    write_to_all,
)
from leaderboard.services.competition.participants.disqualification import (
    decided_together,
    disqualify,
    reinstate,
)
from leaderboard.services.competition.participants.importing import (
    Roster,
    previewed_roster,
    register_from_table,
)
from leaderboard.services.competition.participants.listing import registrations_with_members
from leaderboard.services.competition.participants.registration_decisions import decide
from leaderboard.services.competition.participants.row_kinds import set_row_kind
from leaderboard.services.competition.participants.taking_part import rules_of
from leaderboard.services.competition.teams.new_members import decide_member, waiting_members
from leaderboard.services.errors import ServiceError

PER_PAGE = 50


class ImportForm(TableUpload, FormWithSent):
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = _(
            "The table of another challenge as you downloaded it, or the columns participant,"
            " members (usernames or e-mail addresses, the captain first), kind and bracket. Commas,"
            " semicolons or tabs separate them."
        )


class WriteForm(FormWithSent):
    status = forms.ChoiceField(
        label=gettext_lazy("To everybody who is"),
        choices=choices_of(RegistrationStatus),
        initial=RegistrationStatus.ACCEPTED.value,
    )
    bracket = forms.ChoiceField(label=gettext_lazy("In the bracket"), required=False)
    without_attempts = forms.BooleanField(
        label=gettext_lazy("Only to those who have made no attempt"), required=False
    )
    subject = forms.CharField(label=gettext_lazy("Subject"), max_length=LONGEST_SUBJECT)
    text = forms.CharField(label=gettext_lazy("Text"), widget=forms.Textarea)
    reply_to = forms.EmailField(
        label=gettext_lazy("Answers go to"),
        required=False,
        help_text=gettext_lazy("Empty: to your own address."),
    )

    def __init__(self, challenge: Challenge, data: QueryDict | None, *, reply_to: str) -> None:
        super().__init__(data, initial={"reply_to": reply_to})
        rules = rules_of(challenge)
        names = rules.brackets if rules else []
        if names:
            choices = [("", gettext_lazy("All")), *((name, name) for name in names)]
            self.fields["bracket"].choices = choices  # type: ignore[attr-defined]
        else:
            del self.fields["bracket"]

    @property
    def audience(self) -> Audience:
        """Whom the letter is for. Call it after `is_valid`."""
        given = self.cleaned_data
        return Audience(
            RegistrationStatus(given["status"]),
            given.get("bracket", ""),
            given["without_attempts"],
        )


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def challenge_people(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    action = request.POST.get("action", "")
    table = ImportForm(request.POST, request.FILES) if action == "import" else ImportForm()
    sent = request.POST if action == "write" else None
    letter = WriteForm(challenge, sent, reply_to=address_of(signed_in(request)))
    preview = None
    if action == "import" and "preview" in request.POST:
        preview = _previewed(request, challenge, table)
    elif request.method == "POST" and _done(request, challenge, action, table, letter):
        return redirect("challenge-people", slug=slug)
    page = Paginator(registrations_with_members(challenge), PER_PAGE).get_page(
        request.GET.get("page")
    )
    together = decided_together(challenge, list(page))
    for registration in page:
        registration.decided_together = together[registration.pk]  # type: ignore[attr-defined]
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "people",
        "rules": rules_of(challenge),
        "page": page,
        "waiting": waiting_members(challenge),
        "kinds": choices_of(RowKind),
        "table": table,
        "preview": preview,
        "letter": letter,
        "letters": newest_letters(challenge),
        "sends_mail": settings.SENDS_MAIL,
    }
    status = 422 if table.errors or letter.errors else 200
    return render(request, "pages/challenge_people.html", context, status=status)


def _done(
    request: HttpRequest,
    challenge: Challenge,
    action: str,
    table: ImportForm,
    letter: WriteForm,
) -> bool:
    """Perform the action of a form; False if it fails, with the errors in the form."""
    try:
        match action:
            case "import":
                return table.is_valid() and _imported(request, challenge, table)
            case "write":
                return letter.is_valid() and _written(request, challenge, letter)
            case (
                "answer" | "accepted" | "declined" | "bracket" | "row" | "disqualify" | "reinstate"
            ):
                _decided(request, challenge, action)
            case "accept-member" | "decline-member":
                _decided_member(request, challenge, action)
            case _:
                raise Http404("There is no such action.")
    except ServiceError as refused:
        explain(table if action == "import" else letter, refused)
        return False
    return True


def _previewed(request: HttpRequest, challenge: Challenge, form: ImportForm) -> Roster | None:
    """What the table would register; None with the errors in the form."""
    if not form.is_valid():
        return None
    try:
        return previewed_roster(challenge, form.cleaned_data["data"], by=signed_in(request))
    except ServiceError as refused:
        explain(form, refused)
        return None


def _imported(request: HttpRequest, challenge: Challenge, form: ImportForm) -> bool:
    roster = register_from_table(challenge, form.cleaned_data["data"], by=signed_in(request))
    count, declined = len(roster.rows), roster.left_out
    template = ngettext("{count} is registered.", "{count} are registered.", count)
    messages.success(request, template.format(count=count))
    if declined:
        text = ngettext(
            "{count} declined participant is left out.",
            "{count} declined participants are left out.",
            declined,
        )
        messages.warning(request, text.format(count=declined))
    return True


def _written(request: HttpRequest, challenge: Challenge, form: WriteForm) -> bool:
    given: FormValues = form.cleaned_data
    letter = write_to_all(
        challenge,
        form.audience,
        subject=given["subject"],
        text=given["text"],
        by=signed_in(request),
        reply_to=given["reply_to"],
        page=absolute(request, resolve_url("board", challenge.slug)),
    )
    count = letter.addresses
    text = ngettext(
        "The mail goes to {count} address. Below you see what became of it.",
        "The mail goes to {count} addresses. Below you see what became of it.",
        count,
    )
    messages.success(request, text.format(count=count))
    return True


def _decided(request: HttpRequest, challenge: Challenge, action: str) -> None:
    """Decide about one registration; errors become messages."""
    slug = request.POST.get("participant", "")
    registration = Registration.objects.filter(challenge=challenge, participant__slug=slug).first()
    if registration is None:
        raise Http404("There is no such registration.")
    user, reason = signed_in(request), request.POST.get("reason", "")
    try:
        match action:
            case "disqualify":
                disqualify(registration, {"reason": reason}, by=user)
            case "answer":
                text = request.POST.get("answer", "")
                decide(registration, by=user, fields={"appeal_answer": text})
            case "reinstate":
                reinstate(registration, by=user)
            case "row":
                set_row_kind(registration, {"row": request.POST.get("row", "")}, by=user)
            case "bracket":
                decide(registration, by=user, fields={"bracket": request.POST.get("bracket", "")})
            case _:
                decide(registration, by=user, fields={"status": action, "reason": reason})
    except ServiceError as refused:
        messages.error(request, refused.message)


def _decided_member(request: HttpRequest, challenge: Challenge, action: str) -> None:
    """Decide about a new member of a team; errors become messages."""
    status = "accepted" if action == "accept-member" else "declined"
    fields = {"status": status, "reason": request.POST.get("reason", "")}
    username = request.POST.get("username", "")
    try:
        decide_member(challenge, username, by=signed_in(request), fields=fields)
    except ServiceError as refused:
        messages.error(request, refused.message)
