from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition, JudgedAttempt, place_of
from leaderboard.conditions.run_conditions import seconds_of
from leaderboard.rules.admission.verdicts import AdmissionVerdict, Finding
from leaderboard.rules.texts.messages import Message, counted, message


class SampleTime(Condition):
    """Each sample took a plausible time."""

    key = "sample_time"
    label = message("Time of samples")

    rule: Literal["sample_time"]
    unknown: AdmissionVerdict | None = "ok"
    least_ms: Annotated[int, Field(ge=0, description="The shortest plausible time.")] = 0
    most_ms: Annotated[int | None, Field(ge=1, description="The longest time; null: any.")] = None

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        times = [(place_of(sample), seconds_of(sample)) for sample in attempt.samples]
        most = float("inf") if self.most_ms is None else self.most_ms
        wrong_places = [
            place
            for place, seconds in times
            if seconds is not None and not self.least_ms <= seconds * 1000 <= most
        ]
        if wrong_places:
            text = counted(
                "{count} sample took less or more time than the rules allow",
                "{count} samples took less or more time than the rules allow",
                len(wrong_places),
            )
            yield from self.against(text, wrong_places)
        if unknown := [place for place, seconds in times if seconds is None]:
            text = counted(
                "the time of {count} sample is unknown",
                "the times of {count} samples are unknown",
                len(unknown),
            )
            yield from self.about_unknown(text, unknown)

    def sentence(self) -> Message:
        if self.most_ms is None:
            return message("Each sample took at least {least} ms.", least=self.least_ms)
        return message(
            "Each sample took {least} to {most} ms.", least=self.least_ms, most=self.most_ms
        )


CONDITION = SampleTime
