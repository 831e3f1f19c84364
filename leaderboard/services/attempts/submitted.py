"""What attempts submitted, for organisers: which attempts, their samples and their outputs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from leaderboard.models import Attempt, Challenge, Entry, Evidence, InstanceBlock, Phase, Standing
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.rewards.instances import Instance

BLOCKS_PER_READ = 4
"""Blocks of outputs that are in memory at once."""

KEPT = ("task", "sample", "rewards")
"""What every line of samples has; null rewards are those of a sample that failed."""


class SubmittedFiles(NamedTuple):
    """The lines of samples and of outputs of an attempt, as JSON objects."""

    samples: Iterator[JsonObject]
    outputs: Iterator[JsonObject]


def submitted_attempts(
    challenge: Challenge, phase: Phase | None, *, only_counting: bool
) -> AttemptQuerySet:
    """The attempts of a challenge or of one phase, the oldest first.

    only_counting: only those that stand on a board.
    """
    attempts = challenge.attempts.without_sample(challenge)
    if phase is not None:
        attempts = attempts.filter(phase=phase)
    if only_counting:
        boards = {"board__config": challenge.shown_config_id, "board__until": None}
        attempts = attempts.filter(pk__in=Standing.objects.filter(**boards).values("attempt"))
    return attempts.order_by("submitted_at", "pk")


def members_of(challenge: Challenge) -> Mapping[int, Sequence[str]]:
    """The usernames of the members of each participant, those who joined first in front."""
    entries = Entry.objects.current().filter(challenge=challenge).order_by("joined_at", "pk")
    members: dict[int, list[str]] = {}
    for participant, name in entries.values_list("participant", "user__username"):
        members.setdefault(participant, []).append(name)
    return members


def submitted_files(attempt: Attempt, *, for_everybody: bool = False) -> SubmittedFiles:
    """The samples and the outputs of an attempt, read on demand.

    Samples of tasks that are private until the end of the phase are left out, as on all pages:
    they hold the rewards. Outputs tell nothing of scores to its participant and to organisers.
    for_everybody: leave out outputs of private instances too, because others can compare them with
    public references.
    """
    shows = attempt.challenge.shown.shows(attempt.phase_id)

    def samples() -> Iterator[JsonObject]:
        evidence = Evidence.objects.filter(attempt=attempt).first()
        for sample in evidence.read() if evidence else ():
            if shows is None or shows(sample.task):
                fields = sample._asdict().items()
                yield {name: value for name, value in fields if value or name in KEPT}

    def outputs() -> Iterator[JsonObject]:
        for instance in _instances(attempt.pk):
            if shows is None or not for_everybody or shows(str(instance.id)):
                yield _line(instance)

    return SubmittedFiles(samples(), outputs())


def _instances(attempt: UUID) -> Iterator[Instance]:
    blocks = InstanceBlock.objects.filter(evaluation=attempt).order_by("number")
    for block in blocks.iterator(chunk_size=BLOCKS_PER_READ):
        yield from map(Instance.of, block.rows())


def _line(instance: Instance) -> JsonObject:
    """What was submitted for an instance: without references of its own it has outputs alone."""
    line: JsonObject = {"id": instance.id, "outputs": list(instance.outputs)}
    if instance.input:
        line["input"] = instance.input
    if instance.references:
        line["references"] = list(instance.references)
    return line | dict(instance.extra)
