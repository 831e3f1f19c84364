"""Editions of a scorer: a changed file is noticed, and its scores are kept apart from older
ones."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Edition, Score, ScoringConfig, Tenant
from leaderboard.services.attempts import retry
from leaderboard.services.board.editions import code_now, editions_of
from leaderboard.services.board.standings.counting import rebuild_standings, verify_standings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.code_changes import code_state
from leaderboard.services.scoring import single
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from tests.plugin_files import folder_with, plugins, write
from tests.services.conftest import Bring, Submit

GIVES = """
from own import helper


class Gives:
    def score(self, metrics, config, ctx):
        if metrics.get("rating") == 7:
            raise ValueError
        return {{"score": {score}}}
"""


@pytest.fixture
def own() -> Iterator[Path]:
    """Yield the folder of a package `own` with a scorer that gives 10."""
    files = {"scorer.py": GIVES.format(score=10.0), "helper.py": "X = 1\n", "unused.py": ""}
    named = {f"own/{name}": text for name, text in files.items()}
    with folder_with(named) as folder, plugins(folder, "own"):
        yield folder / "own"


@pytest.fixture
def challenge(db: None, tenant: Tenant, own: Path) -> Challenge:
    return create_challenge(
        tenant=tenant,
        user=None,
        fields={
            "name": "Own",
            "scoring_strategy": "custom",
            "scoring_entrypoint": "own.scorer:Gives",
        },
    )


def now_gives(own: Path, score: float) -> None:
    write(own / "scorer.py", GIVES.format(score=score))


def scored(attempt: Attempt) -> Score:
    assert single.score_attempt(attempt.pk)
    return attempt.scores.latest("config__number")


def editions(challenge: Challenge) -> list[tuple[str, int]]:
    challenge.refresh_from_db()
    return [(edition.code, edition.scores) for edition in editions_of(challenge.shown)]


def test_scores_of_a_changed_file_are_another_edition(
    challenge: Challenge, own: Path, submit: Submit
) -> None:
    """Both have the same version number, so only the hash of the code distinguishes them."""
    first = scored(submit(challenge, "atlas"))
    now_gives(own, 99.0)
    second = scored(submit(challenge, "borea"))
    assert (first.value, second.value) == (10.0, 99.0)
    assert first.config == second.config
    assert first.code == challenge.newest.code != ""
    assert second.code not in ("", first.code)
    assert editions(challenge) == [(first.code, 1), (second.code, 1)]
    state = code_state(challenge)
    assert (state.code, state.now, state.changed, state.held) == (
        first.code,
        second.code,
        True,
        0,
    )


def test_an_unchanged_board_has_one_edition(
    challenge: Challenge, own: Path, submit: Submit
) -> None:
    scored(submit(challenge, "atlas"))
    for file in own.iterdir():
        os.utime(file, (time.time() + 100, time.time() + 100))
    write(own / "unused.py", "Y = 1\n")
    write(own / "more.py", "")
    scored(submit(challenge, "borea"))
    assert editions(challenge) == [(challenge.newest.code, 2)]
    assert not code_state(challenge).changed


@pytest.mark.parametrize("file", ["helper.py", "__init__.py"])
def test_imported_modules_of_the_same_package_are_part_of_the_edition(
    challenge: Challenge, own: Path, submit: Submit, file: str
) -> None:
    scored(submit(challenge, "atlas"))
    write(own / file, "X = 2  # a comment is enough\n")
    scored(submit(challenge, "borea"))
    assert len(editions(challenge)) == 2


def test_restored_files_are_the_first_edition_again(
    challenge: Challenge, own: Path, submit: Submit
) -> None:
    for score in (10.0, 99.0, 10.0):
        now_gives(own, score)
        assert scored(submit(challenge, "atlas")).value == score
    assert [number for _, number in editions(challenge)] == [2, 1]


def test_a_rescore_leaves_one_edition(challenge: Challenge, own: Path, submit: Submit) -> None:
    scored(submit(challenge, "atlas"))
    now_gives(own, 99.0)
    scored(submit(challenge, "borea"))
    config, total = start_rescore(challenge)
    assert (config.number, total) == (2, 2)
    work_on(config.pk)
    assert editions(challenge) == [(config.code, 2)]
    assert set(Score.objects.filter(config=config).values_list("value", flat=True)) == {99.0}
    assert not code_state(challenge).changed
    assert verify_standings(challenge) == []


def test_a_rescore_leaves_one_edition_under_a_newer_config(
    challenge: Challenge, own: Path, submit: Submit
) -> None:
    """Some attempts are scored under the newest config before its rescore begins."""
    scored(submit(challenge, "atlas"))
    change_challenge(challenge, user=None, fields={"timeout_ms": 4000})
    scored(submit(challenge, "borea"))
    now_gives(own, 99.0)
    config, _ = start_rescore(challenge)
    assert config.number == 3
    work_on(config.pk)
    assert editions(challenge) == [(config.code, 2)]


def test_a_retried_attempt_has_the_edition_of_its_last_try(
    challenge: Challenge, own: Path, submit: Submit
) -> None:
    scored(submit(challenge, "atlas"))
    attempt = submit(challenge, "borea", rating=7)
    failed = scored(attempt)
    assert (failed.error_code, failed.code) == ("exception", challenge.newest.code)
    assert editions(challenge) == [(failed.code, 1)], "what has no score is no part of the board"
    write(own / "scorer.py", GIVES.format(score=99.0).replace("== 7", "== 8"))
    retry.retry_attempt(attempt)
    again = scored(attempt)
    assert again.value == 99.0
    assert editions(challenge) == [(failed.code, 1), (again.code, 1)]


def test_a_score_that_is_tried_again_is_not_counted_twice(
    challenge: Challenge, bring: Bring, own: Path
) -> None:
    attempt = bring(challenge, task_rewards={"t": [1.0]})
    scored(attempt)
    Score.objects.update(metric_values={"m": {"error": {"code": "timeout"}}})
    now_gives(own, 99.0)
    retry.retry_attempt(attempt)
    assert editions(challenge) == []
    again = scored(attempt)
    assert editions(challenge) == [(again.code, 1)]


def test_scores_of_older_releases_have_no_edition(
    challenge: Challenge, own: Path, submit: Submit
) -> None:
    """An older database has no code hashes: the first one seen becomes the config's."""
    old = scored(submit(challenge, "atlas"))
    Score.objects.update(code="")
    ScoringConfig.objects.update(code="")
    Edition.objects.all().delete()
    challenge.refresh_from_db()
    assert not code_state(challenge).changed
    now_gives(own, 99.0)
    new = scored(submit(challenge, "borea"))
    assert new.code not in ("", old.code)
    assert editions(challenge) == [(new.code, 1)]
    assert challenge.shown.code == new.code
    assert not code_state(challenge).changed
    now_gives(own, 5.0)
    scored(submit(challenge, "cirrus"))
    assert len(editions(challenge)) == 2


def test_a_challenge_without_plugins_has_no_code_version(sprint: Challenge, submit: Submit) -> None:
    score = scored(submit(sprint, "atlas", elapsed_ms=1))
    assert (score.code, sprint.newest.code, code_now(sprint.newest)) == ("", "", "")
    assert editions(sprint) == []
    state = code_state(sprint)
    assert (state.code, state.changed) == ("", False)


def test_a_rebuild_derives_the_counts_of_editions(
    challenge: Challenge, own: Path, submit: Submit
) -> None:
    scored(submit(challenge, "atlas"))
    now_gives(own, 99.0)
    scored(submit(challenge, "borea"))
    scored(submit(challenge, "cirrus", rating=7))
    right = editions(challenge)
    assert len(right) == 2
    Edition.objects.update(scores=7)
    Edition.objects.create(config=challenge.shown, code="nowhere", scores=1)
    rebuild_standings(challenge)
    assert editions(challenge) == right


# Metrics that are plugins.

METRIC = """
class Least:
    name = "least"

    def compute(self, task_rewards):
        return min(map(min, task_rewards)) + {more}
"""


def test_the_code_of_a_metric_is_part_of_the_edition(
    db: None, tenant: Tenant, own: Path, bring: Bring, settings: Any
) -> None:
    write(own / "metrics" / "least.py", METRIC.format(more=0.0))
    fields = {
        "name": "Least",
        "scoring_strategy": "metric",
        "metrics": ["least", "mean"],
        "rank_by": [{"key": "least"}],
    }
    challenge = create_challenge(tenant=tenant, user=None, fields=fields)
    first = scored(bring(challenge, "atlas", task_rewards={"t": [0.5, 1.0]}))
    assert first.code == challenge.newest.code != ""
    write(own / "metrics" / "least.py", METRIC.format(more=1.0))
    second = scored(bring(challenge, "borea", task_rewards={"t": [0.5, 1.0]}))
    assert [score.metric_values["least"]["value"] for score in (first, second)] == [0.5, 1.5]
    assert editions(challenge) == [(first.code, 1), (second.code, 1)]
    with_scorer = change_challenge(
        challenge,
        user=None,
        fields={"scoring_strategy": "custom", "scoring_entrypoint": "own.scorer:Gives"},
    )
    assert with_scorer.newest.code not in ("", first.code, second.code)
    third = scored(bring(with_scorer, "cirrus", task_rewards={"t": [0.5]}))
    assert third.code == with_scorer.newest.code
