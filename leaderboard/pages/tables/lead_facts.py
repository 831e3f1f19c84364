"""What a board says beside its verdict: since when, over what, and what costs less."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text, day_text
from leaderboard.pages.charts.axes import TIME
from leaderboard.rules.texts.value_names import COSTS
from leaderboard.services.board.reading.rows import BoardRow
from leaderboard.services.competition.visible.certainty import VisibleCertainty, attempt_hex

LEAST_SAVED: Final = 5
"""By how many percent another entry must cost less to be named."""


class LeadFacts(NamedTuple):
    """Facts about the leader. basis: short texts. compare: the address of a page with the tasks on
    which the leader differs from the next one, "" if there are no tasks."""

    basis: Sequence[str]
    compare: str


def lead_facts(
    certain: VisibleCertainty, columns: Sequence[Column], rows: Sequence[BoardRow], slug: str
) -> LeadFacts:
    """rows: the first ones of the board. columns: at least one; the first decides the order."""
    ranked = [row for row in rows if row.rank is not None]
    if not ranked or columns[0].key == TIME:
        return LeadFacts((), "")
    leader, followers = ranked[0], ranked[1:]
    cell = leader.cells.get(columns[0].key)
    is_reported = "reported" in (columns[0].level, cell.get("level") if cell else "")
    basis = [
        _("Since {day}").format(day=day_text(leader.reached_at)),
        _("reported by participants") if is_reported else _("computed here"),
    ]
    pair = [row.participant.slug for row in (leader, *followers[:1])]
    query = urlencode([("p", slug) for slug in pair])
    has_tasks = bool(certain.verdict.tasks and followers)
    compare = f"{reverse('compare', args=[slug])}?{query}" if has_tasks else ""
    return LeadFacts(basis, compare)


def cheaper(
    certain: VisibleCertainty | None, columns: Sequence[Column], rows: Iterable[BoardRow]
) -> tuple[str, str]:
    """The entry that costs least among those that cannot be told apart from the leader.

    Its name, and a sentence with `{name}`; two empty texts if none costs less. rows: the first ones
    of the board.
    """
    if certain is None or certain.verdict.state != "not_told_apart":
        return "", ""
    by_attempt = {attempt_hex(row): row for row in rows}
    order = [certain.certainty.rows[at].attempt for at in certain.verdict.not_told_apart]
    leader = by_attempt.get(certain.certainty.rows[certain.verdict.leaders[0]].attempt)
    rivals = [by_attempt[attempt] for attempt in order if attempt in by_attempt]
    costs = (column for column in columns[1:] if column.key in COSTS)
    cost = next((column for column in costs if column.direction == "asc"), None)
    if leader is None or cost is None or not (price := cost.value(leader.values)):
        return "", ""
    priced = [(value, row) for row in rivals if (value := cost.value(row.values)) is not None]
    value, row = min(priced, key=lambda pair: pair[0], default=(price, leader))
    saved = round(100 * (1 - value / price))
    if price < 0 or saved < LEAST_SAVED:
        return "", ""
    sentence = _("{name} may be as good, with {percent}% less {cost}.")
    return row.participant.shown_name, sentence.replace("{percent}", count_text(saved)).replace(
        "{cost}", cost.label
    )
