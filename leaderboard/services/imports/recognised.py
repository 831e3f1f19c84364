"""Describes the model outputs in a file, and the instances without output."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from leaderboard.importers import ImportedAttempt
from leaderboard.models import ScoringConfig
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.rewards.some_ids import SomeIds
from leaderboard.rules.texts.messages import counted, message
from leaderboard.services.evaluation.submitted_outputs import ReferenceIds


class Recognised(NamedTuple):
    """`words`, such as `549 outputs for 552 instances, 3 missing`; `missing` has those 3 ids.

    text: both in one line.
    """

    words: str = ""
    missing: SomeIds = SomeIds([], 0)

    @property
    def text(self) -> str:
        if not self.missing.ids:
            return self.words
        return message("{outputs} ({missing})", outputs=self.words, missing=self.missing.text)


def recognised_in(
    one: ImportedAttempt,
    config: ScoringConfig,
    held: ReferenceIds,
    total: int | None,
    *,
    existed: bool,
) -> Recognised:
    """The description of the outputs in one attempt of a file; empty if it has none.

    total: the number of instances to evaluate. existed: whether it was imported before; the
    challenge may have had other instances then, so the text names no ids. Everybody who may open
    the challenge may see the ids of its instances.
    """
    given = one.evaluation.instances if one.evaluation else one.outputs
    if given is None or total is None:
        return Recognised()
    answered = {instance.key for instance in given if instance.outputs}
    words = _as_text(len(answered), total, is_held=config.references_id is not None)
    if existed or len(answered) == total:
        return Recognised(words)
    ids = _asked(given, config, held)
    return Recognised(words, SomeIds.of(key for key in ids if str(key) not in answered))


def _as_text(answered: int, total: int, *, is_held: bool) -> str:
    missing = total - answered
    instances = counted("{count} instance", "{count} instances", total)
    if not is_held and not missing:
        return instances
    if not is_held:
        return message(
            "{instances}, {missing} without an output", instances=instances, missing=missing
        )
    outputs = counted("{count} output", "{count} outputs", answered)
    if not missing:
        return message("{outputs} for {instances}", outputs=outputs, instances=instances)
    return message(
        "{outputs} for {instances}, {missing} missing",
        outputs=outputs,
        instances=instances,
        missing=missing,
    )


def _asked(
    given: Sequence[Instance], config: ScoringConfig, held: ReferenceIds
) -> Iterable[str | int]:
    """The ids of all instances that should have an output, in their order."""
    if config.references_id is None:
        return (instance.id for instance in given)
    return chain.from_iterable(held.blocks)
