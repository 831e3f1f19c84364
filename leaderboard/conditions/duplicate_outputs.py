from collections.abc import Iterator
from typing import Literal

from leaderboard.conditions.condition import JudgedAttempt
from leaderboard.conditions.duplicates import Duplicates
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.texts.messages import Message, message


class DuplicateOutputs(Duplicates):
    """The outputs, if they are long enough, are not those of somebody else's attempt."""

    key = "duplicate_outputs"
    label = message("Copied outputs")
    prints = frozenset({"output"})

    rule: Literal["duplicate_outputs"]

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        copied = message("an attempt that somebody else submitted before has the same outputs")
        again = message(
            "an earlier attempt with the same outputs was returned, or samples of it decided about"
        )
        yield from self.shared(attempt, "output", copied, again)

    def sentence(self) -> Message:
        return message(
            "Outputs of which {share} equal those of somebody else before stand out.",
            share=self.share(),
        )


CONDITION = DuplicateOutputs
