"""Judge new attempts by the rules of their challenge, in the transaction that saves them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from leaderboard.models import Challenge, InstanceBlock
from leaderboard.rules.rewards.instances import Instance
from leaderboard.services.attempts.drafts import Draft
from leaderboard.services.standing.judging import Case, Judge, since_of, store_judgements, with_kept
from leaderboard.services.standing.rejudging import receive


class Admitting:
    """What the rules say of the attempts of a batch.

    drafted_for: the challenge with the scoring config of the drafts. stored: the challenge as it is
    stored now. A challenge without rules and review costs nothing.
    """

    def __init__(self, drafted_for: Challenge, stored: Challenge) -> None:
        self._stored = stored
        self._is_needed = stored.condition_set_id is not None or stored.review != "none"
        self._judge = Judge(drafted_for, stored.condition_set_id) if self._is_needed else None

    def judge(self, drafts: Sequence[Draft]) -> None:
        """Set the judgement and the standing of drafts that have participants."""
        if self._judge is None:
            return
        judgements = self._judge.judge(
            list(map(_case, drafts)), since_of(self._stored.condition_set_id)
        )
        for draft, judgement in zip(drafts, judgements, strict=True):
            draft.judgement = judgement
            draft.standing = judgement.standing(self._stored.review).value

    def save(self, drafts: Sequence[Draft]) -> None:
        """Save what was judged; the attempts are saved already."""
        if self._judge is None:
            return
        judged = [(draft, draft.judgement) for draft in drafts if draft.judgement]
        condition_set = self._stored.condition_set_id
        store_judgements(self._stored, condition_set, [judgement for _, judgement in judged])
        receive(self._stored, [(draft.participant.id, judgement) for draft, judgement in judged])


def lock_for_rules(challenge: Challenge) -> None:
    """Let no other attempt of the challenge arrive at the same time, if its rules compare them.

    Call it first in a transaction: workers lock the challenge before anything else.
    """
    if challenge.condition_set_id is not None:
        Challenge.objects.lock_boards(challenge.pk)


def _case(draft: Draft) -> Case:
    new = draft.new
    return Case(
        draft.pk,
        draft.participant.id,
        draft.user_id,
        draft.submitted_at,
        with_kept(new.samples, new.evidence),
        new.run,
        new.meta,
        list(_outputs(draft)),
    )


def _outputs(draft: Draft) -> Iterator[Instance]:
    if draft.evaluation is None:
        return
    if draft.evaluation.packed is None:
        draft.evaluation.pack()
    for block in draft.evaluation.packed or ():
        yield from map(Instance.of, InstanceBlock(content=block.content).rows())
