from collections.abc import Iterator
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition, JudgedAttempt
from leaderboard.rules.admission.verdicts import Finding
from leaderboard.rules.texts.messages import Message, message


class Declared(Condition):
    """The attempt declares certain fields in its `meta`, or in its `run`."""

    key = "declared"
    label = message("Declared fields")

    rule: Literal["declared"]
    fields: Annotated[
        list[Annotated[str, Field(min_length=1, max_length=80)]],
        Field(
            min_length=1,
            max_length=50,
            description="Names of fields of `meta` or `run`; `run.agent` is that of `run` alone.",
        ),
    ]

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        missing = [name for name in self.fields if not _is_declared(name, attempt)]
        if missing:
            text = message("the attempt does not declare {names}", names=", ".join(missing))
            yield from self.against(text)

    def sentence(self) -> Message:
        return message("Attempts declare {names}.", names=", ".join(self.fields))


def _is_declared(name: str, attempt: JudgedAttempt) -> bool:
    """Whether a field of meta or of the run says something. name: `run.agent` is of `run`."""
    values = attempt.meta.get(name), attempt.run.get(name.removeprefix("run."))
    return any(str(value or "").strip() for value in values)


CONDITION = Declared
