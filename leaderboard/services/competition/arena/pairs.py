"""Which two outputs a voter is shown."""

from __future__ import annotations

import random
from itertools import chain
from typing import Final, NamedTuple
from uuid import UUID

from leaderboard.models import Challenge, Evaluation, Participant, User
from leaderboard.rules.rewards.instances import Instance
from leaderboard.services.competition.arena.voting import ShownPair
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.evaluation.instances import Instances

MOST_ENTRIES: Final = 500
TRIES: Final = 10


class PairOfOutputs(NamedTuple):
    """Two outputs for one prompt. prompt: its text; it may be empty."""

    pair: ShownPair
    prompt: str
    left: str
    right: str


def random_pair(board: VisibleBoard, user: User) -> PairOfOutputs | None:
    """Two outputs of ranked attempts for one instance, in random order; None if there are none.

    Of the board that the user sees: while it is frozen, of the attempts before the freeze. Outputs
    of participants that the user belongs to are left out.
    """
    dice = random.SystemRandom()
    entries = _entries(board, user)
    for _try in range(TRIES if len(entries) > 1 else 0):
        left, right = dice.sample(entries, 2)
        outputs = _outputs(board, left[1], right[1], dice)
        if outputs is not None:
            prompt, text, one, other = outputs
            return PairOfOutputs(ShownPair(left[0], right[0], prompt), text, one, other)
    return None


def has_outputs(challenge: Challenge) -> bool:
    """Whether any attempt has outputs to compare."""
    return Evaluation.objects.filter(attempt__challenge=challenge).exists()


def _entries(board: VisibleBoard, user: User) -> list[tuple[int, UUID]]:
    """The participants and attempts of the first ranked rows with outputs."""
    ranked = board.ranked_attempts(MOST_ENTRIES)
    ids = [attempt for _, attempt in ranked]
    evaluations = Evaluation.objects.filter(attempt__in=ids)
    with_outputs = set(evaluations.values_list("attempt", flat=True))
    own = set(Participant.objects.of(user).values_list("pk", flat=True))
    return [entry for entry in ranked if entry[0] not in own and entry[1] in with_outputs]


def _outputs(
    board: VisibleBoard, left: UUID, right: UUID, dice: random.Random
) -> tuple[str, str, str, str] | None:
    """The id and the text of a prompt, and an output of each of two attempts."""
    both = [Instances(attempt, board.board.config, board.phase_id) for attempt in (left, right)]
    places = [
        {
            str(name): (block, at)
            for block, names in enumerate(one.ids())
            for at, name in enumerate(names)
        }
        for one in both
    ]
    shared = [name for name in places[0] if name in places[1]]
    if not shared:
        return None
    name = dice.choice(shared)
    instances: list[Instance] = []
    for one, by_name in zip(both, places, strict=True):
        block, at = by_name[name]
        instances += chain.from_iterable(one.pick({block: [at]}).values())
    if len(instances) < 2 or not all(instance.outputs for instance in instances):
        return None
    first, second = instances
    if first.outputs[0] == second.outputs[0]:
        return None
    return name, first.input, first.outputs[0], second.outputs[0]
