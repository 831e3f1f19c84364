"""The actions of organisers on attempts: retry, withdraw with a reason, restore."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.contrib.admin.widgets import AdminTextInputWidget
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.template.response import TemplateResponse
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.admin.scoped import TenantScoped, user_of
from leaderboard.forms.errors import FormWithSent
from leaderboard.languages.translation import count_text
from leaderboard.models import Attempt
from leaderboard.services.attempts.retry import restore_attempt, retry_attempt, withdraw_attempt
from leaderboard.services.errors import ServiceError

AT_ONCE = 500
"""The most attempts that one click changes; a message says if there are more."""
LISTED = 20


class ReasonForm(FormWithSent):
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        widget=AdminTextInputWidget,
        help_text=gettext_lazy("Everybody can read it beside the attempt."),
        error_messages={
            "required": gettext_lazy("must say why the attempt is withdrawn; got nothing")
        },
    )
    use_required_attribute = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        # With this attribute, browsers cut a longer text that is pasted, without a word.
        self.fields["reason"].widget.attrs.pop("maxlength", None)


class AttemptActions(TenantScoped):
    """The actions of the list. The buttons on an attempt's page post the same, with `_one`."""

    actions = ["retry", "withdraw", "restore"]

    @admin.action(description=gettext_lazy("Retry failed attempts"))
    def retry(self, request: HttpRequest, attempts: QuerySet[Attempt]) -> HttpResponse | None:
        retry = partial(retry_attempt, by=user_of(request))
        return self._act(request, attempts, retry, "Retried.", _retried)

    @admin.action(description=gettext_lazy("Withdraw attempts…"))
    def withdraw(self, request: HttpRequest, attempts: QuerySet[Attempt]) -> HttpResponse | None:
        """Withdraw attempts; a first page asks for the reason and posts the selection again."""
        standing = attempts.filter(withdrawn_at__isnull=True)
        form = ReasonForm(request.POST if "reason" in request.POST else None)
        if not form.is_valid():
            return self._ask_reason(request, standing, form)
        reason = form.cleaned_data["reason"]
        withdraw = partial(withdraw_attempt, reason=reason, by=user_of(request))
        return self._act(request, standing, withdraw, f"Withdrawn: {reason}", _withdrawn)

    @admin.action(description=gettext_lazy("Restore withdrawn attempts"))
    def restore(self, request: HttpRequest, attempts: QuerySet[Attempt]) -> HttpResponse | None:
        withdrawn = attempts.filter(withdrawn_at__isnull=False)
        restore = partial(restore_attempt, by=user_of(request))
        return self._act(request, withdrawn, restore, "Restored.", _restored)

    def _act(
        self,
        request: HttpRequest,
        attempts: QuerySet[Attempt],
        verb: Callable[[Attempt], None],
        logged: str,
        done: Callable[[int], str],
    ) -> HttpResponse | None:
        """logged: in English, as other readers of the log have other languages."""
        listed_attempts = list(attempts[: AT_ONCE + 1])
        refusals: list[ServiceError] = []
        for attempt in listed_attempts[:AT_ONCE]:
            try:
                verb(attempt)
                self.log_change(request, attempt, logged)
            except ServiceError as refused:
                refusals.append(refused)
        acted = len(listed_attempts[:AT_ONCE]) - len(refusals)
        self._tell(request, done(acted), refusals, more=len(listed_attempts) > AT_ONCE)
        if "_one" in request.POST and listed_attempts:
            page = reverse("admin:leaderboard_attempt_change", args=[listed_attempts[0].pk])
            return HttpResponseRedirect(page)
        return None

    def _tell(
        self, request: HttpRequest, done: str, refusals: list[ServiceError], *, more: bool
    ) -> None:
        self.message_user(request, done, messages.INFO if refusals else messages.SUCCESS)
        if refusals:
            left = ngettext(
                "Left as it is: {count} attempt.",
                "Left as they are: {count} attempts.",
                len(refusals),
            ).format(count=count_text(len(refusals)))
            text = f"{left} {refusals[0].message}"
            self.message_user(request, text, messages.WARNING)
        if more:
            self.message_user(request, _("There are more; do it again for them."), messages.WARNING)

    def _ask_reason(
        self, request: HttpRequest, attempts: QuerySet[Attempt], form: ReasonForm
    ) -> HttpResponse:
        listed = list(attempts.select_related("challenge", "participant")[: LISTED + 1])
        context = {
            **self.admin_site.each_context(request),
            "title": gettext_lazy("Withdraw attempts"),
            "opts": self.opts,
            "listed": listed[:LISTED],
            "more": len(listed) > LISTED,
            "selected": request.POST.getlist("_selected_action"),
            "across": request.POST.get("select_across", "0"),
            "one": "_one" in request.POST,
            "form": form,
        }
        return TemplateResponse(request, "admin/leaderboard/attempt/withdraw.html", context)


def _retried(number: int) -> str:
    text = ngettext("Retried: {count} attempt.", "Retried: {count} attempts.", number)
    return text.format(count=count_text(number))


def _withdrawn(number: int) -> str:
    text = ngettext("Withdrawn: {count} attempt.", "Withdrawn: {count} attempts.", number)
    return text.format(count=count_text(number))


def _restored(number: int) -> str:
    text = ngettext("Restored: {count} attempt.", "Restored: {count} attempts.", number)
    return text.format(count=count_text(number))
