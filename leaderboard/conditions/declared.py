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
        Field(min_length=1, max_length=50, description="Names of fields of `meta` or `run`."),
    ]

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        named = {**attempt.run, **attempt.meta}
        missing = [name for name in self.fields if not str(named.get(name) or "").strip()]
        if missing:
            text = message("the attempt does not declare {names}", names=", ".join(missing))
            yield from self.against(text)

    def sentence(self) -> Message:
        return message("Attempts declare {names}.", names=", ".join(self.fields))


CONDITION = Declared
