"""Claims: one worker owns an attempt until its lease expires.

Any process may be killed at any line. A claim is one conditional UPDATE that writes a lease and a
fencing token. Each save of the worker needs the token, so that no result is saved twice or late.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final
from uuid import UUID, uuid4

from django.conf import settings
from django.db.models import Case, F, Q, When
from django.db.models.functions import Least, Now

from leaderboard.models import Attempt, ScoringConfig
from leaderboard.models.attempt import AttemptQuerySet
from leaderboard.models.built_once import Lookup, Update, Values
from leaderboard.services.board.standings.versions import bump_versions_of_phases, first_submissions
from leaderboard.services.challenges.read import read_challenge
from leaderboard.services.evaluation.time_slices import LEASE

MAX_DELIVERIES: Final[int] = settings.MAX_DELIVERIES
GRACE = timedelta(seconds=5)
PER_SAMPLE = timedelta(milliseconds=1)
"""The lease's extra time for each sample: a hundred times what a metric needs."""

CLAIMED_WITH = ("participant", "phase", "scoring_config", "challenge__tenant")
"""The rows that scoring needs beside an attempt. Usually its config is also the board's."""
_LIMITS = Values(
    lambda pk: Attempt.objects.filter(pk=pk).values_list(
        "instance_count",
        "runs_program",
        "sample_count",
        "scoring_config__timeout_ms",
        "challenge__shown_config__timeout_ms",
    ),
    pk=UUID,
)
_CLAIM = Update(
    lambda pk, token, lease: (
        Attempt.objects.filter(pk=pk, deliveries__lt=MAX_DELIVERIES).filter(
            Q(status=Attempt.Status.QUEUED)
            | Q(status=Attempt.Status.SCORING, lease_until__lt=Now())
        ),
        {
            "status": Attempt.Status.SCORING,
            "lease_token": token,
            "lease_until": Now() + lease,
            "deliveries": F("deliveries") + 1,
            # What arrives once a long attempt has begun must not be due before it.
            "due_at": Case(
                When(instance_count=None, then=F("due_at")), default=Least(F("due_at"), Now())
            ),
        },
    ),
    pk=UUID,
    token=UUID,
    lease=timedelta,
)
_CLAIMED = Lookup(lambda pk: Attempt.objects.filter(pk=pk).select_related(*CLAIMED_WITH), pk=UUID)
LEASE_OF_ATTEMPT: Final = """CASE
    WHEN instance_count IS NOT NULL OR runs_program THEN CAST(%s AS interval)
    ELSE CAST(%s AS interval) + coalesce(sample_count, 0) * CAST(%s AS interval)
         + interval '1 millisecond' * (
             (SELECT own.timeout_ms FROM leaderboard_scoringconfig own
              WHERE own.id = leaderboard_attempt.scoring_config_id)
             + (SELECT shown.timeout_ms FROM leaderboard_challenge challenge
                JOIN leaderboard_scoringconfig shown ON shown.id = challenge.shown_config_id
                WHERE challenge.id = leaderboard_attempt.challenge_id))
    END"""
"""The length of an attempt's lease, in the SQL of PostgreSQL; `claim` computes the same."""
LEASE_PARAMETERS: Final = (LEASE, GRACE, PER_SAMPLE)
_FINISH = Update(
    lambda pk, token, status: (
        _in_hand(pk, token),
        {"status": status, "finished_at": Now(), "lease_token": None, "lease_until": None},
    ),
    pk=UUID,
    token=UUID,
    status=str,
)


@dataclass(frozen=True, slots=True)
class Claim:
    """An attempt that this worker has claimed, as long as its row contains `token`."""

    attempt: Attempt
    token: UUID
    since: float = field(default_factory=time.monotonic)

    @property
    def count(self) -> int:
        """The number of attempts in the claim."""
        return 1

    @property
    def log_fields(self) -> dict[str, str]:
        """The fields of all log lines that are written during the work on the claim."""
        return {"request_id": self.attempt.request_id, "attempt": str(self.attempt.pk)}

    def request_id_of(self, attempt_id: UUID) -> str:
        """The id of the request that queued an attempt of the claim; "" if there was none."""
        return self.attempt.request_id

    @property
    def rows(self) -> AttemptQuerySet:
        """The row of the attempt; none once the claim has expired."""
        return _in_hand(self.attempt.pk, self.token)

    def finish(self, status: Attempt.Status) -> bool:
        """End the claim with a result. False if the lease has expired."""
        return bool(_FINISH.run(pk=self.attempt.pk, token=self.token, status=status.value))

    def keep(self, stored: bool) -> bool:
        """Renew the lease of an evaluation.

        A worker that stored blocks is alive, so the delivery count starts again.
        """
        changes: dict[str, int] = {"deliveries": 1} if stored else {}
        return bool(self.rows.update(lease_until=Now() + LEASE, **changes))

    def keep_to_the_end(self, extra: timedelta) -> None:
        """Renew the lease after the evaluation: for the rest of scoring, and `extra`."""
        attempt = self.attempt
        limits = attempt.scoring_config.timeout_ms, attempt.challenge.shown.timeout_ms
        self.rows.update(lease_until=Now() + _lease(attempt.sample_count, *limits) + extra)

    def keep_longer(self, extra: timedelta) -> None:
        self.rows.update(lease_until=F("lease_until") + extra)

    def release(self) -> None:
        """End the lease, so that an evaluation waits for its next time slice.

        The delivery count starts again, because no worker was lost.
        """
        self.rows.update(lease_token=None, lease_until=Now(), deliveries=0)

    def hold(self) -> None:
        """Let the attempt wait for an organiser."""
        first = first_submissions(self.rows)
        held = self.rows.update(
            status=Attempt.Status.HELD,
            lease_token=None,
            lease_until=None,
            deliveries=F("deliveries") - 1,
        )
        if held:  # The board shows how many attempts wait for an organiser.
            bump_versions_of_phases(self.attempt.challenge_id, first)

    def read_challenge_again(self) -> None:
        """Reload the challenge, because its board has changed since the claim."""
        self.attempt.challenge = read_challenge(self.attempt.challenge_id)

    def move_to(self, config: ScoringConfig) -> None:
        """Move an attempt without a score to a newer config than that of its submission."""
        self.rows.update(scoring_config=config)
        self.attempt.scoring_config = config

    def lose(self) -> None:
        """Let the attempt wait again as if this worker were lost: the claim counts as a delivery.

        For the kernel's killing of sandboxes, which the attempt may have caused.
        """
        self.rows.update(lease_until=Now())

    def give_back(self) -> None:
        """Queue the attempt again without counting a delivery: its scorer was not called."""
        self.rows.update(
            status=Attempt.Status.QUEUED,
            lease_token=None,
            lease_until=None,
            deliveries=F("deliveries") - 1,
        )


def claim(attempt_id: UUID) -> Claim | None:
    """Claim a waiting attempt; None if it does not wait.

    This is one conditional UPDATE, so that only one of several workers gets the attempt.
    """
    token = uuid4()
    limits = _LIMITS.all(pk=attempt_id)
    if not limits:
        return None
    instances, runs_program, samples, *milliseconds = limits[0]
    is_renewed = instances is not None or runs_program
    lease = LEASE if is_renewed else _lease(samples, *milliseconds)
    claimed = _CLAIM.run(pk=attempt_id, token=token, lease=lease)
    return Claim(read_claimed(attempt_id), token) if claimed else None


def take_over(attempt_id: UUID) -> Claim | None:
    """Claim an attempt that has no result yet, even if a worker is scoring it.

    The result of that worker is then dropped, because the row has another token.
    """
    token = uuid4()
    status = Attempt.Status
    unfinished = Attempt.objects.filter(
        pk=attempt_id, status__in=(status.QUEUED, status.HELD, status.SCORING)
    )
    taken = unfinished.update(
        status=Attempt.Status.SCORING, lease_token=token, lease_until=Now() + LEASE
    )
    return Claim(read_claimed(attempt_id), token) if taken else None


def read_claimed(attempt_id: UUID) -> Attempt:
    """Load an attempt with all rows that scoring needs."""
    attempt = _CLAIMED.get(pk=attempt_id)
    challenge, own = attempt.challenge, attempt.scoring_config
    if {challenge.newest_config_id, challenge.shown_config_id} != {own.pk}:
        attempt.challenge = challenge = read_challenge(challenge.pk)
    challenge.share(own)
    return attempt


def _in_hand(attempt_id: UUID, token: UUID) -> AttemptQuerySet:
    scoring = Attempt.Status.SCORING
    return Attempt.objects.filter(pk=attempt_id, status=scoring, lease_token=token)


def _lease(samples: int | None, *limits: int) -> timedelta:
    """The length of a lease. limits: the time limits of scorers in milliseconds, one per config."""
    return timedelta(milliseconds=sum(limits)) + GRACE + (samples or 0) * PER_SAMPLE
