"""The choice of rows on a board: those that compete, and those out of the ranking."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Final, NamedTuple

from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.schemas.choices import RowKind
from leaderboard.services.board.reading.row_filter import ALL_KINDS
from leaderboard.services.board.reading.unranked_rows import OUT_OF_RANKING
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.wrong_parameter import WrongParameter

KINDS: Final[Mapping[str, str | Promise]] = {
    "baseline": gettext_lazy("Baseline"),
    "human": gettext_lazy("Human reference"),
    "out_of_competition": gettext_lazy("Out of competition"),
}
"""The labels of rows out of the ranking."""


class KindLink(NamedTuple):
    """A choice of rows. query: the value of `kinds`, "" for all rows."""

    label: str
    query: str
    is_chosen: bool


def kinds_asked(request: HttpRequest) -> Collection[str]:
    """The kinds of rows that the URL asks for, all without `kinds`. Raises WrongParameter."""
    text = request.GET.get("kinds", "")
    kinds = text.split(",") if text else list(ALL_KINDS)
    for kind in kinds:
        if kind not in ALL_KINDS:
            raise WrongParameter.one_of("kinds", kind, ALL_KINDS)
    return kinds


def kind_links(request: HttpRequest, board: VisibleBoard) -> list[KindLink]:
    """The choices of rows; none if no row is out of the ranking."""
    if not board.has_rows_out_of_ranking:
        return []
    chosen = set(kinds_asked(request))
    choices = [
        (_("All rows"), ALL_KINDS),
        (_("Without those out of the ranking"), (RowKind.RANKED.value,)),
        (_("Only those out of the ranking"), OUT_OF_RANKING),
    ]
    return [
        KindLink(label, "" if kinds == ALL_KINDS else ",".join(kinds), chosen == set(kinds))
        for label, kinds in choices
    ]
