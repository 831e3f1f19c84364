"""Scorers in a batch that crash, keep state, or change their code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Score, ScoringConfig
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.scoring import history, single, stateful
from leaderboard.services.scoring.outcomes import NOTHING_TO_RUN
from tests.helpers.configs import rewrite
from tests.plugin_files import write
from tests.services.scoring.conftest import ImportHistory
from tests.services.scoring.history.batches import SCORER, statuses


def test_a_batch_detects_a_scorer_that_keeps_state(
    scored_by: Callable[..., Challenge], own: Path, import_history: ImportHistory
) -> None:
    challenge = scored_by()
    write(own, SCORER.replace("{score}", "float(Steps.seen)"))
    import_history(challenge, 20)
    assert single.score_next()
    assert statuses() == {"scored": 20}
    assert set(Score.objects.values_list("value", flat=True)) == {1.0}
    assert ScoringConfig.objects.get(pk=challenge.newest.pk).keeps_state


def test_a_small_batch_is_scored_in_fresh_children(
    sprint: Challenge, import_history: ImportHistory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[tuple[int, bool]] = []

    def noted(config: ScoringConfig, attempts: Sequence[AttemptToScore], *, fresh: bool) -> Any:
        asked.append((len(attempts), fresh))
        return iter([NOTHING_TO_RUN] * len(attempts))

    monkeypatch.setattr(stateful, "outcomes", noted)
    rewrite(
        ScoringConfig.objects.filter(pk=sprint.newest.pk),
        strategy="custom",
        entrypoint="scorers.weighted:WeightedScorer",
    )
    import_history(sprint, 5)
    single.score_next()
    import_history(sprint, 20)
    single.score_next()
    assert asked == [(5, True), (1, True), (20, False), (5, True)]


def test_a_batch_is_held_after_a_code_change(
    scored_by: Callable[..., Challenge], own: Path, import_history: ImportHistory
) -> None:
    challenge = scored_by(on_code_change="hold")
    write(own, SCORER.replace("{score}", "99.0"))
    import_history(challenge, 20)
    assert single.score_waiting() == 20
    assert set(Attempt.objects.values_list("status", "deliveries")) == {("held", 0)}


def test_scores_of_a_batch_are_discarded_if_the_code_changes(
    scored_by: Callable[..., Challenge],
    own: Path,
    import_history: ImportHistory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its scores are discarded, since the code is not that of the board."""
    challenge = scored_by(on_code_change="hold")
    import_history(challenge, 20)
    results = history._results

    def changing(*args: Any) -> Any:
        write(own, SCORER.replace("{score}", "99.0"))
        return results(*args)

    monkeypatch.setattr(history, "_results", changing)
    assert single.score_waiting() == 20
    assert statuses() == {"held": 20}
    assert not Score.objects.exists()
