"""A phase with a least improvement: small improvements move nothing and tell nothing."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.board.standings.filling import fill_boards
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring import single
from leaderboard.services.scoring.attempt_actions import act
from tests.api.conftest import Api, refused
from tests.services.evaluation.text import EXPECTED, shared_task
from tests.services.house import house

pytestmark = [pytest.mark.django_db, pytest.mark.postgres]

CHALLENGE = "challenges/translation/"
BOARD = f"{CHALLENGE}leaderboard/"
RIGHT = {key: expected[0] for key, expected in EXPECTED.items()}


@pytest.fixture(scope="module", autouse=True)
def _in_house() -> Iterator[None]:
    with house():
        yield


@pytest.fixture
def task(default: Tenant, alice: User) -> Challenge:
    return shared_task(default, alice)


def declare(challenge: Challenge, **fields: Any) -> None:
    change_challenge(challenge, user=None, fields={"phases": [{"slug": "main", **fields}]})
    fill_boards(challenge)


def sent(api: Api, right: int, name: str = "atlas", wrong: str = "no") -> str:
    """Submit an attempt with so many right outputs, and return its address when it is scored."""
    outputs = {key: RIGHT[key] if at < right else wrong for at, key in enumerate(RIGHT)}
    body = {"participant": name, "outputs": outputs}
    url: str = api.post(f"{CHALLENGE}attempts/", body).json()["url"]
    single.score_waiting()
    return url


def ranked(api: Api) -> list[tuple[Any, Any, Any]]:
    return [
        (row["participant"]["slug"], row["rank"], row["values"].get("EXACT_MATCH"))
        for row in api.get(BOARD).json()["rows"]
    ]


def test_a_small_improvement_moves_nothing_and_tells_nothing(
    task: Challenge, submitter: Api, organiser: Api, anyone: Api
) -> None:
    declare(task, least_improvement=0.5)
    first = sent(submitter, 1)
    assert ranked(anyone) == [("atlas", 1, 0.3)]
    small = sent(submitter, 2)
    assert ranked(anyone) == [("atlas", 1, 0.3)]
    for api in (submitter, anyone):
        read = api.get(small).json()
        assert (read["score_hidden"], read["metric_values"], read["counts"]) == (True, {}, False)
        assert (read["status"], read["rank"]) == ("scored", None)
        refused(api.get(f"{small}output.json"), 404, "not_found")
        page = api.client.get(read["html_url"]).content.decode()
        assert "0.6" not in page.partition("<main")[2].partition("</main>")[0]
    assert organiser.get(small).json()["metric_values"]["EXACT_MATCH"]["value"] > 0.6
    assert submitter.get(first).json()["metric_values"]["EXACT_MATCH"]["value"] == 0.3
    large = sent(submitter, 3)
    assert ranked(anyone) == [("atlas", 1, 1.0)]
    assert submitter.get(large).json()["counts"]
    listed = submitter.get(f"{CHALLENGE}attempts/?participant=atlas").json()["results"]
    assert [attempt["score_hidden"] for attempt in listed] == [False, True, True]
    for path in ("leaderboard.csv", "leaderboard.jsonl"):
        assert "0.66" not in body_of(anyone.get(f"{CHALLENGE}{path}"))
    assert verify_standings(task) == []


def test_an_improvement_has_to_exceed_the_error_over_instances(
    task: Challenge, submitter: Api, anyone: Api
) -> None:
    """One more of three right outputs is 0.33 ± 0.33, which 0.3 more than shown does not exceed."""
    declare(task, least_improvement=0.1, significant_improvement=True)
    sent(submitter, 1, "borea")
    sent(submitter, 2)
    assert submitter.get(sent(submitter, 3)).json()["score_hidden"]
    assert ranked(anyone) == [("atlas", 1, 0.7), ("borea", 2, 0.3)]
    sent(submitter, 3, "borea")
    assert ranked(anyone) == [("borea", 1, 1.0), ("atlas", 2, 0.7)]


def test_a_withdrawn_attempt_gives_way_to_the_ones_after_it(
    task: Challenge, submitter: Api, anyone: Api, bob: User
) -> None:
    declare(task, least_improvement=0.3)
    urls = [sent(submitter, right) for right in (3, 1, 2, 3)]
    assert ranked(anyone) == [("atlas", 1, 1.0)]
    first = Attempt.objects.get(pk=urls[0].split("/")[-2])
    act(first, "withdraw", user=bob, organiser=False)
    assert ranked(anyone) == [("atlas", 1, 1.0)]
    assert submitter.get(urls[3]).json()["counts"]
    assert verify_standings(task) == []


def test_rounded_scores_decide_which_attempt_counts_and_the_ranks(
    task: Challenge, submitter: Api, stranger: Api, anyone: Api
) -> None:
    """Of equal scores the first one counts: the second may be better, and nobody learns it."""
    declare(task, decimals=0)
    first = sent(submitter, 2)
    second = sent(submitter, 3)
    other = sent(stranger, 3, "borea")
    assert ranked(anyone) == [("atlas", 1, 1.0), ("borea", 1, 1.0)]
    assert [submitter.get(url).json()["counts"] for url in (first, second)] == [True, False]
    assert stranger.get(other).json()["rank"] == 1
    refused(anyone.get(f"{BOARD}?sort=EXACT_MATCH"), 400, "invalid", "sort")
    assert verify_standings(task) == []
    declare(task)
    assert [rank for _, rank, _ in ranked(anyone)] == [1, 1]
    assert submitter.get(second).json()["counts"]


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"least_improvement": 0}, "least_improvement"),
        ({"least_improvement": -1}, "least_improvement"),
        ({"least_improvement": "0.1"}, "least_improvement"),
        ({"least_improvement": 0.1, "counting": "latest"}, "least_improvement"),
    ],
)
def test_wrong_settings_are_refused(
    task: Challenge, organiser: Api, wrong: dict[str, Any], field: str
) -> None:
    answer = organiser.patch(CHALLENGE, {"phases": [{"slug": "main", **wrong}]})
    refused(answer, 400, "invalid", f"phases.0.{field}")


def test_the_best_attempt_counts_whatever_the_challenge_says(
    task: Challenge, organiser: Api
) -> None:
    body = {"counting": "latest", "phases": [{"slug": "main", "least_improvement": 0.1}]}
    (phase,) = organiser.patch(CHALLENGE, body).json()["phases"]
    assert (phase["counting"], phase["least_improvement"]) == ("best", 0.1)


def body_of(answer: Any) -> str:
    if answer.streaming:
        return b"".join(answer.streaming_content).decode()
    return str(json.dumps(answer.content.decode()))
