"""`/manage/site/`: the operator sets how the site looks. Its colours and logo have addresses."""

from __future__ import annotations

from typing import Any, Final

from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.files.uploadedfile import UploadedFile
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from leaderboard.forms.errors import FormWithSent
from leaderboard.pages.shared.access import signed_in
from leaderboard.pages.shared.forms import explain
from leaderboard.rules.colours import DARK, LIGHT, accent_in
from leaderboard.services.errors import ServiceError
from leaderboard.services.operations.site_look import (
    MOST_LOGO,
    MOST_TEXT,
    Look,
    change_site_look,
    pinned_slugs,
    site_look,
    stored_logo,
)

FOR_EVER: Final = "public, max-age=31536000, immutable"
_COLOUR: Final = {"placeholder": "#17614a", "maxlength": 7, "size": 9, "spellcheck": "false"}


class LookForm(FormWithSent):
    """The service checks colours, the logo and challenges."""

    text = forms.CharField(
        label=gettext_lazy("Text of the front page"),
        widget=forms.Textarea(attrs={"rows": 5}),
        max_length=MOST_TEXT,
        required=False,
        help_text=gettext_lazy(
            "Markdown. It replaces the sentence below the heading, so that a few lines are best."
        ),
    )
    accent_light = forms.CharField(
        label=gettext_lazy("Colour of links and buttons in the light theme"),
        widget=forms.TextInput(attrs=_COLOUR),
        required=False,
        help_text=gettext_lazy(
            "Such as #17614a. A colour for one theme alone makes one for the other."
        ),
    )
    accent_dark = forms.CharField(
        label=gettext_lazy("Colour of links and buttons in the dark theme"),
        widget=forms.TextInput(attrs=_COLOUR),
        required=False,
    )
    logo = forms.FileField(
        label=gettext_lazy("Logo"),
        widget=forms.FileInput(
            attrs={"accept": "image/png,image/jpeg,image/webp", "data-most": MOST_LOGO}
        ),
        required=False,
        help_text=gettext_lazy(
            "PNG, JPEG or WebP of at most 128 KiB. Pages show it 28 pixels high, beside the name"
            " of the site, in both themes."
        ),
    )
    removes_logo = forms.BooleanField(label=gettext_lazy("Remove the logo"), required=False)
    pinned = forms.CharField(
        label=gettext_lazy("Challenges that come first"),
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        required=False,
        help_text=gettext_lazy(
            "The last part of their addresses, a line for each, such as prompt-escape."
        ),
    )

    def __init__(self, look: Look, *given: Any, **more: Any) -> None:
        super().__init__(*given, **more)
        if not look.logo:
            del self.fields["removes_logo"]

    def logo_sent(self) -> bytes | None:
        """The bytes of a new logo, none to remove the present one, None to leave it."""
        file: UploadedFile[Any] | None = self.cleaned_data["logo"]
        if file is not None:
            # One byte more than is accepted, so that the service sees that it is too long.
            content: bytes = file.read(MOST_LOGO + 1)
            return content
        return b"" if self.cleaned_data.get("removes_logo") else None


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_site(request: HttpRequest) -> HttpResponse:
    """For superusers; for all others there is no such page."""
    if not signed_in(request).is_superuser:
        raise Http404("There is no such page.")
    look = site_look()
    if request.method == "POST":
        form = LookForm(look, request.POST, request.FILES)
        if form.is_valid() and _is_changed(form):
            messages.success(request, _("Saved. All pages look so within a minute."))
            return redirect("manage-site")
    else:
        form = LookForm(look, initial=_initial(look))
    context = {"form": form, "look": look}
    return render(request, "pages/manage/site.html", context, status=422 if form.errors else 200)


@require_safe
def site_colours(request: HttpRequest) -> HttpResponse:
    """The colours of the operator, as a style sheet behind that of the pages."""
    look = site_look()
    if not look.light:
        raise Http404("There are no colours.")
    light, dark = accent_in(LIGHT, look.light), accent_in(DARK, look.dark)
    css = ":root{" + "".join(
        f"--{name}:light-dark({one},{other});"
        for name, one, other in (
            ("accent", light.colour, dark.colour),
            ("accent-strong", light.strong, dark.strong),
            ("accent-wash", light.wash, dark.wash),
        )
    )
    return _kept(request, look.digest, HttpResponse(css + "}\n", content_type="text/css"))


@require_safe
def site_logo(request: HttpRequest) -> HttpResponse:
    logo, kind = stored_logo()
    if not logo:
        raise Http404("There is no logo.")
    return _kept(request, site_look().logo, HttpResponse(logo, content_type=kind))


def _kept(request: HttpRequest, name: str, response: HttpResponse) -> HttpResponse:
    """The answer, which browsers keep if its address names what it holds."""
    response["Cache-Control"] = FOR_EVER if request.GET.get("v") == name else "no-cache"
    return response


def _initial(look: Look) -> dict[str, str]:
    return {
        "text": look.text,
        "accent_light": look.light,
        "accent_dark": look.dark,
        "pinned": "\n".join(pinned_slugs()),
    }


def _is_changed(form: LookForm) -> bool:
    """Store what was sent; False with the errors in the form."""
    sent = form.cleaned_data
    try:
        change_site_look(
            text=sent["text"],
            accent_light=sent["accent_light"],
            accent_dark=sent["accent_dark"],
            logo=form.logo_sent(),
            pinned=sent["pinned"].split(),
        )
    except ServiceError as refused:
        explain(form, refused)
        return False
    return True
