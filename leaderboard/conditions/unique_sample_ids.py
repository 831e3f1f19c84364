from collections import Counter
from collections.abc import Iterator
from typing import Literal

from leaderboard.conditions.condition import Condition, JudgedAttempt, place_of, run_of
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.texts.messages import Message, counted, message


class UniqueSampleIds(Condition):
    """No sample has the id of another sample, here or in an attempt of another participant.

    The attempt that arrived first owns an id, withdrawn or not. A participant's own ids may come
    again, as when a job is resumed or an attempt is copied into another phase.
    """

    key = "unique_sample_ids"
    label = message("Ids of samples")
    prints = frozenset({"id"})

    rule: Literal["unique_sample_ids"]

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        if missing := [
            place_of(sample) for sample in attempt.samples if not run_of(sample).get("id")
        ]:
            text = counted("{count} sample has no id", "{count} samples have no id", len(missing))
            yield from self.about_unknown(text, missing)
        counts = Counter(one.digest for one in attempt.prints if one.kind == "id")
        if twice := [
            one.place for one in attempt.prints if one.kind == "id" and counts[one.digest] > 1
        ]:
            text = counted(
                "{count} sample has an id that another sample of the attempt has",
                "{count} samples have an id that another sample of the attempt has",
                len(twice),
            )
            yield from self.against(text, twice)
        borrowed = [
            (one.place, owner.attempt)
            for one in attempt.prints
            if one.kind == "id"
            for owner in attempt.earlier.get(("id", one.digest), ())[:1]
            if owner.participant != attempt.me.participant
        ]
        if borrowed:
            text = counted(
                "{count} sample has the id of a sample that another participant submitted before",
                "{count} samples have ids of samples that another participant submitted before",
                len(borrowed),
            )
            yield from self.against(text, [place for place, _ in borrowed], borrowed[0][1])

    def sentence(self) -> Message:
        return message("Each sample has an id of its own, which no other participant has used.")


CONDITION = UniqueSampleIds
