"""Keys that a challenge uses: what it ranks by, its columns, and the values it declares."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from leaderboard.columns import known_columns
from leaderboard.facts import known_facts, rankable_keys
from leaderboard.models import ScoringConfig
from leaderboard.rules.metric_specs import (
    SCRIPT,
    VALUE_NAMES,
    MetricSpec,
    is_value_name,
    spec_of,
)
from leaderboard.rules.nearest import nearest
from leaderboard.rules.ranking import MAX_KEYS, RankKey
from leaderboard.rules.sortkey import PRECISION
from leaderboard.rules.spec_names import ECONOMICS
from leaderboard.rules.text_specs import TextSpec, enabled, text_spec_of
from leaderboard.services.errors import invalid
from leaderboard.services.evaluation.metric_names import line_to_add, metric_names
from leaderboard.services.evaluation.text_fields import why_not_ranked
from leaderboard.strategies import get_strategy

MAX_VALUES = 100
FIELDS = ("key", "direction", "decimals")
UNRANKABLE = frozenset(known_facts()) - frozenset(rankable_keys())


@dataclass(frozen=True)
class Known:
    """What the keys of a challenge may mean.

    values: names of reported values that it declares. rewards: those that its tasks declare.
    """

    specs: Sequence[MetricSpec] = ()
    texts: Sequence[TextSpec] = ()
    values: Collection[str] = ()
    rewards: Sequence[str] = ()

    def names(self) -> Iterator[str]:
        """The keys that the challenge's fields make known."""
        yield from (*rankable_keys(), *ECONOMICS, *self.values)
        for spec in self.specs:
            yield from (key for key, _ in spec.keys(self.rewards))
        yield from (spec.name for spec in enabled(self.texts))

    def is_computed(self, key: str) -> bool:
        """Whether a fact, a metric or a text metric of the challenge has this key."""
        if key in rankable_keys() or key in ECONOMICS or key in known_facts():
            return True
        return spec_of(key, self.specs) is not None or text_spec_of(key, self.texts) is not None


def checked_values(entries: Any, known: Known, kept: Collection[str] = ()) -> list[str]:
    """The field `values` of a challenge: names of values that participants report.

    kept: names that the challenge has declared before. They stay, even if a metric of this server
    has the name, unless the challenge itself computes them by now. Raises ServiceError.
    """
    if not isinstance(entries, list) or len(entries) > MAX_VALUES:
        raise invalid("values", f"must be a list of at most {MAX_VALUES} names")
    checked: list[str] = []
    for index, name in enumerate(entries):
        at = f"values.{index}"
        if not is_value_name(name):
            raise invalid(at, f"must be a name of {VALUE_NAMES}; got {shown(name)}")
        if name in checked:
            raise invalid(at, f"{name} is named twice")
        if known.is_computed(name):
            if name in kept:
                continue
            raise invalid(at, f"must be the name of a reported value; {name} is computed here")
        if name not in kept and (line := line_to_add(name)):
            raise invalid(at, f"must not be the name of a metric; got {shown(name)}: {line}")
        checked.append(name)
    return checked


def checked_rank_by(strategy: str, rank_by: Any, known: Known) -> list[dict[str, Any]]:
    """The field `rank_by`. Raises ServiceError with the path of the first wrong field.

    A strategy with its own keys has its own order: `rank_by` may repeat it, to give the number of
    decimals that count in comparisons.
    """
    if own := get_strategy(strategy).keys:
        return _repeated(own, strategy, rank_by)
    if not isinstance(rank_by, list) or not 1 <= len(rank_by) <= MAX_KEYS:
        raise invalid("rank_by", f"must be a list of 1 to {MAX_KEYS} keys")
    checked = [_checked_key(f"rank_by.{at}", key, known) for at, key in enumerate(rank_by)]
    for at, key in enumerate(checked):
        if key["key"] == "score":
            names = ", ".join(name for name in known.names() if name != "score")
            wrong = f"must be one of {names}: only the strategy custom has a scorer; got 'score'"
            raise invalid(f"rank_by.{at}.key", wrong)
        if wrong := _why_always_empty(key["key"], known):
            raise invalid(f"rank_by.{at}.key", wrong)
    return checked


def check_compared(known: Known, counting: str, rank_by: Sequence[Mapping[str, Any]]) -> None:
    """Refuse metrics that compare impossible values, or an order that cannot be computed.

    A comparison with other participants cannot decide which of a participant's attempts is the
    best, because the others have several attempts to choose from as well.
    """
    comparing = {spec.name for spec in known.specs if spec.compares}
    for index, spec in enumerate(known.specs):
        for at, key in enumerate(spec.of):
            if wrong := _why_not_compared(key.key, known, comparing):
                raise invalid(f"metrics.{index}.of.{at}", wrong)
    keys = [key["key"] for key in rank_by]
    if keys and comparing.issuperset(keys) and counting == ScoringConfig.Counting.BEST:
        wrong = (
            f"needs a further key, such as a mean score, that says which attempt of a participant "
            f"is its best: {keys[0]} compares participants. Or set counting to latest"
        )
        raise invalid("rank_by", wrong)


def _why_not_compared(key: str, known: Known, comparing: Collection[str]) -> str:
    if key in comparing:
        return f"must be a value of one attempt; {key} compares participants itself"
    if key in UNRANKABLE or key == "submitted_at":
        names = [name for name in known.names() if name not in ("submitted_at", *comparing)]
        return f"must be one of {', '.join(names)}; got {shown(key)}"
    return why_not_a_key(key, known) or _why_always_empty(key, known)


def _why_always_empty(key: str, known: Known) -> str:
    """Why no attempt can have a value of a known key, "" if one may.

    If tasks declare several rewards, a metric without its own reward yields a value of each.
    """
    spec = spec_of(key, known.specs)
    if spec is None or key != spec.name or spec.type == SCRIPT or spec.reported == "rank":
        return ""
    keys = [each for each, _ in spec.keys(known.rewards)]
    if key in keys:
        return ""
    each = ", ".join(map(shown, keys))
    return (
        f"must be one of {each}: the tasks declare several rewards, and the metric {shown(key)}, "
        f"which names none, has a value of each; got {shown(key)}"
    )


def why_not_a_key(key: str, known: Known, others: Collection[str] = ()) -> str:
    """Why a key of a rank or a column has no value here, "" if it has or may have one.

    A key that resembles no known one is that of a reported value. others: further known keys.
    """
    if key in known.values or key in others:
        return ""
    if spec := spec_of(key, known.specs):
        return _why_not_yielded(key, spec, known)
    if known.is_computed(key):
        return ""
    if wrong := why_not_ranked(key, known.texts):
        return wrong
    if not is_value_name(key):
        there_are = ", ".join((*known.names(), *others))
        return f"must be one of {there_are}, or the name of a reported value ({VALUE_NAMES})"
    if line := line_to_add(key):
        return (
            f"must be a key of this challenge; got {shown(key)}, a metric it does not list: {line}"
        )
    if meant := nearest(key, [*known.names(), *others, *metric_names()]):
        return _did_you_mean(key, meant)
    return ""


def shown(value: object) -> str:
    """The submitted value, as an error shows it."""
    return f'"{value[:80]}"' if isinstance(value, str) else str(value)[:80]


def column_keys() -> list[str]:
    """Keys that every board has columns for."""
    return list(known_columns())


def _did_you_mean(key: str, meant: str) -> str:
    return (
        f"must be a known key; got {shown(key)}: did you mean {shown(meant)}? "
        f'If participants report a value of this name, add "values": [{shown(key)}]'
    )


def _why_not_yielded(key: str, spec: MetricSpec, known: Known) -> str:
    """Why a metric has no value of a key `name:reward`."""
    reward = key.removeprefix(f"{spec.name}:")
    if key == spec.name or spec.type == SCRIPT:
        return ""
    if spec.reward is not None:
        return f"must be {shown(spec.name)}, the only value of that metric; got {shown(key)}"
    meant = nearest(reward, known.rewards)
    return _did_you_mean(key, f"{spec.name}:{meant}") if meant else ""


def _repeated(own: Sequence[RankKey], strategy: str, rank_by: Any) -> list[dict[str, Any]]:
    """A strategy's own keys with the decimals that `rank_by` adds; [] where it adds none."""
    if not rank_by:
        return []
    said = ", ".join(f'{{"key": "{key.key}", "direction": "{key.direction}"}}' for key in own)
    wrong = (
        f"must be [{said}] under {strategy}, perhaps with decimals; only metric takes other keys"
    )
    if not isinstance(rank_by, list) or len(rank_by) != len(own):
        raise invalid("rank_by", wrong)
    checked = []
    for at, (key, mine) in enumerate(zip(rank_by, own, strict=True)):
        if not isinstance(key, dict):
            raise invalid("rank_by", wrong)
        _check_fields(f"rank_by.{at}", key)
        if key["key"] != mine.key or key.get("direction", mine.direction) != mine.direction:
            raise invalid("rank_by", wrong)
        decimals = _decimals(f"rank_by.{at}", key)
        checked.append({"key": mine.key, "direction": mine.direction, **decimals})
    return checked if any("decimals" in key for key in checked) else []


def _checked_key(at: str, key: Any, known: Known) -> dict[str, Any]:
    _check_fields(at, key)
    name = key["key"]
    if not isinstance(name, str) or name in UNRANKABLE:
        there_are = ", ".join(known.names())
        wrong = f"must be one of {there_are}, or the name of a reported value ({VALUE_NAMES})"
        raise invalid(f"{at}.key", wrong)
    if wrong := why_not_a_key(name, known):
        raise invalid(f"{at}.key", wrong)
    direction = key.get("direction", "desc")
    if direction not in ("asc", "desc"):
        raise invalid(f"{at}.direction", "must be asc or desc")
    return {"key": name, "direction": direction, **_decimals(at, key)}


def _check_fields(at: str, key: Any) -> None:
    for name in key if isinstance(key, dict) else ():
        if name not in FIELDS:
            raise invalid(f"{at}.{name}", f"unknown field; known: {', '.join(FIELDS)}")
    if not isinstance(key, dict) or "key" not in key:
        raise invalid(at, 'must be an object {"key", "direction", "decimals"}')


def _decimals(at: str, key: Mapping[str, Any]) -> dict[str, int]:
    """The field `decimals`, if it is given; the default is 9."""
    decimals = key.get("decimals")
    if decimals is None:
        return {}
    if type(decimals) is not int or not 0 <= decimals <= PRECISION:
        raise invalid(f"{at}.decimals", f"must be a whole number from 0 to {PRECISION}")
    return {"decimals": decimals}
