"""The forms of `/people/`."""

from __future__ import annotations

from typing import Any

from django import forms
from django.http import QueryDict
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import Challenge, Membership, OneTimeLink
from leaderboard.models.tenant import TenantQuerySet
from leaderboard.pages.shared.people_tables import TableUpload
from leaderboard.rules.json.untyped_dicts import FormValues

MOST_CHALLENGES = 100
ROLES = [
    (Membership.Role.MEMBER, gettext_lazy("Member: sees private challenges")),
    (Membership.Role.ORGANISER, gettext_lazy("Organiser: may do what you may")),
]
PURPOSES = [
    (OneTimeLink.Purpose.PASSWORD, gettext_lazy("Choosing a new password")),
    (OneTimeLink.Purpose.SIGN_IN, gettext_lazy("Signing in once")),
]
DAYS = [(str(number), str(number)) for number in (1, 3, 14, 30, 90)]


class TenantForm(FormWithSent):
    """A form about a tenant; it asks for the tenant only if there are several."""

    def __init__(self, tenants: TenantQuerySet, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        several = tenants.count() > 1
        self.fields["tenant"] = forms.ModelChoiceField(
            tenants,
            label=_("Tenant"),
            empty_label=None,
            initial=tenants.first(),
            widget=forms.Select if several else forms.HiddenInput,
        )


class InviteForm(TenantForm):
    email = forms.EmailField(
        label=gettext_lazy("E-mail address"),
        max_length=254,
        required=False,
        help_text=gettext_lazy("The link is sent there, if this site sends mail."),
    )
    role = forms.ChoiceField(label=gettext_lazy("Role"), choices=ROLES)
    challenge = forms.ChoiceField(
        label=gettext_lazy("Challenge"),
        required=False,
        help_text=gettext_lazy("Where the link leads once they have an account."),
    )
    days = forms.TypedChoiceField(
        label=gettext_lazy("Valid for how many days"), choices=DAYS, coerce=int, initial="14"
    )

    def __init__(self, tenants: TenantQuerySet, *args: Any, **kwargs: Any) -> None:
        super().__init__(tenants, *args, **kwargs)
        newest = Challenge.objects.filter(tenant__in=tenants, is_draft=False).order_by(
            "-created_at"
        )
        newest = newest.select_related("tenant", "registration_rules")
        self._challenges = {str(challenge.pk): challenge for challenge in newest[:MOST_CHALLENGES]}
        named = [(pk, challenge.name) for pk, challenge in self._challenges.items()]
        self.fields["challenge"].choices = [("", _("None")), *named]  # type: ignore[attr-defined]

    def clean(self) -> FormValues:
        """The challenge as a row; its tenant is the one that people are invited to."""
        given: FormValues = self.cleaned_data
        challenge = self._challenges.get(given.get("challenge", ""))
        tenant = challenge.tenant if challenge else given.get("tenant")
        return {**given, "challenge": challenge, "tenant": tenant}


class HelpForm(FormWithSent):
    username = forms.CharField(label=gettext_lazy("Username"), max_length=150)
    purpose = forms.ChoiceField(label=gettext_lazy("What the link is for"), choices=PURPOSES)

    def __init__(self, submitted: QueryDict | None = None) -> None:
        super().__init__(submitted, auto_id="help_%s")


class TableForm(TableUpload, TenantForm):
    def __init__(self, tenants: TenantQuerySet, *args: Any, **kwargs: Any) -> None:
        super().__init__(tenants, *args, auto_id="table_%s", **kwargs)
        self.fields["file"].help_text = _(
            "One name a line, or the columns name (or first name and last name), email and, if you"
            " want, username. Commas, semicolons or tabs separate them."
        )
