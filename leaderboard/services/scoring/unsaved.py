"""Results that could not be saved, and claims that could not be given back.

The process that has computed a result keeps it with its lease, and a thread tries to save it until
that succeeds, or another worker has the attempt. The worker was not lost, so the claim does not
count as a delivery. If the process ends, the lease expires and another worker scores the attempt.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Final
from uuid import UUID

from django.db import DatabaseError, connection, transaction
from django.db.models import F, Value
from django.db.models.functions import Greatest, Now

from leaderboard.models import Attempt
from leaderboard.operating import outages
from leaderboard.operating.request_ids import caused_by
from leaderboard.rules.noop import noop
from leaderboard.services.evaluation.time_slices import LeaseLost
from leaderboard.services.scoring.batch_claims import BatchClaim
from leaderboard.services.scoring.blocked_boards import block, looking_for_holders, unblock
from leaderboard.services.scoring.claims import Claim
from leaderboard.services.transactions import BoardSwitched

logger = logging.getLogger(__name__)

LEASE: Final = timedelta(seconds=30)
"""How long an attempt belongs to the process that keeps its result, after each try to save it."""
FIRST_PAUSE: Final = 0.5
LONGEST_PAUSE: Final = 4.0
"""The seconds between two tries, which double from the first to the longest pause."""
MOST_RESULTS: Final = 1000
"""The attempts whose results a process keeps. Others are scored again."""
MOST_CLAIMS: Final = 16
"""A process that has so many unsaved claims claims no further attempt."""


@dataclass
class Unsaved:
    """A claim that has not ended. save: saves its results in a transaction; None: gives it back.

    saved: called after `save`. is_counted: whether the claim still counts as a delivery.
    """

    claimed: Claim
    save: Callable[[], object] | None
    saved: Callable[[], object] = noop
    is_counted: bool = True

    @property
    def challenge_id(self) -> UUID:
        return self.claimed.attempt.challenge_id

    @property
    def attempt_ids(self) -> list[UUID]:
        claimed = self.claimed
        return [*claimed.request_ids] if isinstance(claimed, BatchClaim) else [claimed.attempt.pk]

    def keep(self) -> None:
        """Renew the lease. Raises DatabaseError."""
        with transaction.atomic():
            self.claimed.rows.update(lease_until=Now() + LEASE)
            self._uncount()
        self.is_counted = False

    def end(self) -> None:
        """Save the results, or give the attempts back. Raises DatabaseError."""
        if self.save is not None:
            try:
                with transaction.atomic():
                    is_saved = self.save()
                if is_saved is not False:
                    self.saved()
                    return
            except (BoardSwitched, LeaseLost):
                self.save = None
        with transaction.atomic():
            self._uncount()
            self.claimed.rows.update(
                status=Attempt.Status.QUEUED, lease_token=None, lease_until=None
            )
        self.is_counted = False

    def _uncount(self) -> None:
        """Take back the delivery of this claim, even if another worker has the attempt now."""
        if self.is_counted:
            unfinished = Attempt.objects.unfinished().filter(pk__in=self.attempt_ids)
            unfinished.update(deliveries=Greatest(F("deliveries") - 1, Value(0)))


_unsaved: list[Unsaved] = []
_changing = threading.Lock()
_thread: threading.Thread | None = None


def keep(
    claimed: Claim,
    save: Callable[[], object],
    error: DatabaseError,
    saved: Callable[[], object] = noop,
) -> None:
    """Keep the results of a claim, whose save raised the error, and leave the board aside."""
    outages.saving.began(error)
    with _changing:
        is_full = sum(other.claimed.count for other in _unsaved if other.save) >= MOST_RESULTS
    unsaved = Unsaved(claimed, None if is_full else save, saved)
    try:
        unsaved.keep()
        block(unsaved.challenge_id, error, [])
    except DatabaseError:
        logger.info("the lease of an unsaved attempt cannot be renewed yet")
    _add(unsaved)


def let_go(claimed: Claim, error: DatabaseError) -> None:
    """Give back a claim whose work was ended by an error of the database: no worker was lost."""
    unsaved = Unsaved(claimed, None)
    try:
        if outages.waited_for_lock(error):
            block(unsaved.challenge_id, error, [])
        unsaved.end()
    except DatabaseError:
        _add(unsaved)


def are_too_many() -> bool:
    """Whether this process should claim nothing, because it could save none of its last results."""
    return len(_unsaved) >= MOST_CLAIMS


def try_again() -> bool:
    """Try to save everything once; returns whether anything was saved."""
    failed: set[UUID] = set()
    ended = 0
    for unsaved in _unsaved.copy():
        with caused_by(**unsaved.claimed.log_fields):
            if unsaved.challenge_id in failed:
                _keep_longer(unsaved)
            elif _ends(unsaved):
                ended += 1
            else:
                failed.add(unsaved.challenge_id)
    if ended and not failed:
        outages.saving.ended()
    return ended > 0


def _ends(unsaved: Unsaved) -> bool:
    """Save or give back one claim, and no longer leave its board aside if that worked."""
    try:
        with looking_for_holders() as holders:
            unsaved.end()
        unblock(unsaved.challenge_id)
    except DatabaseError as error:
        outages.saving.began(error)
        try:
            unsaved.keep()
            block(unsaved.challenge_id, error, holders)
        except DatabaseError:
            connection.close_if_unusable_or_obsolete()
        return False
    except Exception:  # whatever is wrong with one result, the thread saves the others
        logger.exception("a result could not be saved; its attempt is scored again")
    with _changing:
        _unsaved.remove(unsaved)
    return True


def _keep_longer(unsaved: Unsaved) -> None:
    try:
        unsaved.keep()
    except DatabaseError:
        connection.close_if_unusable_or_obsolete()


def _add(unsaved: Unsaved) -> None:
    with _changing:
        _unsaved.append(unsaved)
    _start()


def _start() -> None:
    """Start the thread that tries again, unless it runs."""
    global _thread
    with _changing:
        if _thread is None:
            _thread = threading.Thread(target=_work, name="unsaved", daemon=True)
            _thread.start()


def _work() -> None:
    global _thread
    pause = FIRST_PAUSE
    while True:
        time.sleep(pause)
        pause = FIRST_PAUSE if try_again() else min(2 * pause, LONGEST_PAUSE)
        with _changing:
            if not _unsaved:
                _thread = None
                break
    connection.close()


def _forget() -> None:
    """In a forked process: the results and the thread belong to the process that has forked."""
    global _thread, _changing
    _unsaved.clear()
    _thread, _changing = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
