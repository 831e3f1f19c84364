"""Which attempts of a participant count, in words."""

from __future__ import annotations

from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from leaderboard.languages.translation import count_text
from leaderboard.models import Board, Phase
from leaderboard.pages.labels.row_labels import then

_BEST: Final = gettext_lazy("The best attempt of a participant counts; more attempts never hurt.")


def counting(board: Board) -> str:
    """Which attempt of a participant counts on a board."""
    if ruled := _ruled(board.counting, board.phase.number_counted):
        return ruled
    config = board.config
    own = [key.key for key in config.own_ranking.keys]
    if own != config.ranked_keys:
        return _(
            "The best attempt of a participant by {keys} counts, and is compared with those of "
            "the others."
        ).format(keys=then(own))
    return str(_BEST)


def counting_of_phase(phase: Phase) -> str:
    """Which attempt counts by the rule of a phase; "" if it has none of its own."""
    if phase.counting == "best":
        return str(_BEST)
    return _ruled(phase.counting, phase.number_counted)


def _ruled(counting: str, number: int) -> str:
    match counting:
        case "latest":
            return _(
                "The latest attempt of a participant counts, even if an earlier one was better."
            )
        case "first":
            return _("The first attempt of a participant counts, even if a later one is better.")
        case "all":
            return _("Each attempt of a participant has a row of its own.")
        case "chosen":
            return ngettext(
                "A participant may choose {count} attempt, which counts. If none is chosen, the"
                " best attempt counts.",
                "A participant may choose up to {count} attempts, of which the best counts. If"
                " none is chosen, the best of all attempts counts.",
                number,
            ).format(count=count_text(number))
        case "mean":
            return ngettext(
                "The latest attempt of a participant that can be ranked counts.",
                "The mean of the last {count} attempts of a participant that can be ranked counts;"
                " of fewer, while there are fewer.",
                number,
            ).format(count=count_text(number))
    return ""
