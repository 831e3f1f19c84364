"""Filters by the meta of the attempts that count, compared with a plain reading of the texts."""

from __future__ import annotations

from datetime import date

import pytest

from leaderboard.api.serializers.board_queries import BoardQuery, CsvQuery
from leaderboard.models import Attempt, Challenge, User
from leaderboard.rules.json.stored import StoredMetaField
from leaderboard.rules.visibility.meta_values import MetaTest, fields_of, is_link, typed
from leaderboard.services.attempts.submit import NewAttempt, submit_attempt
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading import ranking
from leaderboard.services.board.reading.meta_query import TAKEN, meta_asked, meta_json
from leaderboard.services.board.reading.row_filter import RowFilter
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.scoring.single import score_waiting
from tests.services.refusals import check_refusals

pytestmark = pytest.mark.django_db

TEXTS = (
    "7",
    "7.5",
    "-3",
    "70",
    "7B",
    "1e3",
    " 7",
    "NaN",
    "true",
    "Yes",
    "0",
    "no",
    "2026-01-05",
    "2026-01-05T10:00:00Z",
    "2025-13-40",
    "2025-06-30",
    "2026-1-5",
    "https://example.org/x",
    "javascript:alert(1)",
    "MIT",
    "mit",
    "O'Neill \" \\",
    "早い",
)
NAME = "a \"name\" with 'quotes'.and.dots"


@pytest.fixture
def crowd(sprint: Challenge, alice: User) -> Challenge:
    for at, text in enumerate([*TEXTS, None]):
        new = NewAttempt(
            participant=f"p{at}",
            metrics={"succeeded": True, "elapsed_ms": at},
            meta={} if text is None else {NAME: text, "other": "7"},
        )
        submit_attempt(challenge=sprint, user=alice, new=new)
    score_waiting()
    return sprint


def plainly(test: MetaTest, text: str) -> bool:
    value = typed(test.type, text)
    if test.type == "number" and isinstance(value, float):
        return not (test.least and value < float(test.least)) and not (
            test.most and value > float(test.most)
        )
    if test.type == "date" and isinstance(value, date):
        return not (test.least and value < date.fromisoformat(test.least)) and not (
            test.most and value > date.fromisoformat(test.most)
        )
    if test.type == "boolean":
        return isinstance(value, bool) and value == (test.equals == "true")
    if test.type == "link":
        return is_link(text)
    return test.type == "text" and text == test.equals


TESTS = (
    MetaTest(NAME, "number", most="7"),
    MetaTest(NAME, "number", least="-3", most="7.5"),
    MetaTest(NAME, "number", least="7"),
    MetaTest(NAME, "date", least="2026-01-05", most="2026-01-05"),
    MetaTest(NAME, "date", most="2025-12-31"),
    MetaTest(NAME, "boolean", equals="true"),
    MetaTest(NAME, "boolean", equals="false"),
    MetaTest(NAME, "link", equals="true"),
    *(MetaTest(NAME, "text", equals=text) for text in TEXTS[-4:]),
)


def test_a_filter_finds_what_a_scan_finds(crowd: Challenge) -> None:
    metas = dict(Attempt.objects.values_list("pk", "meta"))
    for test in TESTS:
        assert test.is_right
        page = ranking.matching(board_at(crowd), RowFilter(meta=(test,)))
        texts = [metas[row.attempt_id][NAME] for row in page.rows if row.attempt_id]
        assert texts == [text for text in TEXTS if plainly(test, text)], test
        assert texts
        assert [row.here for row in page.rows] == list(range(1, len(texts) + 1))
        assert page.matches == len(texts)


def test_filters_go_together(crowd: Challenge) -> None:
    two = (TESTS[0], MetaTest("other", "number", least="7"))
    page = ranking.matching(board_at(crowd), RowFilter(meta=two))
    assert [row.participant.handle for row in page.rows] == ["p0", "p2", "p10"]
    three = (*two, MetaTest("other", "number", least="8"))
    assert ranking.matching(board_at(crowd), RowFilter(meta=three)).rows == []


def test_the_query_of_the_api_is_read_and_written(crowd: Challenge) -> None:
    declared = [{"name": name, "type": name} for name in ("number", "date", "boolean", "link")]
    declared.append({"name": "text"})
    text = (
        '{"number": {"max": 7.5}, "date": {"min": "2026-01-05"}, "boolean": false, "link": true,'
        ' "text": "MIT"}'
    )
    tests = meta_asked(text, declared)
    assert all(test.is_right for test in tests)
    assert meta_json(tests) == {
        "number": {"max": 7.5},
        "date": {"min": "2026-01-05"},
        "boolean": False,
        "link": True,
        "text": "MIT",
    }


def test_a_wrong_filter_is_named() -> None:
    declared = [{"name": name, "type": name} for name in ("number", "date", "boolean", "link")]
    declared.append({"name": "text"})
    cases = [
        ("[]", "JSON object; got []"),
        ("{", "JSON"),
        ('{"ghost": 1}', "number, date, boolean, link, text", 'got "ghost"'),
        ('{"number": 7}', "number: ", "got 7"),
        ('{"number": [7]}', "number: ", "got a list"),
        ('{"number": {}}', "number: ", "got neither"),
        ('{"number": {"min": null}}', "number: ", "got neither"),
        ('{"number": {"least": 7}}', "number.least: ", "(min, max)"),
        ('{"number": {"max": "many"}}', "number.max: ", 'got "many"'),
        ('{"number": {"max": true}}', "number.max: ", "got true"),
        ('{"date": "2026-01-05"}', "date: ", "min or max"),
        ('{"date": {"min": "2026-02-30"}}', "date.min: ", 'got "2026-02-30"'),
        ('{"date": {"min": 2026}}', "date.min: ", "got 2026"),
        ('{"boolean": "maybe"}', "boolean: ", 'got "maybe"'),
        ('{"boolean": 1}', "boolean: ", "got 1"),
        ('{"link": false}', "link: ", "got false"),
        ('{"text": ""}', "text: ", 'got ""'),
        ('{"text": 7}', "text: ", "got 7"),
    ]
    check_refusals(
        lambda query: meta_asked(query, declared),
        [(query, "meta", *parts) for query, *parts in cases],
    )


def test_numbers_and_truth_values_may_be_texts() -> None:
    declared = [{"name": "size", "type": "number"}, {"name": "open", "type": "boolean"}]
    tests = meta_asked('{"size": {"min": "7", "max": null}, "open": "true"}', declared)
    assert tests == (
        MetaTest("size", "number", least="7"),
        MetaTest("open", "boolean", equals="true"),
    )


def test_organisers_declare_fields(sprint: Challenge, alice: User) -> None:
    good: list[StoredMetaField] = [
        {"name": "size", "type": "number", "unit": "B", "shown": True},
        {"name": "license"},
    ]
    changed = change_challenge(sprint, user=alice, fields={"meta_fields": good})
    assert changed.meta_fields == good
    assert [field.label for field in fields_of(good)] == ["size", "license"]
    cases = [
        ([{"name": "a", "unit": "B"}], "meta_fields.0.unit"),
        ([{"name": "a"}, {"name": "a"}], "meta_fields"),
        ([{"name": "a", "type": "colour"}], "meta_fields.0.type"),
        ([{"name": ""}], "meta_fields.0.name"),
        ([{"label": "A"}], "meta_fields.0.name"),
        ([{"name": f"f{at}"} for at in range(21)], "meta_fields"),
    ]
    check_refusals(
        lambda wrong: change_challenge(sprint, user=alice, fields={"meta_fields": wrong}), cases
    )


def test_no_parameter_of_boards_is_the_short_name_of_a_field() -> None:
    assert {*BoardQuery().fields, *CsvQuery().fields} <= TAKEN
