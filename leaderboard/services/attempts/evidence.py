"""Checks what an attempt contains besides its facts: samples of tasks, and numbers by name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from itertools import islice
from math import isfinite
from typing import NamedTuple

from django.utils.translation import gettext

from leaderboard.facts import known_facts
from leaderboard.languages.translation import translated
from leaderboard.models import Evidence, ScoringConfig
from leaderboard.rules.rewards.evidence import ONLY_REWARD, Sample
from leaderboard.rules.rewards.intervals import Interval
from leaderboard.rules.rewards.reducible import SCRIPT
from leaderboard.rules.rewards.samples import MAX_NAME, MAX_REWARDS, MAX_SAMPLES
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.value_names import VALUE_NAMES, is_value_name
from leaderboard.schemas.metrics import MetricSpec, spec_of
from leaderboard.schemas.text_metrics import text_spec_of
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.metric_names import line_to_add
from leaderboard.services.evaluation.reported_values import is_reported
from leaderboard.services.evaluation.value_bounds import impossible, value_bounds

MAX_CELLS = 2_000_000
"""The most samples times names of rewards, because metrics read them all."""
MAX_VALUES = 100
MAX_NAMED = 20
"""The most wrong rewards that an error lists."""

RewardsByTask = Mapping[str, Sequence[float | None]]
SamplePlace = Callable[[int, Sample], str]
"""The path, in the request, of the sample at a position."""
RewardPlace = Callable[[int, Sample, str], str]
"""The path, in the request, of a reward of a sample."""


class StoredSamples(NamedTuple):
    """The samples of an attempt as they are stored, and their number."""

    packed: bytes
    number: int


def samples_of(
    config: ScoringConfig, samples: Sequence[Sample], task_rewards: RewardsByTask
) -> StoredSamples | None:
    """The samples to save beside an attempt that is submitted under a config, or None.

    Raises ServiceError with the path of the first wrong field, such as `samples.3.task` or
    `task_rewards.task-1.0`.
    """
    if samples and task_rewards:
        raise invalid("task_rewards", gettext("must be absent beside samples; got both"))
    if task_rewards:
        return _of_task_rewards(config, task_rewards)
    if not samples:
        return None
    _check_number(len(samples), "samples")
    samples = list(samples)  # a file's samples may be made anew on each iteration
    first = {sample.task: at for at, sample in reversed(list(enumerate(samples)))}
    for task in reversed(first):
        _check_task(config, task, f"samples.{first[task]}.task")
    _check_rewards(samples)
    _check_samples(config, samples, lambda at, sample: f"samples.{at}.sample")
    _check_bounds(config, samples, lambda at, sample, name: f"samples.{at}.rewards.{name}")
    return StoredSamples(Evidence.pack(samples), len(samples))


def _of_task_rewards(config: ScoringConfig, task_rewards: RewardsByTask) -> StoredSamples:
    for task in task_rewards:
        _check_task(config, task, f"task_rewards.{task}")
    samples = list(_samples_of(task_rewards))
    _check_samples(config, samples, lambda _, sample: f"task_rewards.{sample.task}")
    _check_bounds(
        config, samples, lambda _, sample, name: f"task_rewards.{sample.task}.{sample.sample}"
    )
    return StoredSamples(Evidence.pack(samples, tasks=list(task_rewards)), len(samples))


def _samples_of(task_rewards: RewardsByTask) -> Iterator[Sample]:
    for task, values in task_rewards.items():
        for number, value in enumerate(values):
            yield Sample(task, number, None if value is None else {ONLY_REWARD: value})


def _check_task(config: ScoringConfig, name: str, place: str) -> None:
    if not 1 <= len(name) <= MAX_NAME or not name.isprintable():
        text = gettext("must have 1 to {max_name} characters that can be seen")
        raise invalid(place, text.format(max_name=MAX_NAME), got=name)
    if not config.knows_task(name):
        raise invalid(place, gettext("must be a task of this challenge"), got=name)


def _check_rewards(samples: Sequence[Sample]) -> None:
    names: set[str] = set()
    for at, sample in enumerate(samples):
        for name in sample.rewards or ():
            if name not in names and not (1 <= len(name) <= MAX_NAME and name.isprintable()):
                text = gettext("must have names of 1 to {most} characters that can be seen")
                raise invalid(f"samples.{at}.rewards", text.format(most=MAX_NAME), got=name)
            names.add(name)
    if len(names) > MAX_REWARDS or len(names) * len(samples) > MAX_CELLS:
        text = gettext(
            "must have at most {rewards} rewards, and {cells} samples times rewards; "
            "got {count} rewards"
        )
        raise invalid(
            "samples", text.format(rewards=MAX_REWARDS, cells=MAX_CELLS, count=len(names))
        )


def _check_samples(config: ScoringConfig, samples: Sequence[Sample], place: SamplePlace) -> None:
    if samples:
        _check_number(len(samples), place(0, samples[0]).split(".", 1)[0])
    keys: set[tuple[str, int]] = set()
    for at, sample in enumerate(samples):
        key = sample.task, sample.sample
        if key in keys:
            text = gettext("must have another number for each sample of {task}; got {number} twice")
            raise invalid(place(at, sample), text.format(task=key[0], number=key[1]))
        keys.add(key)
    if config.num_samples is not None:
        _check_counts(config.num_samples, samples, place)


def _check_number(count: int, field: str) -> None:
    if count > MAX_SAMPLES:
        text = gettext("must be at most {most} samples; got {count}")
        raise invalid(field, text.format(most=MAX_SAMPLES, count=count))


def _check_counts(most: int, samples: Sequence[Sample], place: SamplePlace) -> None:
    counts = Counter(sample.task for sample in samples)
    if max(counts.values(), default=0) <= most:
        return
    counted: Counter[str] = Counter()
    for at, sample in enumerate(samples):
        counted[sample.task] += 1
        if counted[sample.task] > most:
            text = gettext("must be at most {most} samples of {task}; got {count}")
            count = counts[sample.task]
            raise invalid(place(at, sample), text.format(most=most, task=sample.task, count=count))


def _check_bounds(config: ScoringConfig, samples: Sequence[Sample], place: RewardPlace) -> None:
    """Refuse rewards outside the declared bounds; the error names up to 20 of them."""
    if config.reward_bounds:
        fields = dict(islice(_rewards_out_of_bounds(config, samples, place), MAX_NAMED))
        if fields:
            at, texts = next(iter(fields.items()))
            raise ServiceError("invalid", f"{at}: {texts[0]}", fields)


def _rewards_out_of_bounds(
    config: ScoringConfig, samples: Sequence[Sample], place: RewardPlace
) -> Iterator[tuple[str, list[str]]]:
    declared = config.reward_bounds
    for at, sample in enumerate(samples):
        for name, value in (sample.rewards or {}).items():
            if value is None or name not in declared or declared[name].holds(value):
                continue
            text = gettext(
                "{name} of task {task}, sample {number}, must be {range}; got {value}"
            ).format(
                name=name,
                task=sample.task,
                number=sample.sample,
                range=translated(declared[name].range),
                value=repr(value),
            )
            yield place(at, sample, name), [text]


class ReportedValues:
    """Checks reported numbers of attempts under a config.

    The bounds of each accepted name are kept, since most attempts report the same names.
    """

    def __init__(self, config: ScoringConfig, declared: Collection[str] = ()) -> None:
        """declared: names of reported values that the challenge declares."""
        self._config = config
        self._declared = declared
        self._bounds: dict[str, Interval] = {}

    def check(self, values: Mapping[str, float]) -> None:
        """Refuse (ServiceError `invalid`) invalid, reserved or impossible names and values.

        A name is reserved if something else here has it; a value is impossible if the metric of
        that name can never have it.
        """
        if len(values) > MAX_VALUES:
            text = gettext("must be at most {most} values; got {count}")
            raise invalid("values", text.format(most=MAX_VALUES, count=len(values)))
        for name, value in values.items():
            if (bounds := self._bounds.get(name)) is None:
                bounds = self._bounds[name] = self._accepted_bounds(name, value)
            if not isfinite(value):
                raise invalid(f"values.{name}", gettext("must be a finite number"), got=value)
            low, high = bounds
            if not low <= value <= high:
                raise impossible(name, value, bounds)

    def _accepted_bounds(self, name: str, value: float) -> Interval:
        """The bounds of a name. Refuses a name that may not be reported."""
        config = self._config
        if not is_value_name(name) and config.reported_rule(name) == "refuse":
            text = gettext("must have a name of {value_names}").format(
                value_names=translated(VALUE_NAMES)
            )
            raise invalid(f"values.{name[:MAX_NAME]}", text, got=name)
        if name in known_facts():
            text = gettext("must be sent under metrics, not values")
            raise invalid(f"values.{name}", text, got=value)
        if name not in self._declared and (wrong := _why_not_reported(config, name)):
            raise invalid(f"values.{name}", wrong)
        return value_bounds(config, name)


def may_report(config: ScoringConfig, name: str, declared: Collection[str] = ()) -> bool:
    """Whether participants can report a value of this name; see `ReportedValues`."""
    if name in known_facts():
        return False
    return name in declared or not _why_not_reported(config, name)


def _why_not_reported(config: ScoringConfig, name: str) -> str:
    """Why participants cannot report a value of this name; "" if they can."""
    if config.reported_rule(name) != "refuse":
        return _why_no_key(config, name)
    if not is_reported(config, name):
        return _why_computed_here(config, name)
    if name in config.unlisted_names or name in config.ranked_keys:
        return ""
    if line := line_to_add(name):
        return gettext(
            "must not be the name of a metric that this challenge does not list; "
            "got {name}: {advice}"
        ).format(name=sent(name), advice=line)
    config.unlisted_names.add(name)
    return ""


def _why_no_key(config: ScoringConfig, name: str) -> str:
    """Why a metric that accepts reported values has none of this name; "" if it has."""
    spec = spec_of(name, config.metric_specs)
    rewards = config.declared_rewards
    if spec is None or spec.type == SCRIPT or not (spec.reward or rewards):
        return ""
    keys = [key for key, _ in spec.keys(rewards)]
    if name in keys:
        return ""
    return gettext("must be one of {accepted}; got {got}").format(
        accepted=", ".join(keys), got=sent(name)
    )


def _why_computed_here(config: ScoringConfig, name: str) -> str:
    spec = spec_of(name, config.metric_specs) or text_spec_of(name, config.named_specs)
    got = sent(name)
    if spec is None:
        text = gettext("must not be the name of a value that is computed here; got {got}")
        return text.format(got=got)
    if isinstance(spec, MetricSpec) and spec.compares:
        return gettext(
            "must not be the name of a value that compares participants, which is computed here; "
            "got {got}"
        ).format(got=got)
    return gettext(
        "must not be the name of a value that is computed here, unless the challenge's {name} has "
        '"reported": "allow" or "rank"; got {got}'
    ).format(name=spec.name, got=got)
