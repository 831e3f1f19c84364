"""What the rules about copies have in common: another attempt had the same prints first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Against, Condition, JudgedAttempt
from leaderboard.rules.admission.prints import Owner, PrintKind
from leaderboard.rules.admission.verdicts import Finding, SampleRef
from leaderboard.rules.texts.messages import Message, message


class Duplicates(Condition):
    """An attempt has mostly the prints of an earlier one of somebody else."""

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

    def shared(self, attempt: JudgedAttempt, kind: PrintKind, text: Message) -> Iterator[Finding]:
        """A finding for the earlier attempt of another one that has most prints in common."""
        own = [one for one in attempt.prints if one.kind == kind]
        places: dict[str, list[SampleRef]] = defaultdict(list)
        for one in own:
            for owner in dict.fromkeys(attempt.earlier.get((kind, one.digest), ())):
                if self._is_other(owner, attempt.me):
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
