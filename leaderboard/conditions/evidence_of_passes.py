from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition, JudgedAttempt, place_of, run_of
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.rewards.samples import Sample
from leaderboard.rules.texts.messages import Message, counted, message


class EvidenceOfPasses(Condition):
    """Each sample that passes has a file that shows how, such as a trajectory."""

    key = "evidence_of_passes"
    label = message("Evidence of passes")

    rule: Literal["evidence_of_passes"]
    kind: Annotated[
        Literal["trajectory", "log", "diff"], Field(description="The kind of the file.")
    ] = "trajectory"
    passes: Annotated[float, Field(description="The least reward of a sample that passes.")] = 1.0

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        missing = [
            place_of(sample)
            for sample in attempt.samples
            if self._passes(sample) and self.kind not in run_of(sample).get("evidence", ())
        ]
        if missing:
            text = counted(
                "{count} sample that passes has no {kind}",
                "{count} samples that pass have no {kind}",
                len(missing),
                kind=self.kind,
            )
            yield from self.against(text, missing)

    def _passes(self, sample: Sample) -> bool:
        values = (sample.rewards or {}).values()
        return any(value is not None and value >= self.passes for value in values)

    def sentence(self) -> Message:
        return message("Each sample that passes comes with its {kind}.", kind=self.kind)


CONDITION = EvidenceOfPasses
