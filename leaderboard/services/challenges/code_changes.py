"""When plugins on the server differ from those of the board: warn, hold or rescore.

This is what organisers see and decide. `scoring.acceptance` says what a worker may score until
then.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.messages import queue
from leaderboard.models import Attempt, Challenge, Edition, ScoringConfig, User
from leaderboard.services.board.editions import accepts_now, code_now, editions_of, has_other_code
from leaderboard.services.challenges.read import read_challenge
from leaderboard.services.challenges.rescores import begin_rescore, free_held
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.errors import ServiceError

QUIET = timedelta(minutes=10)
"""No rescore to a code begins automatically if one to it was replaced within this time.

Otherwise servers with different files, in the middle of an upgrade, would start rescores for ever.
"""

HELD = gettext_lazy(
    "The code of the scorer, or of a metric, has changed. "
    "The attempt is scored once an organiser has decided how to go on."
)
"""The reason that a held attempt shows."""

CodeDecision = Literal["rescore", "go_on"]
_WITH_CONFIGS = ("shown_config__challenge__tenant", "newest_config__challenge__tenant")


@dataclass(frozen=True, slots=True)
class CodeState:
    """The code of a board's plugins: `code` is the config's, `now` that of the files.

    `accepted`: the board accepts scores by the code of the files without a question. `held`
    attempts wait for an organiser. `changed`: an organiser has to decide, or there are several
    `editions`.
    """

    mode: str
    code: str
    now: str
    editions: list[Edition]
    held: int
    accepted: bool

    @property
    def changed(self) -> bool:
        return not self.accepted or len(self.editions) > 1


def rescore_by_itself(challenge: Challenge) -> bool:
    """Begin a rescore because the code has changed.

    False if a rescore to this code was replaced by one to other code a moment ago.
    """
    if is_quiet(challenge, code_now(challenge.newest)):
        return False
    begin_rescore(challenge)
    return True


def code_state(challenge: Challenge) -> CodeState:
    """The code of the shown board, from the files as they are now."""
    shown_config = challenge.shown
    now = code_now(shown_config)
    return CodeState(
        mode=challenge.on_code_change,
        code=shown_config.code,
        now=now,
        editions=editions_of(shown_config),
        held=held_at(challenge),
        accepted=is_accepted(shown_config, challenge.on_code_change),
    )


def held_at(challenge: Challenge, access: Access | None = None) -> int:
    """How many attempts at a challenge wait for an organiser.

    access: what the reader sees. Attempts that a freeze or a phase hides from the reader do not
    count. None: all attempts count.
    """
    if challenge.on_code_change != Challenge.OnCodeChange.HOLD:
        return 0
    held = Attempt.objects.held().filter(challenge=challenge)
    return (held.filter(access.before_freezes(), access.attempts()) if access else held).count()


def visible_editions(config: ScoringConfig, access: Access) -> list[Edition]:
    """The editions of a config that a reader may know of, the oldest first.

    While a board is frozen for the reader, these are the ones from before the freeze. A config that
    was made after the freeze has none of that age, but all attempts were scored again with its
    first edition, so the reader may know of that one.
    """
    editions = editions_of(config) if config.code else []
    if not access.frozen:
        return editions
    since = max(freeze.since for freeze in access.frozen.values())
    early = [edition for edition in editions if edition.first_at < since]
    return early or (editions[:1] if config.created_at >= since else [])


def decide(
    challenge: Challenge, decision: CodeDecision, *, user: User | None = None
) -> ScoringConfig:
    """Accept the current code: score everything again by it, or continue with both editions.

    Returns the config that attempts are scored under from now on. Raises ServiceError (`conflict`)
    if there is nothing to continue with: no plugin, or none that can be read.
    """
    if not code_now(challenge.newest):
        raise ServiceError(
            "conflict", _("This challenge has no plugins whose files can be read here.")
        )
    if decision == "rescore":
        return begin_rescore(challenge, user=user)[0]
    with transaction.atomic():
        locked = Challenge.objects.select_for_update().get(pk=challenge.pk)
        for config in {locked.shown, locked.newest}:
            _accept(config)
        if free_held(locked) == 0:
            Challenge.objects.bump(locked.pk)
        newest = locked.newest
        if newest.is_rescoring:
            transaction.on_commit(lambda: queue.notify_of_rescore(newest.pk))
    return newest


def free_if_decided(challenge: Challenge) -> int:
    """Free attempts that are held without a reason; returns how many."""
    challenge = read_challenge(challenge.pk)
    configs = [challenge.shown, challenge.newest]
    both = all(is_accepted(config, challenge.on_code_change) for config in configs)
    waits = challenge.on_code_change == Challenge.OnCodeChange.HOLD
    if waits and not both and not is_rescoring_rightly(challenge):
        return 0
    with transaction.atomic():
        return free_held(challenge)


def sweep_code_changes() -> None:
    """Free attempts whose wait is over; begin rescores of boards that do so automatically."""
    held = Attempt.objects.held().values("challenge").distinct()
    for challenge in Challenge.objects.filter(pk__in=held):
        free_if_decided(challenge)
    asking = Challenge.objects.filter(on_code_change=Challenge.OnCodeChange.RESCORE)
    for challenge in asking.select_related(*_WITH_CONFIGS):
        newest, shown_config = challenge.newest, challenge.shown
        is_left = not newest.is_rescoring and not accepts_now(shown_config)
        if is_left or has_other_code(newest):
            rescore_by_itself(challenge)


def is_accepted(config: ScoringConfig, mode: str) -> bool:
    """Whether a config accepts scores by the current code.

    Under `hold` it does not accept scores by missing files, perhaps in the middle of an upgrade:
    they would be failures.
    """
    now = code_now(config)
    if mode == Challenge.OnCodeChange.HOLD and config.code and not now:
        return False
    return config.accepts(now)


def waits_for_decision(challenge: Challenge) -> bool:
    """Whether an organiser has to accept the current code before it scores anything."""
    mode = challenge.on_code_change
    return mode == Challenge.OnCodeChange.HOLD and not is_accepted(challenge.newest, mode)


def is_rescoring_rightly(challenge: Challenge) -> bool:
    """Whether a rescore by the current code is running."""
    return challenge.newest.is_rescoring and accepts_now(challenge.newest)


def is_quiet(challenge: Challenge, code: str) -> bool:
    """Whether a config with this code was made and replaced a moment ago."""
    if challenge.on_code_change != Challenge.OnCodeChange.RESCORE:
        return False
    lately = challenge.configs.filter(code=code, created_at__gt=timezone.now() - QUIET)
    return code != "" and lately.exclude(pk=challenge.newest.pk).exists()


def _accept(config: ScoringConfig) -> None:
    now = code_now(config)
    if not config.accepts(now):
        together = [*config.accepted_codes, now]
        ScoringConfig.objects.filter(pk=config.pk).update(accepted_codes=together)
