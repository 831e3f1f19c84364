"""Filters and tags for all templates: texts, numbers, dates and times in the reader's language."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from itertools import zip_longest
from typing import Final
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django import template
from django.http import HttpRequest
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from leaderboard.http import links
from leaderboard.languages import translation
from leaderboard.languages.docstrings import first_paragraph
from leaderboard.models import Challenge
from leaderboard.pages.charts.label_places import fitted
from leaderboard.pages.labels.zones import zone_name
from leaderboard.pages.manage.parts import ManageMenu, menu_of
from leaderboard.pages.plugins.docs import plugin_text
from leaderboard.pages.shared.access import is_organiser, is_reviewer
from leaderboard.pages.shared.forms import as_sentence
from leaderboard.pages.shared.phases import is_frozen_now, is_open_now
from leaderboard.pages.sharing.public_board import public_view
from leaderboard.pages.tables.config_table import ConfigField
from leaderboard.rules.visibility.view import Extent

register = template.Library()

HTML_IN_JSON: Final = {ord(mark): f"\\u{ord(mark):04x}" for mark in "<>&"}
"""How JSON in a page writes the marks of HTML."""
BOLD: Final = 1.1
"""How much wider a bold text is."""


@register.filter
def translated(text: str | Promise) -> str:
    """A `Message` in the reader's language."""
    return translation.translated(text)


register.filter(plugin_text)


@register.filter
def doc_line(doc: str) -> SafeString:
    """The first paragraph of a plugin's docstring."""
    return plugin_text(first_paragraph(doc))


@register.filter
def is_open(challenge: Challenge) -> bool:
    """Whether the challenge takes attempts now."""
    return is_open_now(challenge)


@register.filter
def is_frozen(challenge: Challenge) -> bool:
    """Whether a board of the challenge is frozen now."""
    return is_frozen_now(challenge)


@register.filter
def fitted_title(title: str, width: str) -> str:
    """The title of an axis, cut where a drawing of this width ends."""
    return fitted(title, float(width) / BOLD)


@register.filter
def beside(
    cells: Iterable[object], second_list: Iterable[object]
) -> Iterable[tuple[object, object]]:
    """Pairs of two lists; "" for those that the second list does not have."""
    return ((cell, other) for cell, other in zip_longest(cells, second_list, fillvalue=""))


@register.simple_tag
def manage_menu(part: str) -> ManageMenu:
    """The menu of organisers on one of its pages."""
    return menu_of(part)


@register.filter
def organised(challenge: Challenge, request: HttpRequest) -> bool:
    """Whether the reader may configure the challenge."""
    return is_organiser(request, challenge)


@register.filter
def reviewed(challenge: Challenge, request: HttpRequest) -> bool:
    """Whether the reader sees what organisers of the challenge see."""
    return is_reviewer(request, challenge)


@register.filter
def absolute(path: str, request: HttpRequest) -> str:
    """The address of a path as other sites link it."""
    return links.absolute(request, path)


@register.filter
def canonical(request: HttpRequest) -> str:
    """The one address of this page, without what only sorts or filters it."""
    return links.absolute(request, request.path) + asked_phase(request)


@register.filter
def as_data_set(challenge: Challenge, request: HttpRequest) -> SafeString:
    """The board as a data set of schema.org, for search engines: JSON that is safe in HTML."""
    board = links.absolute(request, reverse("board", args=[challenge.slug]))
    exports = reverse("api:exchange", args=[challenge.slug, "croissant"])
    csv = reverse("api:csv", args=[challenge.slug])
    described = {
        "@context": "https://schema.org/",
        "@type": "Dataset",
        "name": challenge.name,
        "description": challenge.summary or challenge.name,
        "url": board,
        "isAccessibleForFree": True,
        "distribution": [
            {
                "@type": "DataDownload",
                "encodingFormat": media_type,
                "contentUrl": links.absolute(request, path),
            }
            for media_type, path in (("text/csv", csv), ("application/ld+json", exports))
        ],
        **({"license": challenge.license} if challenge.license else {}),
        **({"isBasedOn": challenge.dataset_url} if challenge.dataset_url else {}),
    }
    text = json.dumps(described, ensure_ascii=False)
    return mark_safe(text.translate(HTML_IN_JSON))  # noqa: S308 - no tag can end the script


@register.filter
def asked_phase(request: HttpRequest) -> str:
    """`?phase=SLUG` if the address of this page names a phase, else ""."""
    phase = request.GET.get("phase", "")
    return f"?{urlencode({'phase': phase})}" if phase else ""


@register.filter
def is_shared(challenge: Challenge) -> bool:
    """Whether anyone sees the board of the challenge, so that other sites may show it."""
    if challenge.is_draft or challenge.visibility == Challenge.Visibility.PRIVATE:
        return False
    view = public_view(challenge)
    return view is None or view.board is Extent.ALL


@register.filter
def has_badge(challenge: Challenge) -> bool:
    """Whether anyone sees the rows of the board under their names."""
    if not is_shared(challenge):
        return False
    view = public_view(challenge)
    return view is None or view.names is Extent.ALL


@register.filter
def have_meaning(fields: Sequence[ConfigField]) -> bool:
    """Whether any setting of a plugin has a description or limits of its values."""
    return any(field.description or field.limits for field in fields)


@register.filter
def sentence(error: str) -> str:
    """The error of a field as a page shows it, with a capital letter and a full stop."""
    return as_sentence(error)


@register.filter
def count(number: int) -> str:
    """A whole number with thousands separators."""
    return translation.count_text(number)


@register.filter(expects_localtime=True)
def time(moment: datetime) -> SafeString:
    """A moment as a `<time>` element: the minute as text, the second in its attributes."""
    return format_html(
        '<time datetime="{}" title="{} UTC">{}<span class="utc"> UTC</span></time>',
        moment.isoformat(timespec="seconds"),
        translation.exact_moment_text(moment),
        translation.moment_text(moment),
    )


@register.filter
def zoned(moment: datetime, zone: str) -> SafeString:
    """A moment in the zone in which it was set, and in UTC; a script adds that of the reader."""
    local = moment.astimezone(ZoneInfo(zone))
    text = _("in your time zone: {moment}")
    element = format_html(
        '<time datetime="{}" title="{} UTC" data-here="{}" data-zone="{}">{}</time>',
        moment.astimezone(UTC).isoformat(timespec="seconds"),
        translation.exact_moment_text(moment.astimezone(UTC)),
        text,
        zone,
        f"{translation.moment_text(local)} {zone_name(zone)}",
    )
    if zone == "UTC":
        return format_html("<span>{}</span>", element)
    utc = translation.moment_text(moment.astimezone(UTC))
    return format_html('<span>{} <span class="faint">({} UTC)</span></span>', element, utc)


@register.filter(expects_localtime=True)
def past(moment: datetime) -> SafeString:
    """A moment as a `<time>` element, which a script turns into `2 hours ago`.

    Cached pages cannot contain an age, so a script computes it.
    """
    return format_html(
        '<time datetime="{}" data-past title="{} UTC">{}</time>',
        moment.isoformat(timespec="seconds"),
        translation.exact_moment_text(moment),
        translation.moment_text(moment),
    )


@register.filter(expects_localtime=True)
def day(moment: datetime) -> SafeString:
    """The day of a moment as a `<time>` element."""
    return format_html(
        '<time datetime="{}">{}</time>', moment.date().isoformat(), translation.day_text(moment)
    )
