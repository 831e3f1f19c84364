"""The type of a ranking strategy, and the strategies of the files in this folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

from leaderboard.rules.plugins.modules import offered
from leaderboard.rules.ranking.places import CountingMode, Ranking, RankKey
from leaderboard.rules.texts.messages import message


@dataclass(frozen=True, slots=True)
class Strategy:
    """One way to rank the attempts of a challenge.

    key: its name in the API and in the database, at most 40 characters. label, summary: its texts
    in the admin. keys: the values that it ranks by; () if the challenge names them in `rank_by`.
    sentence: the sentence about the order on the rules page; "" if it is made from the challenge's
    keys. ranked: the sentence about who is ranked on the rules page; "" if the first key of the
    challenge decides. only_succeeded: whether attempts that did not succeed are left out.
    runs_scorer: whether a scorer computes `score`. place: its position in lists of strategies.
    """

    key: str
    label: str
    summary: str
    keys: tuple[RankKey, ...]
    sentence: str = ""
    ranked: str = message("Only successful attempts are ranked.")
    only_succeeded: bool = False
    runs_scorer: bool = False
    place: int = 100

    def keys_for(self, rank_by: Sequence[RankKey]) -> tuple[RankKey, ...]:
        """The keys that a challenge with this strategy ranks by.

        A strategy with its own keys uses these; `rank_by` may repeat them with decimals.
        """
        own = [(key.key, key.direction) for key in self.keys]
        if not own or [(key.key, key.direction) for key in rank_by] == own:
            return tuple(rank_by)
        return self.keys


@cache
def known_strategies() -> Mapping[str, Strategy]:
    """Every strategy of a file here, by key, in the order of their places."""
    strategies: Mapping[str, Strategy] = offered("leaderboard.strategies", "STRATEGY")
    ordered = sorted(strategies.values(), key=lambda strategy: (strategy.place, strategy.key))
    return MappingProxyType({strategy.key: strategy for strategy in ordered})


def get_strategy(key: str) -> Strategy:
    """The strategy of that key. Raises KeyError."""
    return known_strategies()[key]


def ranking_of(
    strategy: str,
    rank_by: Sequence[RankKey] = (),
    *,
    only_succeeded: bool = False,
    counting: CountingMode = "best",
    min_coverage: float | None = None,
) -> Ranking:
    """The ranking of a challenge with this strategy. Raises KeyError for an unknown strategy."""
    chosen = get_strategy(strategy)
    return Ranking(
        keys=chosen.keys_for(rank_by),
        only_succeeded=only_succeeded or chosen.only_succeeded,
        counting=counting,
        min_coverage=min_coverage,
    )
