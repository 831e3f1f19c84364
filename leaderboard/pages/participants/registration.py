"""`/c/{slug}/register/`: take part in a challenge."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_http_methods

from leaderboard.models import Challenge, User
from leaderboard.pages.accounts.invitation import class_code_of
from leaderboard.pages.shared.access import challenge_or_404, is_reviewer, signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.pages.shared.markdown import to_html
from leaderboard.pages.shared.registration_form import RegistrationForm
from leaderboard.schemas.choices import RegistrationStatus
from leaderboard.services.competition.participants.disqualification import appeal
from leaderboard.services.competition.participants.registration import register, registration_of
from leaderboard.services.competition.participants.taking_part import registers_by_attempt, rules_of
from leaderboard.services.errors import ServiceError


@sensitive_post_parameters("code")
@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def register_page(request: HttpRequest, slug: str) -> HttpResponse:
    challenge, user = challenge_or_404(request, slug), signed_in(request)
    rules, before = rules_of(challenge), registration_of(challenge, user)
    submitted = request.POST if request.method == "POST" else None
    form = RegistrationForm(rules, before, submitted, code=class_code_of(request))
    if request.method == "POST" and "appeal" in request.POST and before:
        _appealed(request, challenge)
        return redirect("register", slug=slug)
    if request.method == "POST" and form.is_valid() and _registered(request, challenge, user, form):
        return redirect("register", slug=slug)
    context = {
        "challenge": challenge,
        "tab": "register",
        "rules": rules,
        "by_attempt": registers_by_attempt(rules),
        "registration": before,
        "terms": to_html(rules.terms) if rules else "",
        "form": form,
        "sees_people": is_reviewer(request, challenge),
    }
    status = 422 if form.errors else 200
    return render(request, "pages/register.html", context, status=status)


def _appealed(request: HttpRequest, challenge: Challenge) -> None:
    try:
        appeal(challenge, signed_in(request), {"text": request.POST["appeal"]})
    except ServiceError as refused:
        messages.error(request, refused.message)
    else:
        messages.success(request, _("The organisers can read your appeal."))


def _registered(
    request: HttpRequest, challenge: Challenge, user: User, form: RegistrationForm
) -> bool:
    """Register the user; False if this is refused, with the errors in the form."""
    try:
        registration = register(challenge, user, form.body())
    except ServiceError as refused:
        fields = {
            path.replace("answers.", "answer_", 1): texts for path, texts in refused.fields.items()
        }
        explain(form, ServiceError(refused.code, refused.message, fields))
        return False
    if registration.status == RegistrationStatus.ACCEPTED:
        messages.success(request, _("You take part. You can submit now."))
    else:
        messages.success(request, _("You are registered. An organiser has to accept you."))
    return True
