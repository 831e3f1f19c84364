from collections.abc import Iterator
from typing import Literal

from leaderboard.conditions.condition import JudgedAttempt
from leaderboard.conditions.duplicates import Duplicates
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.texts.messages import Message, message


class DuplicateResults(Duplicates):
    """The results of samples, with their usage, are not those of somebody else's attempt."""

    key = "duplicate_results"
    label = message("Copied results")
    prints = frozenset({"result", "pattern"})

    rule: Literal["duplicate_results"]

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        copied = message("an attempt that somebody else submitted before has the same results")
        again = message(
            "an earlier attempt with the same results was returned, or samples of it decided about"
        )
        by_sample = list(self.shared(attempt, "result", copied, again))
        yield from by_sample or self.shared(attempt, "pattern", copied, again)

    def sentence(self) -> Message:
        return message(
            "Results of which {share} equal those of somebody else before stand out.",
            share=self.share(),
        )


CONDITION = DuplicateResults
