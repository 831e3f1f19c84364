"""Plugins of one challenge: they score it and no other, and are replaced as files are."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from django.conf import LazySettings

from leaderboard.models import Attempt, Challenge, ChallengeFile, Score, User
from leaderboard.rules.plugins.own import placed
from leaderboard.services.board.editions import code_now
from leaderboard.services.challenge_code.packages import package_of
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.challenges.code_changes import code_state, decide
from leaderboard.services.challenges.drafts import copy_challenge
from leaderboard.services.challenges.own_plugins import remove_own_plugins, upload_of
from leaderboard.services.scoring import single
from tests.services.challenge_code.conftest import FILES, FIVE, LONGEST, SHORT, Put, refused
from tests.services.conftest import Bring, Submit
from tests.services.evaluation.text import document
from tests.services.scoring.code_changes.changing import finish

BY_METRIC = {
    "scoring_strategy": "metric",
    "metrics": ["longest"],
    "rank_by": [{"key": "longest"}],
}
BY_TEXT = {
    "scoring_strategy": "metric",
    "text_metrics": [{"id": "short", "parameters": {"most": 2.0}}],
    "rank_by": [{"key": "SHORT"}],
}


def score_of(attempt: Attempt) -> Score:
    assert single.score_attempt(attempt.pk)
    return Score.objects.filter(attempt=attempt).latest("config__number")


def test_every_kind_of_plugin_scores_its_challenge(
    sprint: Challenge, alice: User, put: Put, submit: Submit, bring: Bring
) -> None:
    plugins = put(sprint, FILES)
    assert [(kind, plugin.entrypoint, plugin.error) for kind, plugin in plugins] == [
        ("scorer", "challenge.scorer:Five", None),
        ("metric", "challenge.metrics.longest:Longest", None),
        ("text_metric", "challenge.text.short:Short", None),
    ]
    change_challenge(sprint, user=alice, fields=FIVE)
    assert score_of(submit(sprint, "atlas")).value == 5
    change_challenge(sprint, user=alice, fields=BY_METRIC)
    measured = score_of(bring(sprint, "borea", task_rewards={"one": [1.0]}))
    assert measured.metric_values["longest"]["value"] == 7
    assert measured.code == code_now(sprint.newest) != ""
    change_challenge(sprint, user=alice, fields={**BY_TEXT, "metrics": []})
    evaluated = score_of(bring(sprint, "cirrus", evaluation=document()))
    assert evaluated.metric_values["SHORT"]["value"] == 0.5
    assert not [name for name in sys.modules if name.startswith("challenge_")]


@pytest.mark.parametrize("fields", [FIVE, BY_METRIC, BY_TEXT], ids=["scorer", "metric", "text"])
def test_no_other_challenge_can_name_them(
    five: Challenge, plain: Challenge, alice: User, put: Put, fields: dict[str, Any]
) -> None:
    with refused("invalid"):
        change_challenge(plain, user=alice, fields=fields)
    put(plain, {"other.py": ""})
    with refused("invalid"):
        change_challenge(plain, user=alice, fields=fields)
    inner = placed(five.newest.entrypoint, package_of(five.pk))
    for challenge in (plain, five):
        with refused("invalid"):
            change_challenge(challenge, user=alice, fields={**FIVE, "scoring_entrypoint": inner})


def test_a_document_cannot_name_a_metric_of_the_challenge(five: Challenge, bring: Bring) -> None:
    with refused("invalid"):
        bring(five, "atlas", evaluation=document("SHORT"))


def test_other_code_holds_attempts_until_an_organiser_decides(
    five: Challenge, alice: User, put: Put, submit: Submit
) -> None:
    change_challenge(five, user=alice, fields={"on_code_change": "hold"})
    first, second = submit(five, "atlas"), submit(five, "borea")
    assert score_of(first).value == 5
    put(five, {**FILES, "another.py": "# not imported by the scorer"})
    assert not code_state(five).changed
    put(five, {**FILES, "numbers.py": "FIVE = 55"})
    assert code_state(five).changed
    assert single.score_attempt(second.pk)
    second.refresh_from_db()
    assert second.status == "held"
    config = decide(five, "rescore", user=alice)
    finish(five)
    assert {score.value for score in Score.objects.filter(config=config)} == {55}


def test_an_upload_must_have_what_the_challenge_is_scored_by(
    five: Challenge, alice: User, put: Put
) -> None:
    stored = upload_of(five)
    for files in ({"scorer.py": ""}, {**FILES, "scorer.py": "1 / 0"}):
        with refused("invalid"):
            put(five, files)
    assert upload_of(five) == stored
    with refused("conflict"):
        remove_own_plugins(five, user=alice)
    change_challenge(five, user=alice, fields={"scoring_strategy": "first"})
    remove_own_plugins(five, user=alice)
    assert upload_of(five) is None
    with refused("invalid"):
        change_challenge(five, user=alice, fields=FIVE)


def test_the_operator_turns_uploads_off_and_scoring_goes_on(
    five: Challenge, put: Put, submit: Submit, settings: LazySettings
) -> None:
    settings.CHALLENGE_CODE = False
    with refused("permission_denied"):
        put(five, {"scorer.py": ""})
    assert score_of(submit(five, "atlas")).value == 5


def test_a_copy_has_them_too(five: Challenge, alice: User, submit: Submit) -> None:
    copied = copy_challenge(five, user=alice)
    assert package_of(copied.pk) not in ("", package_of(five.pk))
    digests = ChallengeFile.objects.filter(role="plugins").values_list("sha256", flat=True)
    assert len(digests) == 2
    assert len(set(digests)) == 1
    assert code_now(copied.newest) == code_now(five.newest) != ""


def test_plugins_of_the_server_keep_their_names(sprint: Challenge, put: Put) -> None:
    files = {
        "metrics/mean.py": LONGEST.replace("longest", "mean"),
        "text/bleu.py": SHORT.replace("SHORT", "exact_match"),
        "text/one.py": SHORT,
        "text/two.py": SHORT.replace("SHORT", "Short"),
    }
    errors = [plugin.error is not None for _kind, plugin in put(sprint, files)]
    assert errors == [True, True, False, True]
