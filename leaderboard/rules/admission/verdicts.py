"""Verdicts about an attempt, and the findings that they follow from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, Literal, NamedTuple, TypedDict

from leaderboard.rules.texts.messages import Message

AdmissionVerdict = Literal["ok", "flagged", "refused"]
VERDICTS: Final[tuple[AdmissionVerdict, ...]] = ("ok", "flagged", "refused")
"""The verdicts, the worst one last."""
MAX_NAMED: Final = 20
"""The most samples that a finding names."""


class SampleRef(NamedTuple):
    """A sample of an attempt; number None means the whole task."""

    task: str
    number: int | None = None


class StoredFinding(TypedDict):
    """A finding as JSON."""

    rule: str
    verdict: AdmissionVerdict
    template: str
    plural: str
    parameters: dict[str, str | int | float]
    samples: list[tuple[str, int | None]]
    count: int
    other: str


class Finding(NamedTuple):
    """What a rule has to say against an attempt.

    text: a sentence without names of tasks and participants, because these may be hidden. samples:
    the first of those that it is about. total: how many there are. other: the id of another attempt
    that it is about, or "".
    """

    rule: str
    verdict: AdmissionVerdict
    text: Message
    samples: tuple[SampleRef, ...] = ()
    total: int = 0
    other: str = ""

    def as_json(self) -> StoredFinding:
        text = self.text
        parameters = {
            name: value if isinstance(value, str | int | float) else str(value)
            for name, value in text.parameters.items()
        }
        return {
            "rule": self.rule,
            "verdict": self.verdict,
            "template": text.template,
            "plural": text.plural,
            "parameters": parameters,
            "samples": [(place.task, place.number) for place in self.samples],
            "count": self.total,
            "other": self.other,
        }


def finding(
    rule: str,
    verdict: AdmissionVerdict,
    text: Message,
    places: Sequence[SampleRef],
    other: str = "",
) -> Finding:
    """A finding about these samples, of which it names the first ones."""
    return Finding(rule, verdict, text, tuple(places[:MAX_NAMED]), len(places), other)


def of_json(stored: StoredFinding) -> Finding:
    """The reverse of `Finding.as_json`."""
    text = Message(stored["template"], stored["plural"], stored["parameters"])
    places = tuple(SampleRef(task, number) for task, number in stored["samples"])
    return Finding(
        stored["rule"], stored["verdict"], text, places, stored["count"], stored["other"]
    )


def worst(verdicts: Iterable[AdmissionVerdict]) -> AdmissionVerdict:
    """The worst of some verdicts; `ok` without any."""
    return max(verdicts, key=VERDICTS.index, default="ok")


def shown_findings(
    findings: Iterable[Finding], shows: Callable[[str], bool] | None
) -> list[Finding]:
    """The findings without the names of samples whose tasks a reader may not know.

    shows: a function of a task's name, or None if the reader may know all.
    """
    if shows is None:
        return list(findings)
    return [
        one._replace(samples=tuple(place for place in one.samples if shows(place.task)))
        for one in findings
    ]
