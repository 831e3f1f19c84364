"""Finds the kinds of rules in this folder, reads lists of rules, and judges attempts by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Annotated, Any, Final, Union

from pydantic import Discriminator, Tag, TypeAdapter

from leaderboard.conditions.condition import Condition, JudgedAttempt
from leaderboard.rules.admission.prints import PrintKind
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.plugins.modules import offered
from leaderboard.rules.texts.messages import message
from leaderboard.schemas.base import STRICT, Accepts, Items, tagged
from leaderboard.schemas.errors import checked

MAX_RULES: Final = 50


@cache
def known_conditions() -> Mapping[str, type[Condition]]:
    """Every kind of rule of a file here, by key."""
    return dict(sorted(offered("leaderboard.conditions", "CONDITION").items()))


@cache
def rules_schema() -> TypeAdapter[tuple[Condition, ...]]:
    """The schema of a list of rules."""
    by_key = known_conditions()
    kinds = [Annotated[kind, Tag(tagged(key))] for key, kind in by_key.items()]
    names = message("must be an object whose rule is one of {known}", known=", ".join(by_key))
    kind: Any = Annotated[Union[tuple(kinds)], Discriminator(_tag), Accepts(names)]  # noqa: UP007 - made at run time
    return TypeAdapter(Annotated[tuple[kind, ...], Items(MAX_RULES)], config=STRICT)


def parse_rules(rules: object) -> tuple[Condition, ...]:
    """The rules of a JSON list. Raises SchemaError, whose paths begin with `rules`."""
    return checked(rules_schema(), rules, "rules")


def prints_needed(rules: Iterable[Condition]) -> frozenset[PrintKind]:
    """The kinds of prints that some rules compare."""
    return frozenset[PrintKind]().union(*(rule.prints for rule in rules))


def judged(rules: Sequence[Condition], attempt: JudgedAttempt) -> list[Finding]:
    """What the rules have to say against an attempt, in the order of the rules."""
    return [finding for rule in rules for finding in rule.judge(attempt)]


def _tag(value: Any) -> str:
    rule = value.get("rule") if isinstance(value, Mapping) else getattr(value, "rule", None)
    return tagged(str(rule))
