"""`on_code_change`: attempts are held, or everything is scored again, when a file changes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.db import connection
from django.db.models.functions import Now

from leaderboard.models import Attempt, Challenge, Score, ScoringConfig, Standing, Tenant
from leaderboard.services.board.editions import editions_of
from leaderboard.services.board.ranking import page_after
from leaderboard.services.board.standings import verify_standings
from leaderboard.services.challenges import code_changes, rescores
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.code_changes import code_state, decide
from leaderboard.services.errors import ServiceError
from leaderboard.services.operations.health import oldest_waiting_seconds
from leaderboard.services.scoring import acceptance, rescoring, single, stateful
from leaderboard.services.scoring.outcomes import outcomes as scoring_outcomes
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.sweeper import sweep
from tests.plugin_files import folder_with, plugins, write
from tests.services.conftest import Submit

Notifications = list[tuple[Any, ...]]

GIVES = """
class Gives:
    def score(self, metrics, config, ctx):
        return {{"score": {score}}}
"""


@pytest.fixture
def own() -> Iterator[Path]:
    files = {"own/scorer.py": GIVES.format(score=10.0)}
    with folder_with(files) as folder, plugins(folder, "own"):
        yield folder / "own" / "scorer.py"


@pytest.fixture
def made(db: None, tenant: Tenant, own: Path) -> Callable[[str], Challenge]:
    """A challenge with a scorer that gives 10, and what it does when that changes."""

    def challenge(on_code_change: str) -> Challenge:
        fields = {
            "name": "Own",
            "scoring_strategy": "custom",
            "scoring_entrypoint": "own.scorer:Gives",
            "on_code_change": on_code_change,
        }
        return create_challenge(tenant=tenant, user=None, fields=fields)

    return challenge


def gives(file: Path, score: float) -> None:
    write(file, GIVES.format(score=score))


def finish(challenge: Challenge) -> Challenge:
    """Work on whatever rescore is under way."""
    for _ in range(3):
        challenge.refresh_from_db()
        work_on(challenge.newest.pk)
    challenge.refresh_from_db()
    return challenge


def values(challenge: Challenge) -> dict[str, float]:
    """The scores of the board, by participant."""
    challenge.refresh_from_db()
    rows = [row for row in page_after(challenge).rows if row.rank]
    return {row.participant.handle: row.values["score"] for row in rows}


def statuses() -> list[str]:
    return list(Attempt.objects.order_by("pk").values_list("status", flat=True))


def numbers(challenge: Challenge) -> list[int]:
    return [each.scores for each in editions_of(challenge.shown)]


# hold


def test_new_attempts_are_held(made: Callable[[str], Challenge], own: Path, submit: Submit) -> None:
    challenge = made("hold")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    challenge.refresh_from_db()
    before = challenge.board_version
    attempt = submit(challenge, "borea")
    assert single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.lease_token, attempt.deliveries) == ("held", None, 0)
    assert values(challenge) == {"atlas": 10.0}
    assert challenge.board_version > before
    state = code_state(challenge)
    assert (state.changed, state.held, len(state.editions)) == (True, 1, 1)


def test_held_attempts_wait_for_as_long_as_it_takes(
    made: Callable[[str], Challenge],
    own: Path,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
) -> None:
    challenge = made("hold")
    gives(own, 99.0)
    held = [submit(challenge, f"p{number}") for number in range(20)]
    assert single.score_waiting() == 20
    Attempt.objects.update(queued_at=Now() - 1000 * code_changes.QUIET)
    notifications.clear()
    for _ in range(4):
        assert sweep() == 0
        assert not single.score_attempt(held[0].pk)
    assert notifications == []
    assert statuses() == ["held"] * 20
    assert oldest_waiting_seconds() is None
    assert single.score_waiting() == 0


def test_held_attempts_do_not_block_others(
    made: Callable[[str], Challenge], own: Path, sprint: Challenge, submit: Submit
) -> None:
    challenge = made("hold")
    gives(own, 99.0)
    for number in range(20):
        submit(challenge, f"p{number}")
    other = submit(sprint, "zephyr", elapsed_ms=5)
    while single.score_waiting(limit=8):
        pass
    other.refresh_from_db()
    assert other.status == "scored"
    assert statuses().count("held") == 20


def test_the_old_files_free_them(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("hold")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    single.score_attempt(submit(challenge, "borea").pk)
    gives(own, 10.0)
    sweep()
    assert statuses() == ["scored", "queued"]
    single.score_waiting()
    assert values(challenge) == {"atlas": 10.0, "borea": 10.0}
    assert numbers(challenge) == [2]


def test_going_on_scores_them_by_the_new_code(
    made: Callable[[str], Challenge],
    own: Path,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
) -> None:
    challenge = made("hold")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    single.score_attempt(submit(challenge, "borea").pk)
    notifications.clear()
    decide(challenge, "go_on")
    single.score_waiting()
    assert values(challenge) == {"borea": 99.0, "atlas": 10.0}
    assert numbers(challenge) == [1, 1]
    single.score_attempt(submit(challenge, "cirrus").pk)
    assert statuses() == ["scored"] * 3
    gives(own, 5.0)
    single.score_attempt(submit(challenge, "dune").pk)
    assert statuses()[-1] == "held", "each change is a question of its own"
    assert challenge.shown.number == 1


def test_a_rescore_takes_the_new_code(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("hold")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    held = submit(challenge, "borea")
    single.score_attempt(held.pk)
    config = decide(challenge, "rescore")
    assert config.number == 2
    late = submit(challenge, "cirrus")
    for attempt in (held, late):
        assert single.score_attempt(attempt.pk)
        attempt.refresh_from_db()
        assert (attempt.status, attempt.scoring_config.number) == ("scored", 2)
    assert values(challenge) == {"atlas": 10.0}, "the board of the old code takes no others"
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0, "cirrus": 99.0}
    assert numbers(challenge) == [3]
    assert verify_standings(challenge) == []
    assert not code_state(challenge).changed


def test_any_rescore_of_an_organisers_takes_the_new_code(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("hold")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    single.score_attempt(submit(challenge, "borea").pk)
    start_rescore(challenge)
    single.score_waiting()
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0}


def test_files_that_are_away_for_a_moment_fail_no_attempt(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("hold")
    text = own.read_text()
    own.unlink()
    single.score_attempt(submit(challenge, "atlas").pk)
    sweep()
    assert statuses() == ["held"]
    decisions: list[code_changes.Decision] = ["go_on", "rescore"]
    for decision in decisions:
        with pytest.raises(ServiceError):
            decide(challenge, decision)
    write(own, text)
    sweep()
    single.score_waiting()
    assert values(challenge) == {"atlas": 10.0}


def test_files_that_are_away_leave_the_board_as_it_is(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    """Under `rescore`, everything would fail."""
    challenge = made("rescore")
    single.score_attempt(submit(challenge, "atlas").pk)
    own.unlink()
    sweep()
    attempt = submit(challenge, "borea")
    single.score_attempt(attempt.pk)
    sweep()
    assert attempt.scores.get().error_code == "load_error"
    assert ScoringConfig.objects.count() == 1
    assert values(challenge) == {"atlas": 10.0}


def test_another_setting_frees_them(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("hold")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    single.score_attempt(submit(challenge, "borea").pk)
    changed = change_challenge(challenge, user=None, fields={"on_code_change": "warn"})
    assert changed.newest.number == 1, "it is no change of how attempts are scored"
    single.score_waiting()
    assert values(challenge) == {"borea": 99.0, "atlas": 10.0}


def test_a_change_after_the_look_is_seen_before_it_is_saved(
    made: Callable[[str], Challenge], own: Path, submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = made("hold")
    attempt = submit(challenge, "atlas")
    look = acceptance.plan

    def change(claimed: Any) -> Any:
        found = look(claimed)
        gives(own, 99.0)
        return found

    monkeypatch.setattr("leaderboard.services.scoring.single.plan", change)
    assert single.score_attempt(attempt.pk)
    assert statuses() == ["held"]
    assert not Score.objects.exists()


def test_a_changed_config_waits_too_while_its_board_is_not_shown(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("hold")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    change_challenge(challenge, user=None, fields={"timeout_ms": 4000})
    attempt = submit(challenge, "borea")
    single.score_attempt(attempt.pk)
    assert statuses() == ["scored", "held"], "the shown board is of the old code"
    start_rescore(challenge)
    single.score_waiting()
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0}
    assert numbers(challenge) == [2]


# rescore


def test_everything_is_scored_again_by_itself(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    challenge = made("rescore")
    single.score_attempt(submit(challenge, "atlas").pk)
    gives(own, 99.0)
    attempt = submit(challenge, "borea")
    assert single.score_attempt(attempt.pk)
    attempt.refresh_from_db()
    assert (attempt.status, attempt.scoring_config.number) == ("scored", 2)
    assert values(challenge) == {"atlas": 10.0}
    assert values(finish(challenge)) == {"atlas": 99.0, "borea": 99.0}
    assert (challenge.shown.number, numbers(challenge)) == (2, [2])
    assert verify_standings(challenge) == []


def test_without_a_new_attempt_as_well(
    made: Callable[[str], Challenge],
    own: Path,
    submit: Submit,
    notifications: list[tuple[Any, ...]],
) -> None:
    challenge = made("rescore")
    single.score_attempt(submit(challenge, "atlas").pk)
    sweep()
    assert ScoringConfig.objects.count() == 1
    gives(own, 99.0)
    notifications.clear()
    sweep()
    assert ("rescore", challenge.configs.latest("number").pk) in notifications
    for _ in range(3):
        sweep()
    assert ScoringConfig.objects.count() == 2
    assert values(finish(challenge)) == {"atlas": 99.0}
    sweep()
    assert ScoringConfig.objects.count() == 2


def test_servers_with_different_files_do_not_rescore_for_ever(
    made: Callable[[str], Challenge], own: Path, submit: Submit
) -> None:
    """As in the middle of an upgrade: by turns, one has the old file and the other the new one."""
    challenge = made("rescore")
    single.score_attempt(submit(challenge, "atlas").pk)
    for number in range(12):
        gives(own, 10.0 if number % 2 else 99.0)
        sweep()
        single.score_attempt(submit(challenge, f"p{number}").pk)
        finish(challenge)
    assert ScoringConfig.objects.count() <= 5
    assert set(statuses()) == {"scored"}
    assert verify_standings(challenge) == []
    ScoringConfig.objects.update(created_at=Now() - 2 * code_changes.QUIET)
    sweep()
    assert len(set(values(finish(challenge)).values())) == 1
    assert len(numbers(challenge)) == 1


# A file that changes in the middle of a rescore.


@pytest.fixture
def twenty(
    made: Callable[[str], Challenge], submit: Submit, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str], Challenge]:
    """Twenty scored attempts in slices of four."""

    def challenge(on_code_change: str) -> Challenge:
        monkeypatch.setattr(rescores, "SMALLEST_SLICE", 4)
        found = made(on_code_change)
        for number in range(20):
            submit(found, f"p{number}")
        single.score_waiting()
        assert set(values(found).values()) == {10.0}
        return found

    return challenge


def change_during(
    monkeypatch: pytest.MonkeyPatch, own: Path, *, batch: int, score: float = 50.0
) -> None:
    """The file changes while a batch of a rescore is in its child."""
    ask, asked = scoring_outcomes, list[bool]()

    def outcomes(config: ScoringConfig, attempts: Sequence[Any], *, fresh: bool) -> Any:
        asked.append(fresh)
        found = ask(config, attempts, fresh=fresh)
        if not fresh and asked.count(False) == batch:
            yield next(found)
            gives(own, score)
        yield from found

    monkeypatch.setattr(stateful, "outcomes", outcomes)


def test_with_a_warning_each_score_has_the_edition_that_made_it(
    twenty: Callable[[str], Challenge], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = twenty("warn")
    gives(own, 20.0)
    config, _ = start_rescore(challenge)
    change_during(monkeypatch, own, batch=3)
    finish(challenge)
    assert challenge.shown == config
    by_code = dict(Score.objects.filter(config=config).values_list("code", "value").distinct())
    assert set(by_code.values()) == {20.0, 50.0}
    assert by_code[config.code] == 20.0
    assert numbers(challenge) == [12, 8], "a child goes on with what it has imported"
    assert code_state(challenge).changed


def test_held_boards_wait_in_the_middle(
    twenty: Callable[[str], Challenge], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = twenty("hold")
    gives(own, 20.0)
    config = decide(challenge, "rescore")
    change_during(monkeypatch, own, batch=3)
    finish(challenge)
    assert challenge.shown.number == 1
    assert set(Score.objects.filter(config=config).values_list("value", flat=True)) == {20.0}
    assert set(values(challenge).values()) == {10.0}
    again = decide(challenge, "rescore")
    assert again.number == config.number + 1
    assert set(values(finish(challenge)).values()) == {50.0}
    assert numbers(challenge) == [20]


def test_the_command_does_not_wait_for_a_decision(
    twenty: Callable[[str], Challenge], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = twenty("hold")
    gives(own, 20.0)
    change_during(monkeypatch, own, batch=3)
    with pytest.raises(CommandError, match="has changed since the rescore began"):
        call_command("rescore", challenge.slug, "--wait")
    call_command("rescore", challenge.slug, "--wait")
    assert set(values(challenge).values()) == {50.0}


def test_the_command_follows_a_rescore_that_begins_again(
    twenty: Callable[[str], Challenge],
    own: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    challenge = twenty("rescore")
    gives(own, 20.0)
    change_during(monkeypatch, own, batch=3)
    call_command("rescore", challenge.slug, "--wait")
    said = capsys.readouterr().out
    assert "another rescore has begun, under version 3" in said
    assert said.endswith("the board shows version 3\n")
    assert set(values(challenge).values()) == {50.0}


def test_going_on_in_the_middle_of_a_rescore(
    twenty: Callable[[str], Challenge], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = twenty("hold")
    gives(own, 20.0)
    config = decide(challenge, "rescore")
    change_during(monkeypatch, own, batch=3)
    finish(challenge)
    assert decide(challenge, "go_on") == config
    assert set(values(finish(challenge)).values()) == {20.0, 50.0}
    assert numbers(challenge) == [12, 8]


def test_another_rescore_begins_by_itself(
    twenty: Callable[[str], Challenge], own: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    challenge = twenty("rescore")
    gives(own, 20.0)
    start_rescore(challenge)
    change_during(monkeypatch, own, batch=3)
    assert set(values(finish(challenge)).values()) == {50.0}
    assert (challenge.shown.number, numbers(challenge)) == (3, [20])
    assert verify_standings(challenge) == []


def test_a_warm_child_is_not_asked_with_old_code(
    twenty: Callable[[str], Challenge], own: Path
) -> None:
    """A child serves batches for some seconds; a change ends that."""
    challenge = twenty("warn")
    for score in (20.0, 30.0):
        gives(own, score)
        start_rescore(challenge)
        assert set(values(finish(challenge)).values()) == {score}
        assert numbers(challenge) == [20]


# Several workers.


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("on_code_change", ["warn", "hold", "rescore"])
def test_several_workers_agree(
    twenty: Callable[[str], Challenge], own: Path, submit: Submit, on_code_change: str
) -> None:
    challenge = twenty(on_code_change)
    gives(own, 20.0)
    if on_code_change == "warn":
        start_rescore(challenge)
    for number in range(8):
        submit(challenge, f"p{number}")

    def work(job: int) -> None:
        try:
            single.score_waiting()
            rescoring.work_on(challenge.configs.latest("number").pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(8)))
    if on_code_change == "hold":
        assert statuses() == ["scored"] * 20 + ["held"] * 8
        assert numbers(challenge) == [20]
        decide(challenge, "rescore")
        single.score_waiting()
    finish(challenge)
    rescoring.finish_if_done(challenge.newest.pk)
    assert set(values(challenge).values()) == {20.0}
    assert numbers(challenge) == [28]
    assert verify_standings(challenge) == []
    assert Standing.objects.filter(config=challenge.shown).count() == 20
