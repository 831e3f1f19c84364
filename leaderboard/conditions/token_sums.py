from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Against, Condition, JudgedAttempt, place_of, run_of
from leaderboard.rules.admission.verdicts import AdmissionVerdict, Finding
from leaderboard.rules.rewards.samples import Sample
from leaderboard.rules.texts.messages import Message, counted, message


class TokenSums(Condition):
    """The tokens of a sample's result are those of its trajectory.

    Some gateways report no tokens, so it flags unless a challenge is stricter.
    """

    key = "token_sums"
    label = message("Sums of tokens")

    rule: Literal["token_sums"]
    then: Against = "flagged"
    unknown: AdmissionVerdict | None = "ok"
    tolerance: Annotated[
        float,
        Field(ge=0, le=1, description="The largest difference, as a share of the larger sum."),
    ] = 0.02

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        states = [(sample, self._agree(sample)) for sample in attempt.samples]
        if other := [place_of(sample) for sample, state in states if state is False]:
            text = counted(
                "the tokens of {count} sample are not those of its trajectory",
                "the tokens of {count} samples are not those of their trajectories",
                len(other),
            )
            yield from self.against(text, other)
        if unknown := [place_of(sample) for sample, state in states if state is None]:
            text = counted(
                "the tokens of {count} sample are unknown",
                "the tokens of {count} samples are unknown",
                len(unknown),
            )
            yield from self.about_unknown(text, unknown)

    def _agree(self, sample: Sample) -> bool | None:
        run = run_of(sample)
        result, trajectory = run.get("tokens", {}), run.get("trajectory_tokens", {})
        sums = [
            (result.get("input"), trajectory.get("input")),
            (result.get("output"), trajectory.get("output")),
        ]
        pairs = [(one, other) for one, other in sums if one is not None and other is not None]
        if not pairs:
            return None
        return all(abs(one - other) <= self.tolerance * max(one, other) for one, other in pairs)

    def sentence(self) -> Message:
        return message(
            "The tokens of each sample are those of its trajectory, up to {share:g}%.",
            share=self.tolerance * 100,
        )


CONDITION = TokenSums
