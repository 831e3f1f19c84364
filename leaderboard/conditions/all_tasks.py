from collections.abc import Iterator
from typing import Literal

from leaderboard.conditions.condition import Condition, JudgedAttempt
from leaderboard.rules.admission.verdicts import Finding, SampleRef
from leaderboard.rules.texts.messages import Message, counted, message


class AllTasks(Condition):
    """Each declared task has at least one sample."""

    key = "all_tasks"
    label = message("All tasks")

    rule: Literal["all_tasks"]

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        run_tasks = {sample.task for sample in (*attempt.samples, *attempt.excused)}
        missing = [SampleRef(task) for task in attempt.tasks if task not in run_tasks]
        if missing:
            text = counted(
                "{count} declared task has no sample",
                "{count} declared tasks have no sample",
                len(missing),
            )
            yield from self.against(text, missing)

    def sentence(self) -> Message:
        return message("Every task that the challenge declares was run.")


CONDITION = AllTasks
