"""`/`: the challenges, the most recently active ones first."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from itertools import filterfalse
from sys import getsizeof
from typing import Final, NamedTuple
from uuid import UUID

from django.contrib.auth.models import AnonymousUser
from django.db.models import Q
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils import timezone
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from leaderboard import version
from leaderboard.columns import Column
from leaderboard.languages.translation import count_text, day_text, exact_moment_text
from leaderboard.models import Board, Challenge, User
from leaderboard.models.built_once import Lookup
from leaderboard.models.challenge import ChallengeQuerySet
from leaderboard.pages.charts.axes import TIME
from leaderboard.pages.charts.bars import bar, shares_of
from leaderboard.pages.labels import row_labels
from leaderboard.pages.labels.rank_ranges import rank_range, rank_text
from leaderboard.pages.new.kinds import KINDS
from leaderboard.pages.shared.access import reader_in
from leaderboard.pages.shared.kept_parts import KeptParts
from leaderboard.pages.shared.markdown import to_html
from leaderboard.pages.shared.paging import Paging, counted, page_asked
from leaderboard.pages.site.context import makes_challenges
from leaderboard.pages.tables.board_table import TableCell, cells
from leaderboard.pages.tables.cell_texts import texts_of
from leaderboard.pages.tables.verdict import uncertain_order
from leaderboard.services.board.reading.listing import by_activity
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.challenges.kinds import KINDS_OF, kind_of
from leaderboard.services.competition.visible.certainty import VisibleCertainty
from leaderboard.services.competition.visible.listing import VisibleChallenge, visible_listing
from leaderboard.services.operations.site_look import site_look

CHALLENGES_PER_PAGE = 30
MAX_SEARCH = 120
STATES: Final = {"open": True, "closed": False}
DAYS: Final = 14
"""Attempts that are further back are shown by their day."""


class Leader(NamedTuple):
    """One of the first rows of a board. place: its rank as text, `1=` for a shared one.
    rank_range: its rank interval, and its meaning.

    bar: its value as a picture, "" where bars mislead.
    """

    rank: int | None
    place: str
    rank_range: str
    rank_range_hint: str
    name: str
    value: TableCell
    bar: SafeString | str


@dataclass(frozen=True, slots=True)
class ChallengeEntry:
    """A challenge as the list shows it. is_hidden: the reader does not see its board.

    measure: the column that the board ranks by first, with an arrow for its better end. remark: how
    certain the order of the leaders is. closes_at: when it takes no more attempts.
    """

    challenge: Challenge
    kind: str | Promise
    strategy: str
    measure: str
    arrow: str
    participants: str
    leaders: list[Leader]
    remark: str
    is_hidden: bool
    is_open: bool
    is_frozen: bool
    last_attempt: SafeString | str
    closes_at: datetime | None


@require_safe
def challenge_list(request: HttpRequest) -> HttpResponse:
    """`?q=` searches names and summaries, `?state=` and `?kind=` filter."""
    search, state = request.GET.get("q", "").strip()[:MAX_SEARCH], request.GET.get("state", "")
    kind = request.GET.get("kind", "")
    is_filtered = bool(search or state in STATES or kind in KINDS_OF)
    listed = partial(_listed, request.user, search=search, kind=kind, is_open=STATES.get(state))
    challenges, paging = _page(request.user, listed, page_asked(request), is_filtered=is_filtered)
    look = site_look()
    is_front = paging.number == 1 and not is_filtered
    pinned = _pinned(request.user, look.pinned, challenges) if is_front else []
    context = {
        "paging": paging,
        "text": _text(look.text),
        "body": _body(request, pinned, [row for row in challenges if row not in pinned]),
        "has_entries": bool(challenges),
        "search": search,
        "state": state if state in STATES else "",
        "kind": kind if kind in KINDS_OF else "",
        "kinds": [(key, KINDS[key].label) for key in KINDS_OF],
        "is_filtered": is_filtered,
        "organises": makes_challenges(request),
    }
    return render(request, "pages/challenges.html", context)


class ChallengeGroup(NamedTuple):
    """Challenges under a heading."""

    title: str
    entries: Sequence[SafeString]


KEPT: Final = KeptParts[SafeString](4_000_000)


@lru_cache(maxsize=2)
def _text(markdown: str) -> SafeString:
    """What the operator says on the front page, as HTML."""
    return to_html(markdown, highest=2)


def _pinned(
    user: User | AnonymousUser, keys: Sequence[str], listed: Sequence[Challenge]
) -> list[Challenge]:
    """The challenges that the operator puts first, in that order, if the reader's list has them.

    listed: those of the first page, which are not read again.
    """
    rows = {str(row.pk): row for row in listed}
    missing = [key for key in keys if key not in rows]
    if missing:
        rows |= {str(row.pk): row for row in _listed(user).filter(pk__in=missing)}
    return [rows[key] for key in keys if key in rows]


def _body(
    request: HttpRequest, pinned: Sequence[Challenge], unpinned: Sequence[Challenge]
) -> SafeString:
    """The entries in their groups."""
    parts = _parts(request, [*pinned, *unpinned])

    def group(title: str, challenges: Iterable[Challenge]) -> ChallengeGroup:
        return ChallengeGroup(title, [parts[challenge.pk] for challenge in challenges])

    groups = [
        group(_("Pinned"), pinned),
        group(_("Open"), filter(_is_open, unpinned)),
        group(_("Ended or not open yet"), filterfalse(_is_open, unpinned)),
    ]
    return render_to_string("pages/challenge_entries.html", {"groups": groups})


def _parts(request: HttpRequest, challenges: Sequence[Challenge]) -> Mapping[UUID, SafeString]:
    """The entry of each challenge.

    Readers share it as long as nothing in it changes: visitors all entries, and people who are
    signed in those of challenges that hide nothing from anybody.
    """
    keys = {
        challenge.pk: key
        for challenge, key in zip(challenges, _keys(request, challenges), strict=True)
        if not (request.user.is_authenticated and challenge.is_restricted)
    }
    parts = {pk: part for pk, key in keys.items() if (part := KEPT.get(key)) is not None}
    missing = [challenge for challenge in challenges if challenge.pk not in parts]
    for row in visible_listing(missing, reader_in(request)) if missing else ():
        pk = row.challenge.pk
        parts[pk] = render_to_string("pages/challenge_entry.html", {"entry": _entry(row)})
        if pk in keys:
            KEPT.keep(keys[pk], parts[pk], getsizeof(parts[pk]))
    return parts


def _keys(request: HttpRequest, challenges: Sequence[Challenge]) -> Iterator[Hashable]:
    """What the entry of each challenge depends on for a reader who sees what anyone sees."""
    configs = [challenge.shown.pk for challenge in challenges]
    fields = ("config", "pk", "version", "unseen_changes", "judged_version", "phase__closes_at")
    boards: dict[int, list[Hashable]] = {}
    for config, *state in Board.objects.filter(config__in=configs).order_by().values_list(*fields):
        boards.setdefault(config, []).append(tuple(state))
    place = (get_language(), timezone.get_current_timezone_name(), version.build())
    for challenge in challenges:
        yield (
            *place,
            frozenset(boards.get(challenge.shown.pk, ())),
            challenge.pk,
            challenge.name,
            challenge.summary,
            challenge.slug,
            challenge.shown.pk,
            challenge.visibility,
            challenge.is_draft,
            challenge.is_restricted,
            challenge.board_version,
            _is_open(challenge),
            getattr(challenge, "last_attempt_at", None),
        )


def _is_open(challenge: Challenge) -> bool:
    return bool(getattr(challenge, "is_open", False))


def _listed(
    user: User | AnonymousUser, *, search: str = "", kind: str = "", is_open: bool | None = None
) -> ChallengeQuerySet:
    """The challenges that the reader's list has, in its order."""
    wanted = _filtered(Challenge.objects.listed_for(user), search, kind)
    return by_activity(wanted, is_open=is_open).select_related("shown_config")


_FIRST_PAGE: Final = Lookup(lambda user: _listed(User(pk=user))[:CHALLENGES_PER_PAGE], user=int)
_FIRST_PAGE_FOR_ANYONE: Final = Lookup(lambda: _listed(AnonymousUser())[:CHALLENGES_PER_PAGE])


def _page(
    user: User | AnonymousUser,
    listed: Callable[[], ChallengeQuerySet],
    number: int,
    *,
    is_filtered: bool,
) -> tuple[list[Challenge], Paging]:
    """The challenges of a page; they are counted only if they may be more than these."""
    if number == 1 and not is_filtered:
        challenges = _first_page(user)
    else:
        start = (number - 1) * CHALLENGES_PER_PAGE
        challenges = list(listed()[start : start + CHALLENGES_PER_PAGE])
    are_all = number == 1 and len(challenges) < CHALLENGES_PER_PAGE
    total = len(challenges) if are_all else listed().count()
    return challenges, counted(number, total, CHALLENGES_PER_PAGE)


def _first_page(user: User | AnonymousUser) -> list[Challenge]:
    if not user.is_authenticated or not user.is_active:
        return list(_FIRST_PAGE_FOR_ANYONE.instances())
    if user.is_superuser:
        return list(_listed(user)[:CHALLENGES_PER_PAGE])
    return list(_FIRST_PAGE.instances(user=user.pk))


def _filtered(challenges: ChallengeQuerySet, search: str, kind: str) -> ChallengeQuerySet:
    if search:
        wanted = Q(name__icontains=search) | Q(summary__icontains=search)
        challenges = challenges.filter(wanted)
    return challenges.filter(KINDS_OF[kind]) if kind in KINDS_OF else challenges


def _entry(row: VisibleChallenge) -> ChallengeEntry:
    challenge = row.challenge
    columns = row_labels.spoken(columns_of(challenge))
    last: datetime | None = getattr(challenge, "last_attempt_at", None)
    return ChallengeEntry(
        challenge=challenge,
        kind=KINDS[kind_of(challenge.shown)].label,
        strategy=row_labels.strategy(challenge.shown, columns),
        measure=row_labels.marked(columns[0]) if columns else "",
        arrow=row_labels.arrow(columns[0]) if columns else "",
        participants="–" if row.participants is None else count_text(row.participants),
        leaders=leaders_of(columns[0], row.leaders, row.certain) if columns else [],
        remark=uncertain_order(row.certain),
        is_hidden=row.participants is None,
        is_open=_is_open(challenge),
        is_frozen=row.is_frozen,
        last_attempt=_ago(last) if last else "",
        closes_at=row.closes_at,
    )


def leaders_of(
    column: Column, rows: Sequence[BoardRow], certain: VisibleCertainty | None
) -> list[Leader]:
    """The first rows of a board with their values in its first column.

    Bars have a common scale from 0, and are left out where the smallest value is the best.
    """
    texts = texts_of([column])
    has_bars = column.key != TIME and column.direction == "desc"
    values = [column.value(row.values) if has_bars else None for row in rows]
    return [
        Leader(
            row.rank,
            rank_text(row),
            *rank_range(certain, row),
            row.participant.shown_name,
            cells(texts, row.values, row.reached_at, row.cells)[0],
            bar(share),
        )
        for row, share in zip(rows, shares_of(values), strict=True)
    ]


def _ago(moment: datetime) -> SafeString:
    """A moment as a `<time>` element: `3 hours ago`, or the day if it is weeks ago."""
    seconds = (timezone.now() - moment).total_seconds()
    if seconds < 60:
        text = _("just now")
    elif seconds < DAYS * 86_400:
        text = _("{duration} ago").format(duration=row_labels.duration(seconds))
    else:
        text = day_text(moment)
    return format_html(
        '<time datetime="{}" title="{} UTC">{}</time>',
        moment.isoformat(timespec="seconds"),
        exact_moment_text(moment),
        text,
    )
