"""Which scoring configs a worker may score an attempt under when the code of plugins has changed.

This depends on the challenge's setting `on_code_change`. With `warn`, a worker accepts all code.
With the other settings, `plan` says under which configs it may score an attempt. Before it saves a
score, it checks the code that computed the score, because a file may have changed meanwhile. The
code of boards older than the shown one does not matter, because no page shows them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from leaderboard.models import Challenge, ScoringConfig
from leaderboard.sandbox import Outcome
from leaderboard.services.board.editions import (
    accepts_now,
    code_now,
    codes_of,
)
from leaderboard.services.challenges.code_changes import (
    is_accepted,
    is_quiet,
    is_rescoring_rightly,
    rescore_by_itself,
)
from leaderboard.services.challenges.read import read_challenge
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.scoring.claims import Claim


class CodeChanged(Exception):
    """A result was computed by changed plugin code, and the board does not accept it."""


class Plan(NamedTuple):
    """The configs to score an attempt under, its own first, and the config that the board shows.

    strict: the ids of configs that must accept a result's plugin code before it is saved.
    """

    configs: list[ScoringConfig]
    shown_config: ScoringConfig
    strict: frozenset[int] = frozenset()


def plan(claimed: Claim) -> Plan | None:
    """The configs under which to score a claimed attempt; None if it must wait for an organiser.

    Uses the challenge that the claim has loaded, and reloads it only after starting a rescore.
    """
    challenge = claimed.attempt.challenge
    own, shown_config = claimed.attempt.scoring_config, challenge.shown
    both = [own] if own.pk == shown_config.pk else [own, shown_config]
    boards = frozenset({shown_config.pk, challenge.newest.pk})
    mode = challenge.on_code_change
    if mode == Challenge.OnCodeChange.WARN:
        return Plan(both, shown_config)
    if all(is_accepted(config, mode) for config in both if config.pk in boards):
        return Plan(both, shown_config, boards)
    if not is_rescoring_rightly(challenge):
        if mode == Challenge.OnCodeChange.HOLD:
            return None
        if not rescore_by_itself(challenge):
            return Plan(both, shown_config)
        claimed.read_challenge_again()
        challenge = claimed.attempt.challenge
    return _only_where_accepted(claimed, challenge)


def _only_where_accepted(claimed: Claim, challenge: Challenge) -> Plan:
    """The plan to score under the newest config, for which a rescore is computing a board.

    Leaves out the shown board if it does not accept the current code. Moves an attempt that waited
    under an older config.
    """
    newest, shown_config = challenge.newest, challenge.shown
    if claimed.attempt.scoring_config_id != newest.pk:
        claimed.move_to(newest)
    configs = (
        [newest, shown_config]
        if newest.pk != shown_config.pk and accepts_now(shown_config)
        else [newest]
    )
    return Plan(configs, shown_config, frozenset({newest.pk, shown_config.pk}))


def misplaced(
    planned: Plan, results: Sequence[tuple[ScoringConfig, tuple[AttemptToScore, Outcome]]]
) -> list[ScoringConfig]:
    """The configs whose boards do not accept the results that were computed for them."""
    return [
        config
        for config, result in results
        if config.pk in planned.strict and not config.accepts(codes_of(config, [result])[0])
    ]


def accepted(
    config: ScoringConfig, results: Sequence[tuple[AttemptToScore, Outcome]]
) -> list[tuple[AttemptToScore, Outcome]]:
    """The results of a rescore that the config's board accepts."""
    challenge = read_challenge(config.challenge_id)
    is_strict = challenge.on_code_change != Challenge.OnCodeChange.WARN
    if not is_strict or is_quiet(challenge, code_now(config)):
        return list(results)
    codes = codes_of(config, results)
    return [result for result, code in zip(results, codes, strict=True) if config.accepts(code)]


def may_go_on(config: ScoringConfig) -> bool:
    """Whether workers may continue a rescore.

    If not, and the challenge's setting is `rescore`, this starts another rescore.
    """
    challenge = read_challenge(config.challenge_id)
    if challenge.on_code_change == Challenge.OnCodeChange.WARN or accepts_now(config):
        return True
    if challenge.on_code_change == Challenge.OnCodeChange.HOLD:
        return False
    return not rescore_by_itself(challenge)
