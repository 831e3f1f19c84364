"""Reading attempts: scores, visibility of details, lists and their pages."""

from __future__ import annotations

from uuid import UUID

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Score, ScoringConfig
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.rescoring import start_rescore, work_on
from leaderboard.services.scoring.single import score_waiting
from tests.api.conftest import ME, METRICS, Api, Run, refused


def test_the_best_attempt_counts(anyone: Api, run: Run) -> None:
    slow, fast = run("atlas", elapsed_ms=900), run("atlas", elapsed_ms=100)
    other = run("nova", elapsed_ms=500)
    read = [anyone.get(attempt["url"]).json() for attempt in (slow, fast, other)]
    assert [(attempt["counts"], attempt["rank"]) for attempt in read] == [
        (False, None),
        (True, 1),
        (True, 2),
    ]


def test_an_unsuccessful_attempt_counts_without_a_rank(run: Run) -> None:
    read = run("atlas", succeeded=False)
    assert (read["status"], read["counts"], read["rank"]) == ("scored", True, None)


def test_a_withdrawn_attempt_says_so(anyone: Api, run: Run) -> None:
    read = run("atlas")
    withdraw_attempt(Attempt.objects.get(), reason="Leaked")
    read = anyone.get(read["url"]).json()
    assert read["withdrawn"]["reason"] == "Leaked"
    assert read["withdrawn"]["at"].endswith("Z")
    assert (read["counts"], read["rank"]) == (False, None)


def test_a_missing_attempt_is_not_found(anyone: Api) -> None:
    for key in (UUID(int=7), "x", "1"):
        refused(anyone.get(f"attempts/{key}/"), 404, "not_found")


class TestDetails:
    """Who may see the details of a score; a score is stored as if a scorer had given it."""

    @pytest.fixture
    def scored(self, run: Run, sprint: Challenge) -> str:
        read = run("atlas")
        Score.objects.update(value=0.0, raw_value=-3.0, details={"base": 1}, output="printed")
        return str(read["url"])

    def test_a_clamped_score_has_its_raw_score(self, anyone: Api, scored: str) -> None:
        read = anyone.get(scored).json()
        assert (read["score"], read["raw_score"], read["clamped"]) == (0.0, -3.0, True)

    def test_details_are_shown_to_those_whom_the_challenge_chooses(
        self, anyone: Api, submitter: Api, organiser: Api, stranger: Api, scored: str
    ) -> None:
        for visibility, public_details, readers in (
            ("auto", True, [anyone, submitter, organiser, stranger]),
            ("auto", False, [submitter, organiser]),
            ("public", False, [anyone, submitter, organiser, stranger]),
            ("participant", True, [submitter, organiser]),
            ("organiser", True, [organiser]),
        ):
            Challenge.objects.update(details_visibility=visibility)
            ScoringConfig.objects.update(public_details=public_details)
            for api in (anyone, submitter, organiser, stranger):
                read = api.get(scored).json()
                (listed,) = api.get("challenges/sprint/attempts/").json()["results"]
                for attempt in (read, listed):
                    assert (attempt["details"] is not None) == (api in readers), visibility

    def test_only_organisers_see_the_output(
        self, anyone: Api, submitter: Api, organiser: Api, stranger: Api, scored: str
    ) -> None:
        assert organiser.get(scored).json()["output"] == "printed"
        for api in (anyone, submitter, stranger):
            assert not {"output", "error_detail"} & set(api.get(scored).json())

    def test_all_see_the_error_message_and_organisers_the_traceback(
        self, anyone: Api, organiser: Api, scored: str
    ) -> None:
        Score.objects.update(
            value=None,
            raw_value=None,
            error_code="exception",
            error_message="The scorer failed.",
            error_detail="Traceback: /srv/x.py",
        )
        read = anyone.get(scored).json()
        assert read["status"] == "failed"
        assert read["score"] is None
        assert read["error"] == {"code": "exception", "message": "The scorer failed."}
        assert organiser.get(scored).json()["error_detail"] == "Traceback: /srv/x.py"


def test_an_attempt_has_the_score_of_the_shown_version(
    anyone: Api, run: Run, sprint: Challenge
) -> None:
    first = run("atlas")
    changed = change_challenge(sprint, user=None, fields={"scoring_strategy": "fewest_tokens"})
    second = run("nova")
    versions = [anyone.get(attempt["url"]).json()["scoring_version"] for attempt in (first, second)]
    assert versions == [1, 1]
    config, _ = start_rescore(changed)
    work_on(config.pk)
    versions = [anyone.get(attempt["url"]).json()["scoring_version"] for attempt in (first, second)]
    assert versions == [2, 2]


class TestList:
    PATH = "challenges/sprint/attempts/"

    @pytest.fixture
    def attempts(self, submitter: Api, sprint: Challenge) -> list[str]:
        """Return the ids of 40 attempts, all submitted at the same time, in order."""
        body = submitter.lines(
            f"{self.PATH}bulk/",
            *({"participant": f"p{at % 7}", "metrics": METRICS} for at in range(40)),
        ).json()
        return list(body["attempts"])

    def test_pages_are_newest_first_and_complete(self, anyone: Api, attempts: list[str]) -> None:
        ids, cursor = [], ""
        for _ in range(6):
            body = anyone.get(f"{self.PATH}?limit=7&cursor={cursor}").json()
            assert len(body["results"]) <= 7
            ids += [attempt["id"] for attempt in body["results"]]
            cursor = body["next"]
        assert ids == attempts[::-1]

    def test_the_link_leads_to_the_next_page(self, anyone: Api, attempts: list[str]) -> None:
        first = anyone.get(f"{self.PATH}?limit=5")
        link = first["Link"]
        assert link.endswith('>; rel="next"')
        address = link[1:].split(">")[0].removeprefix("http://testserver")
        body = anyone.get(address).json()
        assert [attempt["id"] for attempt in body["results"]] == attempts[::-1][5:10]

    def test_new_attempts_do_not_move_the_pages(
        self, anyone: Api, run: Run, attempts: list[str]
    ) -> None:
        cursor = anyone.get(f"{self.PATH}?limit=5").json()["next"]
        run("late")
        body = anyone.get(f"{self.PATH}?limit=5&cursor={cursor}").json()
        assert [attempt["id"] for attempt in body["results"]] == attempts[::-1][5:10]

    def test_the_list_can_be_filtered_by_participant(self, anyone: Api, run: Run) -> None:
        mine = run("Atlas of Rhodes")
        run("nova")
        for who in ("atlas-of-rhodes", "ATLAS%20OF%20RHODES"):
            body = anyone.get(f"{self.PATH}?participant={who}").json()
            assert [attempt["id"] for attempt in body["results"]] == [mine["id"]]
        assert anyone.get(f"{self.PATH}?participant=nobody").json()["results"] == []

    def test_many_attempts_take_as_many_queries_as_one(
        self, anyone: Api, run: Run, attempts: list[str]
    ) -> None:
        score_waiting()
        anyone.get(self.PATH)  # The process knows the bounds of the board from here on.
        with CaptureQueriesContext(connection) as some:
            anyone.get(f"{self.PATH}?limit=34")
        with CaptureQueriesContext(connection) as many:
            body = anyone.get(f"{self.PATH}?limit=40").json()
        assert len(body["results"]) == 40
        assert sum(attempt["counts"] for attempt in body["results"]) == 7
        assert len(many) == len(some) == 6

    def test_a_wrong_parameter_is_refused(self, anyone: Api, sprint: Challenge) -> None:
        for name, value in (("cursor", UUID(int=7)), ("participant", "%00")):
            refused(anyone.get(f"{self.PATH}?{name}={value}"), 400, "invalid", name)


def test_ids_sort_by_time(run: Run) -> None:
    ids = [UUID(run("atlas")["id"]) for _ in range(3)]
    assert ids == sorted(ids)


def test_organisers_see_look_alike_names(
    organiser: Api, submitter: Api, anyone: Api, sprint: Challenge
) -> None:
    submitter.post("challenges/sprint/attempts/", {**ME, "participant": "Atlas"})
    address = submitter.post("challenges/sprint/attempts/", {**ME, "participant": "At1as"}).json()
    assert organiser.get(address["url"]).json()["looks_like"] == ["Atlas"]
    for api in (submitter, anyone):
        assert "looks_like" not in api.get(address["url"]).json()


def test_every_reader_gets_the_required_fields(
    organiser: Api, submitter: Api, anyone: Api, sprint: Challenge
) -> None:
    answers = [submitter.post("challenges/sprint/attempts/", ME).json()]
    answers += [api.get(answers[0]["url"]).json() for api in (organiser, submitter, anyone)]
    schema = Client().get("/api/schema/", headers={"Accept": "application/json"}).json()
    shapes = schema["components"]["schemas"]
    shape, newly = shapes["OneAttempt"], shapes["NewlySubmitted"]
    assert set(newly["required"]) <= set(answers[0]) <= set(newly["properties"])
    for answer in answers[1:]:
        assert set(shape["required"]) <= set(answer) <= set(shape["properties"])


def test_a_waiting_attempt_has_its_queue_position(submitter: Api, sprint: Challenge) -> None:
    path = "challenges/sprint/attempts/"
    ids = [submitter.post(path, ME).json()["id"] for _ in range(2)]
    assert submitter.post(path, ME).json()["queue"] is None
    first, second = (submitter.get(f"attempts/{id_}/").json()["queue"] for id_ in ids)
    nowhere = {"is_least": False, "expected_start": None}
    assert first == {"position": 1, "ahead": 0, **nowhere}
    assert second == {"position": 2, "ahead": 1, **nowhere}
    assert "queue" not in submitter.get(path).json()["results"][0]
    score_waiting()
    assert submitter.get(f"attempts/{ids[0]}/").json()["queue"] is None
