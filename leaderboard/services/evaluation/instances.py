"""The instances of an attempt as they are evaluated under a scoring config, and who may see them.

If the config holds references, the instances are those of the references, in their order, each with
the outputs that the attempt has for its id, as many as may count; otherwise they are the attempt's
own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import zip_longest
from typing import Any, NamedTuple
from uuid import UUID

from django.db.models import QuerySet

from leaderboard.models import (
    Attempt,
    Challenge,
    InstanceBlock,
    ReferenceBlock,
    ScoringConfig,
)
from leaderboard.rules.json.packing import inflated, unpacked
from leaderboard.rules.rewards.instances import Instance
from leaderboard.sandbox.contract import Rows

BLOCKS_PER_READ = 10
"""The most blocks that are in memory at once."""


def may_see_references(
    of: Attempt | Challenge,
    *,
    organiser: bool,
) -> bool:
    """Whether a reader may see the references and everything that can reveal them.

    That includes results for instances, warnings and logs. If a challenge holds references and
    hides them, only its organisers and reviewers may see them. organiser: whether the reader is an
    organiser or a reviewer.
    """
    challenge = of.challenge if isinstance(of, Attempt) else of
    if challenge.references_visibility == Challenge.ReferencesVisibility.PUBLIC:
        return True
    return organiser or all(config.references_id is None for config in _read_under(of))


def _read_under(of: Attempt | Challenge) -> Sequence[ScoringConfig]:
    """The scoring configs under which an attempt or a challenge may be shown."""
    if isinstance(of, Attempt):
        return of.scoring_config, of.challenge.shown
    return of.shown, of.newest


class StoredRows(NamedTuple):
    """A stored block's number, and the positions of its rows that count in the phase."""

    number: int
    positions: list[int]


class Instances:
    """The instances of one attempt under one config, in blocks that are read one at a time.

    Only instances that count in the attempt's phase are included. A block without such an instance
    is left out, and gets no number. sizes: the number of instances of each block, in order.
    """

    def __init__(self, attempt_id: UUID, config: ScoringConfig, phase_id: int | None) -> None:
        self._own = InstanceBlock.objects.filter(evaluation=attempt_id).order_by("number")
        self._held = ReferenceBlock.objects.filter(references=config.references_id)
        self._is_held = config.references_id is not None
        self._counts = config.counts(phase_id)
        self._most_outputs = config.outputs_per_instance

    def __len__(self) -> int:
        return sum(self.sizes)

    @cached_property
    def sizes(self) -> list[int]:
        if self._counts is not None:
            return [len(rows.positions) for rows in self._kept]
        blocks = self._held.order_by("number") if self._is_held else self._own
        return list(blocks.values_list("count", flat=True))

    def blocks(self, numbers: Collection[int]) -> Iterator[tuple[int, Sequence[Instance] | Rows]]:
        """Yield the numbers and instances of some blocks, in order, read on demand.

        If the references are the attempt's own and all instances count, the instances are yielded
        as stored, without parsing.
        """
        for number in sorted(numbers):
            if self._is_held or self._counts is not None:
                yield from self.pick({number: range(self.sizes[number])}).items()
            else:
                block = self._own.get(number=number)
                yield number, Rows(inflated(block.content), block.count)

    def pick(self, places: Mapping[int, Sequence[int]]) -> dict[int, list[Instance]]:
        """Load only the instances at some positions. places: positions by block number."""
        if self._counts is None:
            return self._stored(places)
        kept = {number: self._kept[number] for number in places}
        instances = self._stored(
            {
                block.number: [block.positions[at] for at in places[number]]
                for number, block in kept.items()
            }
        )
        return {number: instances[block.number] for number, block in kept.items()}

    def ids(self) -> Iterator[list[str | int]]:
        """The ids of all instances, block by block."""
        if self._counts is None:
            yield from self._stored_ids()
            return
        stored = enumerate(self._stored_ids())
        for block in self._kept:
            ids = next(ids for number, ids in stored if number == block.number)
            yield [ids[at] for at in block.positions]

    @cached_property
    def _kept(self) -> list[StoredRows]:
        """The blocks with an instance that counts."""
        rows = (
            StoredRows(number, [at for at, id_ in enumerate(ids) if self._takes(id_)])
            for number, ids in enumerate(self._stored_ids())
        )
        return [block for block in rows if block.positions]

    def _takes(self, instance_id: str | int) -> bool:
        return self._counts is None or self._counts(str(instance_id))

    def _stored(self, places: Mapping[int, Sequence[int]]) -> dict[int, list[Instance]]:
        """Like `pick`, with the numbers of stored blocks and the positions in them."""
        own = _rows_at(self._own, places)
        if not self._is_held:
            return {number: list(map(Instance.of, own[number])) for number in places}
        held = _rows_at(self._held, places)
        return {
            number: [
                self._with_outputs(Instance.of(row), beside)
                for row, beside in zip_longest(held[number], own.get(number, ()))
            ]
            for number in places
        }

    def _stored_ids(self) -> Iterator[list[str | int]]:
        if self._is_held:
            packed_ids = self._held.order_by("number").values_list("ids", flat=True)
            yield from map(unpacked, packed_ids.iterator(chunk_size=BLOCKS_PER_READ))
            return
        for block in self._own.iterator(chunk_size=BLOCKS_PER_READ):
            yield [row[0] for row in block.rows()]

    def _with_outputs(self, held: Instance, row: Sequence[Any] | None) -> Instance:
        """The instance with the attempt's outputs. row: the outputs at its position, if any."""
        beside = Instance.of(row) if row else None
        if beside and beside.key == held.key:
            outputs = beside.outputs
        else:
            outputs = self._outputs.get(held.key, ())
        return held._replace(outputs=outputs[: self._most_outputs])

    @cached_property
    def _outputs(self) -> dict[str, Sequence[str]]:
        """All outputs by id, in case the references had another order at the submission."""
        blocks = self._own.iterator(chunk_size=BLOCKS_PER_READ)
        instances = (Instance.of(row) for block in blocks for row in block.rows())
        return {one.key: one.outputs for one in instances}


def _rows_at(blocks: QuerySet[Any], places: Mapping[int, Sequence[int]]) -> dict[int, list[Any]]:
    """The rows at the given positions, by block number; None where the block has no such row."""
    rows_by_block: dict[int, list[Any]] = {}
    for block in blocks.filter(number__in=places).iterator(chunk_size=BLOCKS_PER_READ):
        rows = block.rows()
        rows_by_block[block.number] = [
            rows[at] if at < len(rows) else None for at in places[block.number]
        ]
    return rows_by_block
