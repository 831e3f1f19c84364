"""What the rules about copies have in common: another attempt had the same prints first.

Attempts are compared by prints, digests of 16 bytes of single samples: of the id, of the rewards
with the usage, and of the output. So copies in another order, with one change or with other ids are
recognised, by an index and without comparing each attempt with all others. Only challenges with
such a rule store them. Passes and failures alone are common to many systems, so they have one
digest for the whole attempt, and only if at least twenty samples have it and five differ from the
most common result.

The first attempt that arrived owns an id, even if it is withdrawn. The participant's own ids may
come again, because jobs are resumed and attempts move into other phases. By default only attempts
of other accounts are compared, so that an organiser can import a whole board. A copy with another
usage in each sample is not recognised.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Against, Condition, JudgedAttempt
from leaderboard.rules.admission.prints import Owner, PrintKind
from leaderboard.rules.admission.verdicts import Finding, SampleRef
from leaderboard.rules.texts.messages import Message, message


class Duplicates(Condition):
    """An attempt has mostly the prints of an earlier one: of somebody else, or of its participant
    if that one was returned or decided about."""

    then: Against = "flagged"
    least: Annotated[
        float,
        Field(
            gt=0, le=1, description="The share of the attempt that must be the same to be noted."
        ),
    ] = 0.9
    of: Annotated[
        Literal["accounts", "participants"],
        Field(
            description="Whose earlier attempts are compared: those that other accounts submitted,"
            " or those of all other participants."
        ),
    ] = "accounts"

    def shared(
        self, attempt: JudgedAttempt, kind: PrintKind, copied: Message, again: Message
    ) -> Iterator[Finding]:
        """A finding for the earlier attempt that has most prints in common.

        copied: the text about an attempt of another participant. again: the text about one of the
        participant's own that was returned or decided about.
        """
        for text, is_meant in ((copied, self._is_other), (again, _is_decided)):
            yield from self._most_shared(attempt, kind, text, is_meant)

    def _most_shared(
        self,
        attempt: JudgedAttempt,
        kind: PrintKind,
        text: Message,
        is_meant: Callable[[Owner, Owner], bool],
    ) -> Iterator[Finding]:
        own = [one for one in attempt.prints if one.kind == kind]
        places: dict[str, list[SampleRef]] = defaultdict(list)
        for one in own:
            for owner in dict.fromkeys(attempt.earlier.get((kind, one.digest), ())):
                if is_meant(owner, attempt.me):
                    places[owner.attempt].append(one.place)
        most = max(places.items(), key=lambda entry: len(entry[1]), default=None)
        if most is not None and len(most[1]) >= self.least * len(own):
            places_with_names = [place for place in most[1] if place.task]
            yield from self.against(text, places_with_names, most[0])

    def _is_other(self, owner: Owner, me: Owner) -> bool:
        if owner.participant == me.participant:
            return False
        return self.of == "participants" or owner.account is None or owner.account != me.account

    def share(self) -> Message:
        return message("{share:g}%", share=self.least * 100)


def _is_decided(owner: Owner, me: Owner) -> bool:
    return owner.participant == me.participant and owner.is_decided
