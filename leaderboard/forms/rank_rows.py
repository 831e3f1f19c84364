"""The rows of a form in which organisers choose the values that a board ranks by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from django import forms
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.forms.errors import FormWithSent
from leaderboard.models import ScoringConfig
from leaderboard.rules.json.stored import SentRankKey, sent_rank_key
from leaderboard.rules.json.untyped_dicts import FormValues
from leaderboard.rules.ranking.places import MAX_KEYS
from leaderboard.rules.sortkey import PRECISION
from leaderboard.strategies import known_strategies

RankRow = tuple[str, str, str]
"""The names of the fields of a key: the value, its order and its decimals."""

DIRECTIONS: Final[list[tuple[str, str | Promise]]] = [
    ("desc", gettext_lazy("highest first")),
    ("asc", gettext_lazy("lowest first")),
]
DIRECTIONS_OF_METRICS: Final = [
    ("", gettext_lazy("the best first, as the metric says")),
    *DIRECTIONS,
]
"""Of values that may say themselves which end is better."""


class RankRows(FormWithSent):
    """Adds the rows `rank_by.0.key`, `.direction` and `.decimals` to a form.

    config_before: the newest scoring config; None for a new challenge.
    """

    rank_rows: list[RankRow]
    config_before: ScoringConfig | None

    @property
    def ranks(self) -> list[list[forms.BoundField]]:
        return [[self[name] for name in names] for names in self.rank_rows]

    def initial_ranks(self) -> FormValues:
        """The stored keys, by the names of the fields."""
        return {
            f"rank_by.{row}.{part}": value
            for row, key in enumerate(self.config_before.rank_by if self.config_before else ())
            for part, value in key.items()
        }

    def add_ranks(self, keys: forms.Widget) -> None:
        """Add the fields. keys: what offers the values that the board can rank by."""
        self.rank_rows = []
        for row in range(MAX_KEYS):
            names = (f"rank_by.{row}.key", f"rank_by.{row}.direction", f"rank_by.{row}.decimals")
            label = _("By") if row == 0 else _("then by")
            self.fields[names[0]] = forms.CharField(label=label, required=False, widget=keys)
            self.fields[names[1]] = forms.ChoiceField(
                label=_("Order"), choices=DIRECTIONS_OF_METRICS, required=False
            )
            self.fields[names[2]] = forms.IntegerField(
                label=_("Decimals"), required=False, min_value=0, max_value=PRECISION
            )
            self.rank_rows.append(names)

    def filled_ranks(self) -> list[int]:
        """The numbers of the rows with a value."""
        rows = enumerate(self.rank_rows)
        return [row for row, names in rows if self.cleaned_data.get(names[0])]

    def rank_by(self, strategy: str) -> Sequence[SentRankKey]:
        """The keys. A strategy with its own order keeps the decimals that it had."""
        known_strategy = known_strategies().get(strategy)
        if known_strategy is None or known_strategy.keys:
            before = self.config_before
            return list(before.rank_by) if before and before.strategy == strategy else []
        rows = ([self.cleaned_data.get(name) for name in names] for names in self.rank_rows)
        return [sent_rank_key(key, direction, decimals) for key, direction, decimals in rows if key]
