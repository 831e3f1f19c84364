from collections.abc import Iterator
from typing import Annotated, Final, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition, JudgedAttempt, place_of, run_of
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.rewards.samples import Sample
from leaderboard.rules.texts.messages import Message, counted, message

DIGEST: Final = "task_digest"


class TaskVersions(Condition):
    """Each sample ran an accepted version of its task, by the digest that its files give."""

    key = "task_versions"
    label = message("Versions of the tasks")

    rule: Literal["task_versions"]
    accept: Annotated[
        dict[str, list[str]],
        Field(
            max_length=20_000,
            description="The accepted digests by task. A task without any may have any version, as"
            " long as its files name one.",
        ),
    ] = {}

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        states = [(sample, self._is_accepted(sample)) for sample in attempt.samples]
        if other := [place_of(sample) for sample, state in states if state is False]:
            text = counted(
                "{count} sample ran another version of its task than the rules accept",
                "{count} samples ran other versions of their tasks than the rules accept",
                len(other),
            )
            yield from self.against(text, other)
        if unknown := [place_of(sample) for sample, state in states if state is None]:
            text = counted(
                "the files do not say which version of its task {count} sample ran",
                "the files do not say which versions of their tasks {count} samples ran",
                len(unknown),
            )
            yield from self.about_unknown(text, unknown)

    def _is_accepted(self, sample: Sample) -> bool | None:
        run, accepted = run_of(sample), self.accept.get(sample.task)
        digest = run.get("task_digest")
        contradicting = run.get("contradicting", {}).get(DIGEST)
        if contradicting is not None and contradicting not in (accepted or ()):
            return False
        if accepted is None:
            return True if digest else None
        if digest in accepted or run.get("task_checksum") in accepted:
            return True
        return False if digest else None

    def sentence(self) -> Message:
        if not self.accept:
            return message("The files name the version of each task that was run.")
        return counted(
            "The accepted version of {count} task was run.",
            "The accepted versions of {count} tasks were run.",
            len(self.accept),
        )


CONDITION = TaskVersions
