"""The `metrics` of a scorer: a dict in which a null fact counts as absent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from leaderboard.facts import scored_facts

FACTS = frozenset((*(fact.key for fact in scored_facts() if fact.for_scorers), "values"))
"""The facts that every attempt has, although some may be unknown."""

_NO_DEFAULT = object()


class AttemptFacts(dict[str, Any]):
    """A dict whose methods with a default return the default for null as well.

    Scorers are written in two ways: `metrics.get("rating", 0)` expects an unknown fact to be
    absent, `metrics["rating"]` expects None. Both work here, whether the fact is absent or null.
    `get`, `pop` and `setdefault` take None for absent; `metrics[name]` is None for a fact that is
    absent (`{}` for `values`) and raises KeyError for any other name. Everything else works as in
    a dict: `in`, iteration, `len`, `==`, `dict(metrics)` and JSON see the keys as they are, with
    nulls. Copies keep the class; pickling gives a plain dict.
    """

    __slots__ = ()

    def __missing__(self, name: str) -> Any:
        if name not in FACTS:
            raise KeyError(name)
        return AttemptFacts() if name == "values" else None

    def get(self, name: str, default: Any = None) -> Any:
        value = super().get(name)
        return default if value is None else value

    def pop(self, name: str, default: Any = _NO_DEFAULT) -> Any:
        if default is _NO_DEFAULT:
            return super().pop(name)
        value = super().pop(name, None)
        return default if value is None else value

    def setdefault(self, name: str, default: Any = None) -> Any:
        if self.get(name) is None:
            self[name] = default
        return self[name]

    def copy(self) -> AttemptFacts:
        return AttemptFacts(self)

    __copy__ = copy

    def __deepcopy__(self, memo: dict[int, Any]) -> AttemptFacts:
        from copy import deepcopy

        return AttemptFacts(deepcopy(dict(self), memo))

    def __or__(self, other: Any) -> Any:
        return AttemptFacts(super().__or__(other)) if isinstance(other, dict) else NotImplemented

    def __reduce_ex__(self, protocol: Any) -> tuple[Any, ...]:
        # This module cannot be imported where a scorer's pickle would be read.
        return dict, (dict(self),)


def facts_of(metrics: Mapping[str, object]) -> AttemptFacts:
    """Metrics as a scorer gets them; their `values` behave in the same way."""
    facts = AttemptFacts(metrics)
    values = facts.get("values")
    if type(values) is dict:
        facts["values"] = AttemptFacts(values)
    return facts
