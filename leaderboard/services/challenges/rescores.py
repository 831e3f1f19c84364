"""Beginning a rescore (a config and slices of all attempts), and its progress.

The work on slices is in `scoring`: a worker that scores an attempt may begin a rescore too.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from django.db import transaction
from django.db.models import Sum
from django.db.models.functions import Now

from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, RescoreSlice, ScoringConfig, User
from leaderboard.operating.request_ids import current_request_id
from leaderboard.rules.json.values import JsonObject
from leaderboard.services.attempts.waiting import place_anew
from leaderboard.services.board.editions import has_other_code
from leaderboard.services.board.standings.versions import bump_versions_of_phases, first_submissions
from leaderboard.services.challenges.scoring_configs import next_config
from leaderboard.services.competition.audit import AuditKind, record
from leaderboard.services.events.record import EventKind, record_event

NOTIFICATIONS = 8
SMALLEST_SLICE, LARGEST_SLICE, SLICES_TO_SHOW = 100, 1000, 25
INSTANCES_PER_SLICE = 5000
"""The most instances of the attempts in a slice, so that several workers share them."""


@dataclass(frozen=True, slots=True)
class RescoreProgress:
    """The progress of a rescore: attempts scored under the new config, of all.

    finished: nothing more is scored. replaced: because another rescore was begun, so that the board
    never shows this version.
    """

    done: int
    total: int
    finished: bool
    replaced: bool = False


def begin_rescore(challenge: Challenge, *, user: User | None = None) -> tuple[ScoringConfig, int]:
    """Begin to score every attempt under the challenge's newest scoring config.

    If the board already shows the newest config, it gets a new revision with the same contents, so
    that earlier scores stay unchanged; the same holds for a config with scores by plugins of other
    code than the current one. Returns the config and the number of attempts. A second call during
    the rescore changes nothing, unless the code has changed since. Held attempts wait again.
    """
    with transaction.atomic():
        locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
        config = locked.newest
        is_outdated = has_other_code(config)
        if is_outdated or not config.is_rescoring:
            if is_outdated or config.pk == locked.shown_config_id:
                config = next_config(locked, config, user=user)
            _begin(locked, config, user)
        total = config.rescore_total
        free_held(locked)
        transaction.on_commit(lambda: queue.notify_of_rescore(config.pk, NOTIFICATIONS))
    return config, total


def free_held(challenge: Challenge) -> int:
    """Let held attempts wait for a worker again, which checks the code again.

    They get new places, so that participants continue to take turns.
    """
    freed = Attempt.objects.held().filter(challenge=challenge)
    place_anew(freed)
    first = first_submissions(freed)
    count = freed.update(status=Attempt.Status.QUEUED, queued_at=Now())
    if count:
        bump_versions_of_phases(challenge.pk, first)
        transaction.on_commit(lambda: queue.notify_workers(min(count, NOTIFICATIONS)))
    return count


def _begin(challenge: Challenge, config: ScoringConfig, user: User | None) -> None:
    """Cut the attempts into slices by id. Replaces an older rescore that still runs."""
    replaced = list(challenge.configs.rescoring().exclude(pk=config.pk))
    for other in replaced:
        other.slices.all().delete()
        ScoringConfig.objects.filter(pk=other.pk).update(rescore_finished_at=Now())
    record(
        challenge.pk,
        AuditKind.SCORING,
        by=user,
        before={"rescored_version": replaced[-1].number if replaced else None},
        after={"rescored_version": config.number},
    )
    slices = list(cut(challenge, config))
    RescoreSlice.objects.bulk_create(slices, batch_size=1000)
    config.rescore_total = sum(slice_.attempts for slice_ in slices)
    ScoringConfig.objects.filter(pk=config.pk).update(
        rescore_started_at=Now(),
        rescore_finished_at=None,
        rescore_total=config.rescore_total,
        rescore_request_id=current_request_id(),
    )
    Challenge.objects.bump(challenge.pk)
    body: JsonObject = {"version": config.number, "attempts": config.rescore_total}
    if replaced:
        body["replaces"] = replaced[-1].number
    record_event(challenge.pk, EventKind.RESCORE_BEGUN, body)


def cut(challenge: Challenge, config: ScoringConfig) -> Iterator[RescoreSlice]:
    """Slices small enough to show progress, and large enough to be stored in one transaction."""
    everything = Attempt.objects.filter(challenge=challenge).order_by("pk")
    size = _size(everything.count(), everything.aggregate(sum=Sum("instance_count"))["sum"] or 0)
    ids = everything.values_list("pk", flat=True).iterator(chunk_size=10_000)
    while piece := list(islice(ids, size)):
        yield RescoreSlice(config=config, first=piece[0], last=piece[-1], attempts=len(piece))


def _size(attempts: int, instances: int) -> int:
    size = max(SMALLEST_SLICE, min(LARGEST_SLICE, attempts // SLICES_TO_SHOW))
    return max(1, min(size, INSTANCES_PER_SLICE * attempts // instances)) if instances else size


def progress_of(config: ScoringConfig) -> RescoreProgress:
    """The progress, counted by slices: cheap at any size, and never more than what is done."""
    done = config.slices.filter(done=True).aggregate(sum=Sum("attempts"))["sum"] or 0
    finished, total = config.rescore_finished_at is not None, config.rescore_total
    replaced = finished and config.switched_at is None
    return RescoreProgress(total if finished and not replaced else done, total, finished, replaced)
