"""Keys that a challenge uses: what it ranks by, its columns, and the values it declares."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext

from leaderboard.columns import known_columns
from leaderboard.facts import known_facts, rankable_keys
from leaderboard.languages.translation import translated
from leaderboard.models import ScoringConfig
from leaderboard.rules.json.stored import StoredRankKey
from leaderboard.rules.ranking.places import MAX_KEYS, RankKey
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.sortkey import Direction
from leaderboard.rules.texts.nearest import nearest
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import ECONOMICS, VALUE_NAMES, is_value_name
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.schemas.rank_keys import RankedBy
from leaderboard.schemas.text_metrics import TextSpec, enabled, text_spec_of
from leaderboard.services.errors import invalid
from leaderboard.services.evaluation.metric_names import line_to_add, metric_names
from leaderboard.services.evaluation.text_fields import why_not_ranked
from leaderboard.strategies import get_strategy

UNRANKABLE = frozenset(known_facts()) - frozenset(rankable_keys())


@dataclass(frozen=True)
class KnownRankKeys:
    """What the keys of a challenge may mean.

    values: names of reported values that it declares. rewards: those that its tasks declare.
    programs: names of values that its scoring program returns.
    """

    specs: Sequence[MetricSpec] = ()
    texts: Sequence[TextSpec] = ()
    values: Collection[str] = ()
    rewards: Sequence[str] = ()
    programs: Collection[str] = ()

    def names(self) -> Iterator[str]:
        """The keys that the challenge's fields make known."""
        yield from (*rankable_keys(), *ECONOMICS, *self.values, *self.programs)
        for spec in self.specs:
            yield from (key for key, _ in spec.keys(self.rewards))
        yield from (spec.name for spec in enabled(self.texts))

    def is_computed(self, key: str) -> bool:
        """Whether a fact, a metric or a text metric of the challenge has this key."""
        if key in rankable_keys() or key in ECONOMICS or key in known_facts():
            return True
        if key in self.programs:
            return True
        return spec_of(key, self.specs) is not None or text_spec_of(key, self.texts) is not None


def checked_values(
    names: Sequence[str], rank_keys: KnownRankKeys, kept: Collection[str] = ()
) -> list[str]:
    """The field `values` of a challenge: names of values that participants report.

    kept: names that the challenge has declared before. They stay, even if a metric of this server
    has the name, unless the challenge itself computes them by now. Raises ServiceError.
    """
    checked: list[str] = []
    for index, name in enumerate(names):
        at = f"values.{index}"
        if name in checked:
            text = gettext("must be named once; got {name} twice")
            raise invalid(at, text.format(name=sent(name)))
        if rank_keys.is_computed(name):
            if name in kept:
                continue
            text = gettext(
                "must be the name of a reported value; got {got}, which is computed here"
            )
            raise invalid(at, text.format(got=sent(name)))
        if name not in kept and (line := line_to_add(name)):
            raise invalid(
                at,
                gettext("must not be the name of a metric; got {name}: {line}").format(
                    name=sent(name), line=line
                ),
            )
        checked.append(name)
    return checked


def checked_rank_by(
    strategy: str,
    rank_by: Sequence[RankedBy],
    rank_keys: KnownRankKeys,
    own_direction: Callable[[str], Direction],
) -> list[StoredRankKey]:
    """The field `rank_by`. Raises ServiceError with the path of the first wrong field.

    own_direction: that of a value, for keys without a direction. A strategy with its own keys has
    its own order: `rank_by` may repeat it, to give the number of decimals that count in
    comparisons.
    """
    if own := get_strategy(strategy).keys:
        return _repeated(own, strategy, rank_by)
    if not rank_by:
        raise invalid(
            "rank_by",
            gettext("must be a list of 1 to {max_keys} keys; got []").format(max_keys=MAX_KEYS),
        )
    for at, key in enumerate(rank_by):
        _check_key(f"rank_by.{at}.key", key.key, rank_keys)
    for at, key in enumerate(rank_by):
        if key.key == "score":
            names = ", ".join(name for name in rank_keys.names() if name != "score")
            text = gettext(
                'must be one of {names}: only the strategy custom has a scorer; got "score"'
            )
            raise invalid(f"rank_by.{at}.key", text.format(names=names))
        if wrong := _why_always_empty(key.key, rank_keys):
            raise invalid(f"rank_by.{at}.key", wrong)
    return [key.as_json(own_direction(key.key)) for key in rank_by]


def check_compared(
    rank_keys: KnownRankKeys, counting: str, rank_by: Sequence[StoredRankKey]
) -> None:
    """Refuse metrics that compare impossible values, or an order that cannot be computed.

    A comparison with other participants cannot decide which of a participant's attempts is the
    best, because the others have several attempts to choose from as well.
    """
    comparing = {spec.name for spec in rank_keys.specs if spec.compares}
    for index, spec in enumerate(rank_keys.specs):
        for at, key in enumerate(spec.compared):
            if wrong := _why_not_compared(key.key, rank_keys, comparing):
                raise invalid(f"metrics.{index}.of.{at}", wrong)
    keys = [key["key"] for key in rank_by]
    if keys and comparing.issuperset(keys) and counting == ScoringConfig.Counting.BEST:
        text = gettext(
            "must have a further key, such as a mean score, that says which attempt of a "
            "participant is its best, or counting must be latest; got {key}, which compares "
            "participants"
        )
        raise invalid("rank_by", text.format(key=keys[0]))


def _why_not_compared(key: str, rank_keys: KnownRankKeys, comparing: Collection[str]) -> str:
    if key in comparing:
        text = gettext("must be a value of one attempt; got {got}, which compares participants")
        return text.format(got=sent(key))
    if key in UNRANKABLE or key == "submitted_at":
        names = [name for name in rank_keys.names() if name not in ("submitted_at", *comparing)]
        return gettext("must be one of {accepted}; got {got}").format(
            accepted=", ".join(names), got=sent(key)
        )
    return why_no_attempt_has(key, rank_keys)


def _why_always_empty(key: str, rank_keys: KnownRankKeys) -> str:
    """Why no attempt can have a value of a known key, "" if one may.

    If tasks declare several rewards, a metric without its own reward yields a value of each.
    """
    spec = spec_of(key, rank_keys.specs)
    if spec is None or key != spec.name or spec.type == SCRIPT or spec.reported == "rank":
        return ""
    keys = [reward_key for reward_key, _ in spec.keys(rank_keys.rewards)]
    if key in keys:
        return ""
    return gettext(
        "must be one of {accepted}: the tasks declare several rewards, and the metric {metric}, "
        "which names none, has a value of each; got {got}"
    ).format(accepted=", ".join(map(sent, keys)), metric=sent(key), got=sent(key))


def why_no_attempt_has(key: str, rank_keys: KnownRankKeys) -> str:
    """Why no attempt can have a value of a key that is ranked by; "" if one may."""
    return why_not_a_key(key, rank_keys) or _why_always_empty(key, rank_keys)


def why_not_a_key(key: str, rank_keys: KnownRankKeys, further_keys: Collection[str] = ()) -> str:
    """Why a key of a rank or a column has no value here, "" if it has or may have one.

    A key that resembles no known one is that of a reported value. further_keys: further known keys.
    """
    if key in rank_keys.values or key in further_keys:
        return ""
    if spec := spec_of(key, rank_keys.specs):
        return _why_not_yielded(key, spec, rank_keys)
    if rank_keys.is_computed(key):
        return ""
    if wrong := why_not_ranked(key, rank_keys.texts):
        return wrong
    if not is_value_name(key):
        return _neither_key_nor_value(key, (*rank_keys.names(), *further_keys))
    if line := line_to_add(key):
        return gettext(
            "must be a key of this challenge; got {got}, a metric it does not list: {advice}"
        ).format(got=sent(key), advice=line)
    if meant := nearest(key, [*rank_keys.names(), *further_keys, *metric_names()]):
        return _did_you_mean(key, meant)
    return ""


def column_keys() -> list[str]:
    """Keys that every board has columns for."""
    return list(known_columns())


def _did_you_mean(key: str, meant: str) -> str:
    return gettext(
        "must be a known key; got {got}: did you mean {meant}? "
        'If participants report a value of this name, add "values": [{got}]'
    ).format(got=sent(key), meant=sent(meant))


def _neither_key_nor_value(got: str, keys: Iterable[str]) -> str:
    text = gettext(
        "must be one of {accepted}, or the name of a reported value ({value_names}); got {got}"
    )
    listed = ", ".join(keys)
    return text.format(accepted=listed, value_names=translated(VALUE_NAMES), got=sent(got))


def _why_not_yielded(key: str, spec: MetricSpec, rank_keys: KnownRankKeys) -> str:
    """Why a metric has no value of a key `name:reward`."""
    reward = key.removeprefix(f"{spec.name}:")
    if key == spec.name or spec.type == SCRIPT:
        return ""
    if spec.reward is not None:
        return gettext("must be {key}, the only value of that metric; got {got}").format(
            key=sent(spec.name), got=sent(key)
        )
    meant = nearest(reward, rank_keys.rewards)
    return _did_you_mean(key, f"{spec.name}:{meant}") if meant else ""


def _repeated(
    own: Sequence[RankKey], strategy: str, rank_by: Sequence[RankedBy]
) -> list[StoredRankKey]:
    """A strategy's own keys with the decimals that `rank_by` adds; [] where it adds none."""
    if not rank_by:
        return []
    if len(rank_by) != len(own) or not all(map(_is_same, rank_by, own)):
        keys = ", ".join(f'{{"key": "{key.key}", "direction": "{key.direction}"}}' for key in own)
        text = gettext(
            "must be [{keys}] under {strategy}, perhaps with decimals, because only metric takes "
            "other keys; got {got}"
        )
        got = ", ".join(sent(ranked_by.key) for ranked_by in rank_by)
        raise invalid("rank_by", text.format(keys=keys, strategy=strategy, got=got))
    checked: list[StoredRankKey] = [
        key.as_json(mine.direction) for key, mine in zip(rank_by, own, strict=True)
    ]
    return checked if any("decimals" in key for key in checked) else []


def _is_same(key: RankedBy, own: RankKey) -> bool:
    return (key.key, key.direction or own.direction) == (own.key, own.direction)


def _check_key(at: str, key: str, rank_keys: KnownRankKeys) -> None:
    if key in UNRANKABLE:
        raise invalid(at, _neither_key_nor_value(key, rank_keys.names()))
    if wrong := why_not_a_key(key, rank_keys):
        raise invalid(at, wrong)
