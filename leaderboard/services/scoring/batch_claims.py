"""Claims of many attempts at once: history that an organiser imports, or one participant's bulk.

A batch has one lease and one fencing token for all of its attempts. All attempts have the same
tenant and the same scoring config, and are next to one another in the queue. They share a child of
the sandbox, so fresh attempts of several participants are never in one batch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from functools import cached_property
from itertools import takewhile
from typing import Final
from uuid import UUID, uuid4

from django.db.models import F, Q
from django.db.models.functions import Now

from leaderboard.models import Attempt
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.built_once import Values
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore, attempts_to_score
from leaderboard.services.evaluation.metrics import longest
from leaderboard.services.predictions.values import longest_measuring
from leaderboard.services.scoring.claims import GRACE, PER_SAMPLE, Claim, read_claimed

FIRST, LEAST, MOST = 100, 2, 1000
"""The number of attempts in the first batch under a config, and the limits for all batches."""
LEAST_OF_BULK = 10
"""The least attempts of a bulk that make a batch: fewer would save nothing, because some are scored
in children of their own anyway."""
GROWTH = 4
AFTER_LOSSES: Final = {1: 30, 2: 1}
"""The size of a batch of attempts that were claimed before, by how often they were claimed. Each
time a worker is lost, the next batch is smaller, so that only the attempt that kills workers is
given up."""
LEASE = 2 * GRACE

_sizes: dict[int, int] = {}
"""How many attempts of a config this process scores in the time of a batch, by config id."""
MOST_SIZES = 1000

_FIRST = Values(
    lambda pk: Attempt.objects.filter(pk=pk).values_list(
        "scoring_config_id",
        "deliveries",
        "priority",
        "scoring_config__timeout_ms",
        "challenge__shown_config__timeout_ms",
    ),
    pk=UUID,
)


@dataclass(frozen=True)
class BatchClaim(Claim):
    """Attempts that this worker has claimed, as long as their rows contain `token`.

    `attempt` is the first of them. Methods of `Claim` apply to all attempts without a result.
    """

    lease: timedelta = LEASE
    request_ids: Mapping[UUID, str] = field(default_factory=dict)

    @property
    def log_fields(self) -> dict[str, str]:
        """The request id, if all attempts came with the same request."""
        first, *further_ids = {*self.request_ids.values()} or {""}
        return {"request_id": "" if further_ids else first}

    def request_id_of(self, attempt_id: UUID) -> str:
        return self.request_ids[attempt_id]

    @property
    def participant_id(self) -> int | None:
        """The participant whose bulk this is; None for history."""
        is_history = self.attempt.priority == Attempt.Priority.HISTORY
        return None if is_history else self.attempt.participant_id

    @property
    def rows(self) -> AttemptQuerySet:
        """The claimed attempts that have no result yet."""
        leased = Attempt.objects.leased().filter(status=Attempt.Status.SCORING)
        return leased.filter(lease_token=self.token)

    @cached_property
    def attempts(self) -> list[AttemptToScore]:
        """The claimed attempts, in the order of the queue."""
        return attempts_to_score(self.rows.order_by("due_at"))

    @property
    def count(self) -> int:
        return len(self.attempts)

    def keep(self, stored: bool = False) -> bool:
        """Renew the lease for as long as one attempt may take. False if the lease is lost."""
        samples = max((attempt.sample_count or 0 for attempt in self.attempts), default=0)
        config = self.attempt.scoring_config
        extra = longest(config) + longest_measuring(config) + samples * PER_SAMPLE
        return bool(self.rows.update(lease_until=Now() + self.lease + extra))

    def finish_each(self, statuses: Mapping[UUID, Attempt.Status]) -> bool:
        """End the claim of some attempts with results.

        False if the claim of one of them is lost.
        """
        ended = 0
        for status in set(statuses.values()):
            those = [pk for pk, its in statuses.items() if its == status]
            ended += self.rows.filter(pk__in=those).update(
                status=status, finished_at=Now(), lease_token=None, lease_until=None
            )
        return ended == len(statuses)


def claim_batch(first: UUID, tenant_id: int) -> BatchClaim | None:
    """Claim a waiting attempt, and later ones that can be scored together with it.

    None if the attempt has to be scored alone. Call it in the transaction that found the attempt.
    """
    rows = _FIRST.all(pk=first)
    if not rows:
        return None
    config_id, deliveries, priority, *milliseconds = rows[0]
    size = AFTER_LOSSES.get(deliveries) or _sizes.get(config_id, FIRST)
    if priority == Attempt.Priority.HISTORY:
        least, request_ids = LEAST, _next_to(tenant_id, config_id, deliveries, size)
    else:
        least, request_ids = LEAST_OF_BULK, _bulk_from(first, tenant_id, size)
    if first not in request_ids or len(request_ids) < least:
        return None
    token, lease = uuid4(), LEASE + timedelta(milliseconds=sum(milliseconds))
    Attempt.objects.filter(pk__in=list(request_ids)).update(
        status=Attempt.Status.SCORING,
        lease_token=token,
        lease_until=Now() + lease,
        deliveries=F("deliveries") + 1,
    )
    return BatchClaim(read_claimed(first), token, lease=lease, request_ids=request_ids)


def learn_size(config_id: int, *, claimed: int, scored: int, possible: int) -> None:
    """Choose a size for the config's next batch that fits into the time of a batch.

    possible: how many attempts would have fitted, at the speed of those that were scored.
    """
    size = scored
    if scored == claimed:
        size = min(possible, max(claimed * GROWTH, _sizes.get(config_id, FIRST)))
    if len(_sizes) >= MOST_SIZES:
        _sizes.clear()
    _sizes[config_id] = min(max(size, LEAST), MOST)


def score_alone(config_id: int) -> None:
    """Let this process score each attempt of a config by itself, without a batch."""
    _sizes[config_id] = 1


def _next_to(tenant_id: int, config_id: int, deliveries: int, size: int) -> dict[UUID, str]:
    """Lock the first waiting history of a tenant and config; returns request ids by attempt id.

    Skips rows that other transactions have locked.
    """
    ready = Q(status=Attempt.Status.QUEUED) | Q(lease_until__lt=Now())
    if size < LEAST:
        return {}
    waiting = Attempt.objects.unfinished().short().filter(ready, tenant=tenant_id)
    # `+ 0` keeps PostgreSQL from using the index of configs: until it has statistics of a new
    # config, it expects no attempts there, and would read and sort all of them.
    history = waiting.alias(config=F("scoring_config_id") + 0).filter(
        priority=Attempt.Priority.HISTORY, config=config_id, deliveries=deliveries
    )
    locked = history.select_for_update(skip_locked=True).order_by("priority", "due_at")
    return dict(locked.values_list("pk", "request_id")[:size])


def _bulk_from(first: UUID, tenant_id: int, size: int) -> dict[UUID, str]:
    """Lock the next fresh attempts of a tenant's queue, as long as they are like the first one.

    Like it: of the same participant and config, and claimed as often. Returns request ids by
    attempt id, without attempts if another one comes first.
    """
    if size < LEAST_OF_BULK:
        return {}
    ready = Q(status=Attempt.Status.QUEUED) | Q(lease_until__lt=Now())
    waiting = Attempt.objects.unfinished().short().filter(ready, tenant=tenant_id)
    fresh = waiting.filter(priority=Attempt.Priority.FRESH)
    locked = fresh.select_for_update(skip_locked=True).order_by("priority", "due_at")
    kind = ("participant_id", "scoring_config_id", "deliveries")
    next_rows = list(locked.values_list("pk", "request_id", *kind)[:size])
    if not next_rows or next_rows[0][0] != first:
        return {}
    alike = takewhile(lambda row: row[2:] == next_rows[0][2:], next_rows)
    return {pk: request_id for pk, request_id, *_ in alike}
