"""A file that changes while a rescore is under way."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError

from leaderboard.models import Score, Standing
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.challenges.code_changes import code_state, decide
from leaderboard.services.scoring import rescoring, single
from leaderboard.services.scoring.rescoring import start_rescore
from tests.services.conftest import Submit
from tests.services.scoring.code_changes.changing import (
    Make,
    finish,
    gives,
    numbers,
    statuses,
    values,
)
from tests.services.threads import at_once


def test_under_warn_each_score_has_the_edition_that_made_it(changing: Make) -> None:
    challenge = changing("warn")
    config, _ = start_rescore(challenge)
    finish(challenge)
    assert challenge.shown == config
    by_code = dict(Score.objects.filter(config=config).values_list("code", "value").distinct())
    assert set(by_code.values()) == {20.0, 50.0}
    assert by_code[config.code] == 20.0
    assert numbers(challenge) == [12, 8], "a child goes on with what it has imported"
    assert code_state(challenge).changed


def test_under_hold_the_rescore_stops(changing: Make) -> None:
    challenge = changing("hold")
    config = decide(challenge, "rescore")
    finish(challenge)
    assert challenge.shown.number == 1
    assert set(Score.objects.filter(config=config).values_list("value", flat=True)) == {20.0}
    assert set(values(challenge).values()) == {10.0}
    again = decide(challenge, "rescore")
    assert again.number == config.number + 1
    assert set(values(finish(challenge)).values()) == {50.0}
    assert numbers(challenge) == [20]


def test_under_hold_the_command_does_not_wait_for_a_decision(changing: Make) -> None:
    challenge = changing("hold")
    with pytest.raises(CommandError, match="has changed"):
        call_command("rescore", challenge.slug, "--wait")
    call_command("rescore", challenge.slug, "--wait")
    assert set(values(challenge).values()) == {50.0}


def test_the_command_follows_a_rescore_that_begins_anew(
    changing: Make, capsys: pytest.CaptureFixture[str]
) -> None:
    challenge = changing("rescore")
    call_command("rescore", challenge.slug, "--wait")
    output = capsys.readouterr().out
    assert "another rescore" in output
    assert output.endswith("version 3\n")
    assert set(values(challenge).values()) == {50.0}


def test_a_stopped_rescore_continues_with_the_new_code(changing: Make) -> None:
    challenge = changing("hold")
    config = decide(challenge, "rescore")
    finish(challenge)
    assert decide(challenge, "go_on") == config
    assert set(values(finish(challenge)).values()) == {20.0, 50.0}
    assert numbers(challenge) == [12, 8]


def test_under_rescore_another_rescore_begins(changing: Make) -> None:
    challenge = changing("rescore")
    start_rescore(challenge)
    assert set(values(finish(challenge)).values()) == {50.0}
    assert (challenge.shown.number, numbers(challenge)) == (3, [20])
    assert verify_standings(challenge) == []


def test_a_warm_child_does_not_score_with_old_code(twenty: Make, own: Path) -> None:
    """A child serves batches for some seconds; a change of its files ends it."""
    challenge = twenty("warn")
    for score in (20.0, 30.0):
        gives(own, score)
        start_rescore(challenge)
        assert set(values(finish(challenge)).values()) == {score}
        assert numbers(challenge) == [20]


# Several workers.


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("on_code_change", ["warn", "hold", "rescore"])
def test_several_workers_use_one_edition(
    twenty: Make, own: Path, submit: Submit, on_code_change: str
) -> None:
    challenge = twenty(on_code_change)
    gives(own, 20.0)
    if on_code_change == "warn":
        start_rescore(challenge)
    for number in range(8):
        submit(challenge, f"p{number}")

    def work() -> None:
        for _round in range(2):
            single.score_waiting()
            rescoring.work_on(challenge.configs.latest("number").pk)

    at_once([work] * 4)
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
    assert Standing.objects.filter(board__config=challenge.shown).count() == 20
