"""Which values of an attempt participants report, and which are computed here.

The metric decides whether a number may be reported for it: `refuse`, `allow` (shown, marked,
unranked) or `rank`. The number is sent in `values` and stored with the score. Evidence takes
precedence, including its failures: the reported number is used only if the evidence has nothing for
the metric. A number outside the metric's bounds is refused, because a percentage reported for a
share would rank first.

Any other key is a reported value, except the name of a metric of this server and keys that are
similar to a known one: the challenge has to declare these, because a misspelt key would otherwise
make a board of self-reported numbers.
"""

from __future__ import annotations

from collections.abc import Mapping

from leaderboard.facts import known_facts, rankable_keys
from leaderboard.models import ScoringConfig
from leaderboard.rules.texts.value_names import ECONOMICS, TRIES_BEFORE
from leaderboard.schemas.metrics import spec_of
from leaderboard.schemas.text_metrics import text_spec_of


def reported_values(config: ScoringConfig, values: Mapping[str, float]) -> Mapping[str, float]:
    """The reported values of an attempt, without those that this config computes."""
    if not values:
        return values
    return {name: value for name, value in values.items() if is_reported(config, name)}


def is_reported(config: ScoringConfig, name: str) -> bool:
    """Whether participants report values of that name, and nothing here computes them.

    The config caches the answer, because a rebuild asks for each value of each standing.
    """
    reported = config.reported_names.get(name)
    if reported is None:
        of_samples = (
            name in _COMPUTED
            or name in config.program_values
            or spec_of(name, config.metric_specs) is not None
        )
        reported = not of_samples and text_spec_of(name, config.named_specs) is None
        config.reported_names[name] = reported
    return reported


_COMPUTED = frozenset((*rankable_keys(), *known_facts(), *ECONOMICS, TRIES_BEFORE))
