"""The instances of an attempt as they are evaluated under a scoring config, and who may see them.

Under a config that holds references they are the references' own, in their order, each with the
outputs that the attempt brought for its id; else they are what the attempt brought.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from uuid import UUID

from django.contrib.auth.models import AnonymousUser

from leaderboard.models import (
    Attempt,
    Challenge,
    InstanceBlock,
    ReferenceBlock,
    ScoringConfig,
    User,
)
from leaderboard.rules.instances import Instance


def may_see_references(
    user: User | AnonymousUser | None,
    of: Attempt | Challenge,
    *,
    organiser: bool | None = None,
) -> bool:
    """May `user` see what is expected of a model, and whatever gives it away?

    That is every reference, result of an instance, warning and log. Where a challenge holds
    references and does not show them, only its organisers may; whoever knows already whether
    `user` is one says so.
    """
    challenge = of.challenge if isinstance(of, Attempt) else of
    if challenge.references_visibility == Challenge.ReferencesVisibility.PUBLIC:
        return True
    if all(config.references_id is None for config in _read_under(of)):
        return True
    if organiser is not None:
        return organiser
    return isinstance(user, User) and user.is_active and user.organises(challenge.tenant_id)


def _read_under(of: Attempt | Challenge) -> Sequence[ScoringConfig]:
    """The scoring configs under which it may be shown."""
    if isinstance(of, Attempt):
        return of.scoring_config, of.challenge.shown
    return of.shown, of.newest


class Instances:
    """The instances of one attempt under one config, in blocks that are read one at a time.

    `sizes` are the numbers of instances of the blocks, in their order.
    """

    def __init__(self, attempt_id: UUID, config: ScoringConfig) -> None:
        self._own = InstanceBlock.objects.filter(evaluation=attempt_id).order_by("number")
        self._held = ReferenceBlock.objects.filter(references=config.references_id)
        self._is_held = config.references_id is not None

    def __len__(self) -> int:
        return sum(self.sizes)

    @cached_property
    def sizes(self) -> list[int]:
        blocks = self._held.order_by("number") if self._is_held else self._own
        return list(blocks.values_list("count", flat=True))

    def blocks(
        self, numbers: Collection[int] | None = None
    ) -> Iterator[tuple[int, list[Instance]]]:
        """Numbers and instances of all blocks, or of some, in their order."""
        for number in range(len(self.sizes)):
            if numbers is None or number in numbers:
                yield number, self._block(number)

    def _block(self, number: int) -> list[Instance]:
        own = self._own.filter(number=number).first()
        brought = [Instance.of(row) for row in own.rows()] if own else []
        if not self._is_held:
            return brought
        held = [Instance.of(row) for row in self._held.get(number=number).rows()]
        if [each.key for each in held] == [each.key for each in brought]:
            pairs = zip(held, (each.outputs for each in brought), strict=True)
        else:
            pairs = zip(held, (self._outputs.get(each.key, ()) for each in held), strict=True)
        return [each._replace(outputs=outputs) for each, outputs in pairs]

    @cached_property
    def _outputs(self) -> dict[str, Sequence[str]]:
        """All outputs by id, for references in another order than those at the submission."""
        blocks = self._own.iterator(chunk_size=10)
        each = (Instance.of(row) for block in blocks for row in block.rows())
        return {one.key: one.outputs for one in each}
