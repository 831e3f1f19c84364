from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from json import dumps
from typing import Annotated, Final, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition, JudgedAttempt, place_of, run_of
from leaderboard.rules.admission.verdicts import Finding, SampleRef
from leaderboard.rules.rewards.runs import MORE, AttemptRun, Conditions, ConditionValue
from leaderboard.rules.rewards.samples import Sample
from leaderboard.rules.texts.messages import Message, counted, listed, message

TIMEOUT: Final = "timeout"
ALL: Final = "*"


class RunConditions(Condition):
    """Samples ran under the allowed limits, multipliers, overrides and resources.

    A condition that the files do not give has the value null. If two files of a run contradict each
    other, or a sample and its whole run do, both values must be allowed.
    """

    key = "run_conditions"
    label = message("Conditions of runs")

    rule: Literal["run_conditions"]
    allow: Annotated[
        dict[str, list[ConditionValue]],
        Field(
            min_length=1,
            max_length=200,
            description="The allowed values by the condition's path, such as"
            ' `{"timeout_multiplier": [null, 1.0]}`.',
        ),
    ]
    unless_unused: Annotated[
        dict[str, Annotated[float, Field(gt=0)]],
        Field(
            description="Seconds that each task has by default (`*`: all others). A raised timeout"
            " is allowed for a sample that took less."
        ),
    ] = {}

    def judge(self, attempt: JudgedAttempt) -> Iterator[Finding]:
        for path, allowed in self.allow.items():
            places: list[SampleRef] = []
            values: dict[str, None] = {}
            for sample in attempt.samples:
                wrong = [
                    value
                    for value in _values(sample, attempt.run, path)
                    if not _is_in(value, allowed)
                ]
                if wrong and not self._is_unused(path, sample):
                    places.append(place_of(sample))
                    values.update(dict.fromkeys(map(_text, wrong)))
            if places:
                text = counted(
                    "{path} is {values} in {count} sample; the rules allow {allowed}",
                    "{path} is {values} in {count} samples; the rules allow {allowed}",
                    len(places),
                    path=path,
                    values=", ".join(list(values)[:5]),
                    allowed=", ".join(map(_text, allowed)),
                )
                yield from self.against(text, places)

    def _is_unused(self, path: str, sample: Sample) -> bool:
        """Whether a raised timeout made no difference: the sample took less than its task has."""
        base = self.unless_unused.get(sample.task, self.unless_unused.get(ALL))
        if base is None or TIMEOUT not in path:
            return False
        taken = seconds_of(sample)
        return taken is not None and 0 <= taken < base

    def sentence(self) -> Message:
        parts = [
            listed([path, listed(map(_in_words, values))], ": ")
            for path, values in self.allow.items()
        ]
        return message("Allowed conditions of runs: {conditions}.", conditions=listed(parts, "; "))


def seconds_of(sample: Sample) -> float | None:
    """How long a sample ran; None if the files do not say it."""
    elapsed = (sample.usage or {}).get("elapsed_ms")
    if elapsed is not None:
        return elapsed / 1000
    run = run_of(sample)
    if "started_at" in run and "finished_at" in run:
        started, finished = map(datetime.fromisoformat, (run["started_at"], run["finished_at"]))
        return (finished - started).total_seconds()
    return None


def _values(sample: Sample, shared: AttemptRun, path: str) -> Iterator[ConditionValue]:
    """The value of a condition: by the sample, by the whole run, and by a contradicting file."""
    run = run_of(sample)
    stated: list[Conditions] = [run.get("conditions", {}), shared.get("conditions", {})]
    values = [conditions[path] for conditions in stated if path in conditions]
    yield from values or [MORE if any(MORE in conditions for conditions in stated) else None]
    contradicting = run.get("contradicting", {})
    if path in contradicting:
        yield contradicting[path]


def _is_in(value: ConditionValue, allowed: list[ConditionValue]) -> bool:
    return any(value == one and isinstance(value, bool) == isinstance(one, bool) for one in allowed)


def _text(value: ConditionValue) -> str:
    return dumps(value, ensure_ascii=False)[:60]


def _in_words(value: ConditionValue) -> str:
    return message("not given") if value is None else _text(value)


CONDITION = RunConditions
