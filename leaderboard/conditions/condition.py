"""The type of a rule of admission, and what it judges."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, ClassVar, Final, Literal

from pydantic import Field

from leaderboard.rules.admission.prints import Earlier, Owner, Print, PrintKind
from leaderboard.rules.admission.verdicts import AdmissionVerdict, Finding, SampleRef, finding
from leaderboard.rules.rewards.runs import AttemptRun, SampleRun
from leaderboard.rules.rewards.samples import Sample
from leaderboard.rules.texts.messages import Message
from leaderboard.schemas.base import Strict

Against = Literal["flagged", "refused"]
"""What happens to an attempt that does not meet a rule."""
NO_RUN: SampleRun = {}
NOBODY: Final = Owner("", 0, None)


@dataclass(frozen=True)
class JudgedAttempt:
    """What rules may know of an attempt.

    samples: with their runs. excused: those that decisions leave out, which still count as run.
    tasks: the names of the challenge's declared tasks. prints: those of
    the attempt itself. earlier: which attempts had these prints before.
    """

    samples: Sequence[Sample] = ()
    excused: Sequence[Sample] = ()
    run: AttemptRun = field(default_factory=AttemptRun)
    meta: Mapping[str, str] = field(default_factory=dict)
    tasks: Sequence[str] = ()
    prints: Sequence[Print] = ()
    earlier: Earlier = field(default_factory=dict)
    me: Owner = NOBODY


class Condition(Strict):
    """A rule of admission with its settings.

    key: its name in the API. label: its name on pages. prints: the prints of attempts that it
    compares. A subclass also has a field `rule` whose only value is the key.
    """

    key: ClassVar[str]
    label: ClassVar[Message]
    prints: ClassVar[frozenset[PrintKind]] = frozenset()

    then: Annotated[
        Against, Field(description="What an attempt that does not meet the rule is.")
    ] = "refused"
    unknown: Annotated[
        AdmissionVerdict | None,
        Field(
            description="What an attempt is whose files do not say what the rule needs; null: the"
            " same as `then`."
        ),
    ] = None

    @property
    def if_unknown(self) -> AdmissionVerdict:
        return self.then if self.unknown is None else self.unknown

    def judge(self, attempt: JudgedAttempt) -> Iterable[Finding]:
        """What the rule has to say against an attempt; nothing if the attempt meets it."""
        raise NotImplementedError

    def sentence(self) -> Message:
        """The rule in words, for the page of rules."""
        raise NotImplementedError

    def against(
        self, text: Message, places: Sequence[SampleRef] = (), other: str = ""
    ) -> Iterator[Finding]:
        """A finding for some samples."""
        yield finding(self.key, self.then, text, places, other)

    def about_unknown(self, text: Message, places: Sequence[SampleRef] = ()) -> Iterator[Finding]:
        """A finding that the files do not say what the rule needs, unless that is ok."""
        if self.if_unknown != "ok":
            yield finding(self.key, self.if_unknown, text, places)


def place_of(sample: Sample) -> SampleRef:
    return SampleRef(sample.task, sample.sample)


def run_of(sample: Sample) -> SampleRun:
    """How a sample was run; empty if nothing is known."""
    return sample.run or NO_RUN
