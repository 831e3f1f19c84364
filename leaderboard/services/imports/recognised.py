"""The model outputs in a file, described in a text, and the instances without output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from leaderboard.importers import ImportedAttempt
from leaderboard.models import ScoringConfig
from leaderboard.rules.instances import Instance
from leaderboard.rules.some_ids import SomeIds
from leaderboard.services.evaluation.submitted_outputs import ReferenceIds


class Recognised(NamedTuple):
    """`words`, without ids: `549 outputs for 552 instances, 3 missing`. `missing` names those 3."""

    words: str = ""
    missing: SomeIds = SomeIds([], 0)

    def __str__(self) -> str:
        return f"{self.words} ({self.missing})" if self.missing.ids else self.words


def recognised_in(
    one: ImportedAttempt,
    config: ScoringConfig,
    held: ReferenceIds,
    total: int | None,
    *,
    known: bool,
) -> Recognised:
    """The outputs in one attempt of a file, "" if it has none.

    total: the number of instances to evaluate. Everyone who may open the challenge may see the ids
    that it holds. known: the attempt exists already, maybe for other instances than the challenge
    holds now, so the text names none.
    """
    given = one.evaluation.instances if one.evaluation else one.outputs
    if given is None or total is None:
        return Recognised()
    answered = {each.key for each in given if each.outputs}
    words = _in_words(len(answered), total, is_held=config.references_id is not None)
    if known or len(answered) == total:
        return Recognised(words)
    return Recognised(words, SomeIds.of(_without(answered, _asked(given, config, held))))


def _in_words(answered: int, total: int, *, is_held: bool) -> str:
    missing = total - answered
    if not is_held:
        return _many(total, "instance") + (f", {missing} without an output" if missing else "")
    of_held = f"{_many(answered, 'output')} for {_many(total, 'instance')}"
    return of_held + (f", {missing} missing" if missing else "")


def _asked(
    given: Sequence[Instance], config: ScoringConfig, held: ReferenceIds
) -> Iterable[str | int]:
    """The ids of all instances that should have an output, in their order."""
    if config.references_id is None:
        return (each.id for each in given)
    return chain.from_iterable(held.blocks)


def _without(answered: set[str], ids: Iterable[str | int]) -> Iterable[str | int]:
    return (each for each in ids if str(each) not in answered)


def _many(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"
