from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition, JudgedAttempt
from leaderboard.rules.admission.verdicts import Finding, SampleRef
from leaderboard.rules.rewards.samples import MAX_SAMPLES
from leaderboard.rules.texts.messages import Message, counted, message


class SamplesPerTask(Condition):
    """Each task that was run has enough samples, failed ones included."""

    key = "samples_per_task"
    label = message("Samples of each task")

    rule: Literal["samples_per_task"]
    least: Annotated[int, Field(ge=1, le=MAX_SAMPLES, description="The fewest samples.")]

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        counts = Counter(sample.task for sample in (*attempt.samples, *attempt.excused))
        few = [SampleRef(task) for task, count in counts.items() if count < self.least]
        if few:
            text = counted(
                "{count} task has fewer than {least} samples",
                "{count} tasks have fewer than {least} samples",
                len(few),
                least=self.least,
            )
            yield from self.against(text, few)

    def sentence(self) -> Message:
        return counted(
            "Each task has at least {count} sample, failed ones included.",
            "Each task has at least {count} samples, failed ones included.",
            self.least,
        )


CONDITION = SamplesPerTask
