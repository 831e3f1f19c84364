"""`/c/{slug}/feed.atom` and `/feed.atom`: what has happened, as Atom feeds (RFC 4287).

There is no table of events: feeds are computed from attempts, versions, announcements and the
certainty of the board, so withdrawn and hidden attempts need no further care.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Final, NamedTuple
from unicodedata import category
from uuid import UUID, uuid5

from django.conf import settings
from django.core.cache import cache
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard.columns import Column
from leaderboard.http.links import absolute
from leaderboard.languages.translation import count_text
from leaderboard.models import Challenge
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import ranked_text
from leaderboard.pages.shared.markdown import to_html
from leaderboard.pages.sharing.picture import shared
from leaderboard.pages.sharing.public_board import key_of, public_board_or_404
from leaderboard.pages.sharing.rendering import etag_of
from leaderboard.pages.tables.verdict import lead_text
from leaderboard.services.board.reading import ranking
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import VisibleCertainty, certainty_of
from leaderboard.services.competition.visible.news import (
    AnnouncementNews,
    AttemptNews,
    News,
    RankNews,
    RescoreNews,
    news_of,
    news_of_all,
)

KEPT_SECONDS: Final = 300
ENTRIES: Final = 50
FORBIDDEN: Final = ("Cc", "Cs", "Cn")
"""The categories of characters that XML may not contain."""
TYPE: Final = "application/atom+xml"
_SITE: Final = UUID("6c1a4a5e-8d0f-5b63-9a53-4a6d8b1c2f10")
"""The namespace of the ids of feeds of a site."""


class FeedEntry(NamedTuple):
    """An entry of a feed. content: HTML, "" for none."""

    key: UUID
    at: datetime
    title: str
    address: str
    kind: str
    content: str = ""


class KnownLead(NamedTuple):
    """The lead of a board. text: what the board says of it."""

    certain: VisibleCertainty
    text: str


@require_safe
def challenge_feed(request: HttpRequest, slug: str) -> HttpResponse:
    board = public_board_or_404(slug, request.GET.get("phase", ""))
    challenge = board.challenge
    home = absolute(request, reverse("board", args=[slug]))
    etag = etag_of(key_of(board, "feed", home))

    def made() -> str:
        columns = _columns([challenge])
        lead = _known_lead(board, columns.get(challenge.pk))
        entries = [
            _entry(request, news, columns, names=False, lead=lead) for news in news_of(board)
        ]
        address = absolute(request, reverse("feed", args=[slug]))
        return _feed(challenge.pk, challenge.name, (home, address), entries, challenge.created_at)

    return _answered(request, etag, made)


@require_safe
def site_feed(request: HttpRequest) -> HttpResponse:
    """The news of all challenges that lists show to anyone; made anew after some minutes.

    And as soon as a challenge is no longer listed or hides attempts, or a name changes.
    """
    home = absolute(request, reverse("challenges"))
    listed = Challenge.objects.listed_for(None)
    states = listed.values_list("pk", "is_restricted", "board_version")
    listed_states = sorted((str(pk), *state) for pk, *state in states)
    key = f"site-feed:{etag_of((home, get_language(), listed_states))}"
    feed: str = cache.get(key, "")
    if not feed:
        news = news_of_all(listed)[:ENTRIES]
        columns = _columns([item.challenge for item in news])
        entries = [_entry(request, item, columns, names=True) for item in news]
        address = absolute(request, reverse("site-feed"))
        feed = _feed(
            uuid5(_SITE, home), settings.SITE_NAME, (home, address), entries, timezone.now()
        )
        cache.set(key, feed, KEPT_SECONDS)
    return _answered(request, etag_of(feed), lambda: feed)


def _answered(request: HttpRequest, etag: str, made: Callable[[], str]) -> HttpResponse:
    response = get_conditional_response(request, etag=etag)
    if response is None:
        text = cache.get(f"feed:{etag}") or made()
        cache.set(f"feed:{etag}", text, KEPT_SECONDS)
        response = HttpResponse(text, content_type=TYPE)
    response["Access-Control-Allow-Origin"] = "*"
    return shared(response, etag)


def _columns(challenges: Sequence[Challenge]) -> dict[UUID, Column]:
    """The column that the board of each challenge ranks by first."""
    columns_by_challenge = {
        challenge.pk: row_labels.spoken(ranking.columns_of(challenge)) for challenge in challenges
    }
    return {pk: columns[0] for pk, columns in columns_by_challenge.items() if columns}


def _known_lead(board: VisibleBoard, column: Column | None) -> KnownLead | None:
    """The leaders of a board, if it is known how certain their lead is."""
    certain = certainty_of(board)
    if certain is None or column is None or not (text := lead_text(certain, column)):
        return None
    return KnownLead(certain, text)


def _entry(
    request: HttpRequest,
    news: News,
    columns: dict[UUID, Column],
    *,
    names: bool,
    lead: KnownLead | None = None,
) -> FeedEntry:
    """names: whether the title names the challenge. lead: the text of the leaders' attempts."""
    column = columns.get(news.challenge.pk)
    title, path, kind, content = _entry_parts(news, column)
    if lead and isinstance(news, AttemptNews) and lead.certain.leads(news.attempt_id):
        content = format_html("<p>{}</p>", lead.text)
    if names:
        title = _("{challenge}: {news}").format(challenge=news.challenge.name, news=title)
    return FeedEntry(news.key, news.at, title, absolute(request, path), kind, content)


def _entry_parts(news: News, column: Column | None) -> tuple[str, str, str, str]:
    """Title, path, kind and content."""
    slug = news.challenge.slug
    match news:
        case AttemptNews():
            return _of_attempt(news, column)
        case RankNews():
            title = _("Ranks have changed within a week")
            return title, reverse("board", args=[slug]), "ranks", _moves(news)
        case RescoreNews():
            title = _("All attempts are scored under version {number} of the rules")
            anchor = reverse("rules", args=[slug])
            return title.format(number=count_text(news.number)), anchor, "rescored", ""
        case AnnouncementNews():
            path = reverse("challenge-announcements", args=[slug])
            text = to_html(news.announcement.text)
            return news.announcement.title, path, "announcement", text


def _of_attempt(news: AttemptNews, column: Column | None) -> tuple[str, str, str, str]:
    slug, who = news.challenge.slug, news.participant
    path = reverse("participant", args=[slug, who.slug])
    if news.attempt_id is not None:
        path = reverse("attempt", args=[news.attempt_id])
    if column is None or news.value is None:
        return _("{name}: an attempt is scored").format(name=who.shown_name), path, "scored", ""
    template = _("{name} reaches {value} ({label})")
    kind = "scored"
    if news.is_record:
        kind, template = "record", _("{name} sets a record: {value} ({label})")
    elif news.is_best:
        kind, template = "best", _("{name} is the best so far: {value} ({label})")
    value = row_labels.value_text(column, news.value)
    title = template.format(name=who.shown_name, value=value, label=row_labels.marked(column))
    return title, path, kind, ""


def _moves(news: RankNews) -> str:
    lines = (
        (f"▲{count_text(moved)}" if moved > 0 else f"▼{count_text(-moved)}", row)
        for row, moved in news.moves
    )
    template = _("{arrow} {name}, now {rank}")
    items = (
        (
            template.format(
                arrow=arrow,
                name=row.participant.shown_name,
                rank=ranked_text(news.certain, row),
            ),
        )
        for arrow, row in lines
    )
    return format_html("<ul>{}</ul>", format_html_join("", "<li>{}</li>", items))


def _feed(
    key: UUID,
    title: str,
    links: tuple[str, str],
    entries: Sequence[FeedEntry],
    since: datetime,
) -> str:
    """links: the address of the page and of the feed. since: when it began, without entries."""
    newest = sorted(entries, key=lambda entry: entry.at, reverse=True)[:ENTRIES]
    updated = newest[0].at if newest else since
    return format_html(
        '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom"'
        ' xml:lang="{}"><id>urn:uuid:{}</id><title>{}</title><updated>{}</updated>'
        '<author><name>{}</name></author><link href="{}"/><link rel="self" href="{}"/>'
        "<generator>Podium</generator>\n{}</feed>\n",
        *(get_language() or "en", key, _plain(title), _at(updated)),
        *(_plain(settings.SITE_NAME), *links),
        format_html_join("\n", "{}", ((_written(entry),) for entry in newest)),
    )


def _written(entry: FeedEntry) -> SafeString:
    content = format_html('<content type="html">{}</content>', f"{_plain(entry.content)}")
    return format_html(
        '<entry><id>urn:uuid:{}</id><title>{}</title><updated>{}</updated><link href="{}"/>'
        '<category term="{}"/>{}</entry>',
        *(entry.key, _plain(entry.title), _at(entry.at), entry.address, entry.kind),
        content if entry.content else "",
    )


def _at(moment: datetime) -> str:
    return moment.isoformat(timespec="seconds")


def _plain(text: str) -> str:
    """A text without the characters that XML forbids; escaped when it is written."""
    return "".join(char for char in text if char in "\t\n" or category(char) not in FORBIDDEN)
