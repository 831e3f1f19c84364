"""What people see of samples that they label: texts, neither names nor numbers of the judge."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from typing import Final, NamedTuple
from uuid import UUID

from cryptography.fernet import InvalidToken
from django.db.models import Count
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, HumanLabel, Participant, RunFacts, User
from leaderboard.operating.sealing import sealed, unsealed
from leaderboard.rules.statistics.judged import Place
from leaderboard.schemas.labels import NewLabel
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.evaluation.instances import Instances
from leaderboard.services.scoring.labels.labelling import (
    drawn_places,
    labelled_evidence,
    store_labels,
)

MOST_ATTEMPTS: Final = 50
"""The first ranked rows of the board: the attempts whose samples the page shows."""
PURPOSE: Final = "sample to label"
SHOWN_FOR: Final = timedelta(days=1)


class SampleToLabel(NamedTuple):
    """A drawn sample. rewards: those that a label is needed for. output: "" if it is not stored.

    run_id: its id in the tool that ran it, "" if it is unknown.
    """

    place: Place
    rewards: list[str]
    input: str = ""
    output: str = ""
    references: Sequence[str] = ()
    run_id: str = ""


class StoredLabel(NamedTuple):
    """A label as it is stored."""

    reward: str
    labeller: str
    value: float
    at: datetime


class NextSample(NamedTuple):
    """What a labeller is asked next. token: names the sample, encrypted."""

    sample: SampleToLabel
    token: str


def samples_to_label(attempt: Attempt) -> list[SampleToLabel]:
    """The drawn samples of an attempt in their order, with their texts.

    Raises ServiceError (`conflict`).
    """
    return _with_texts(attempt, _open_rewards(attempt, ()))


def labels_of(attempt: Attempt) -> dict[Place, list[StoredLabel]]:
    """All labels of an attempt, by sample."""
    labels: dict[Place, list[StoredLabel]] = {}
    for one in HumanLabel.objects.filter(attempt=attempt.pk).order_by("pk"):
        stored = StoredLabel(one.reward, one.labeller, one.value, one.at)
        labels.setdefault((one.task, one.sample), []).append(stored)
    return labels


def labelled_by(user: User, challenge: Challenge) -> int:
    """How many samples a user has labelled."""
    mine = HumanLabel.objects.filter(attempt__challenge=challenge, labeller=_labeller(user))
    return mine.values("attempt", "task", "sample").distinct().count()


def next_sample(board: VisibleBoard, user: User, *, skipped: int = 0) -> NextSample | None:
    """The next sample that the user has not labelled, without their own; None if there is none.

    Attempts take turns, so that a labeller does not read many outputs of one system in a row.
    skipped: how many open samples of the attempt the user has put off.
    """
    entries = board.ranked_attempts(MOST_ATTEMPTS)
    own = set(Participant.objects.of(user).values_list("pk", flat=True))
    ids = [attempt for participant, attempt in entries if participant not in own]
    mine = HumanLabel.objects.filter(attempt__in=ids, labeller=_labeller(user))
    counts = dict(mine.values_list("attempt").annotate(Count("pk")))
    attempts = Attempt.objects.select_related("challenge__shown_config").in_bulk(ids)
    for attempt in sorted(attempts.values(), key=lambda one: (counts.get(one.pk, 0), _mixed(one))):
        labels = mine.filter(attempt=attempt.pk).values_list("task", "sample", "reward")
        try:
            rewards = _open_rewards(attempt, set(labels))
        except ServiceError:
            continue
        if rewards:
            place = list(rewards)[skipped % len(rewards)]
            (sample,) = _with_texts(attempt, {place: rewards[place]})
            token = sealed(json.dumps([attempt.pk.hex, user.pk, *place]), PURPOSE)
            return NextSample(sample, token)
    return None


def label(challenge: Challenge, user: User, token: str, values: Mapping[str, float]) -> Place:
    """Store the labels of a sample that the user was shown, by reward. Raises ServiceError."""
    attempt, place = _named_by(challenge, user, token)
    labels = [
        NewLabel(
            task=place[0], sample=place[1], reward=reward, value=value, labeller=_labeller(user)
        )
        for reward, value in values.items()
    ]
    store_labels(attempt, labels, by=user)
    return place


def judge_says(challenge: Challenge, user: User, token: str) -> Mapping[str, float]:
    """The judge's numbers of a sample, for a user who has labelled it."""
    attempt, place = _named_by(challenge, user, token)
    for sample in labelled_evidence(attempt).read():
        if (sample.task, sample.sample) == place:
            rewards = sample.rewards or {}
            names = challenge.shown.judged_rewards
            return {
                name: value
                for name, value in rewards.items()
                if name in names and value is not None
            }
    return {}


def _named_by(challenge: Challenge, user: User, token: str) -> tuple[Attempt, Place]:
    """The sample that a token names. Raises ServiceError (`invalid`)."""
    wrong = _("must be of a sample that you were shown within a day; got another one")
    try:
        stored = json.loads(unsealed(token, PURPOSE, seconds=int(SHOWN_FOR.total_seconds())))
    except (InvalidToken, ValueError):
        raise invalid("token", wrong) from None
    attempt_id, labeller, task, number = stored
    attempts = Attempt.objects.select_related("participant", "challenge__shown_config")
    attempt = attempts.filter(pk=UUID(attempt_id), challenge=challenge).first()
    if attempt is None or labeller != user.pk:
        raise invalid("token", wrong)
    return attempt, (task, number)


def _open_rewards(
    attempt: Attempt, but: Collection[tuple[str, int, str]]
) -> dict[Place, list[str]]:
    """The rewards that need a label, by drawn sample, in the order of the draw."""
    evidence = labelled_evidence(attempt)
    drawn = drawn_places(attempt, attempt.challenge.shown, evidence)
    rewards: dict[Place, list[str]] = {}
    # Rewards share samples, and place by place each comes as early as any reward needs it.
    for _at, place, reward in sorted(_in_order(drawn), key=lambda entry: entry[0]):
        if (*place, reward) not in but:
            rewards.setdefault(place, []).append(reward)
    return rewards


def _in_order(drawn: Mapping[str, Sequence[Place]]) -> Iterator[tuple[int, Place, str]]:
    for reward, places in drawn.items():
        for at, place in enumerate(places):
            yield at, place, reward


def _with_texts(attempt: Attempt, rewards: Mapping[Place, list[str]]) -> list[SampleToLabel]:
    texts, ids = _texts(attempt, list(rewards)), _run_ids(attempt)
    return [
        SampleToLabel(place, names, *texts.get(place, ("", "", ())), ids.get(place, ""))
        for place, names in rewards.items()
    ]


def _texts(
    attempt: Attempt, places: Sequence[Place]
) -> dict[Place, tuple[str, str, Sequence[str]]]:
    """Input, output and references of samples whose task is an instance of the attempt."""
    if attempt.instance_count is None:
        return {}
    instances = Instances(attempt.pk, attempt.challenge.shown, attempt.phase_id)
    wanted = {task for task, _number in places}
    at = {
        str(name): (block, position)
        for block, names in enumerate(instances.ids())
        for position, name in enumerate(names)
        if str(name) in wanted
    }
    texts: dict[Place, tuple[str, str, Sequence[str]]] = {}
    for task, number in places:
        if task in at:
            block, position = at[task]
            instance = instances.pick({block: [position]})[block][0]
            output = instance.outputs[number] if number < len(instance.outputs) else ""
            texts[task, number] = instance.input, output, instance.references
    return texts


def _run_ids(attempt: Attempt) -> dict[Place, str]:
    facts = RunFacts.objects.filter(pk=attempt.pk).first()
    runs = facts.read()[1] if facts else {}
    return {place: run["id"] for place, run in runs.items() if "id" in run}


def _labeller(user: User) -> str:
    return f"account:{user.pk}"


def _mixed(attempt: Attempt) -> bytes:
    """An order of attempts that says nothing about their ranks."""
    return sha256(attempt.pk.bytes).digest()
