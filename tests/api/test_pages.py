"""Limits and cursors: invalid ones are refused by name, in every list."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from leaderboard.models import Challenge
from tests.api.conftest import Api, refused

BOARD = "challenges/sprint/leaderboard/"
LISTS = {
    "challenges/": 100,
    "challenges/sprint/attempts/": 100,
    BOARD: 500,
    "tasks": 1000,
}
WRONG_LIMITS = ("0", "-1", "x", "1.0", "1e1", "٣", "%201", "+1", "0x1", "9" * 11, "%00", "true")
WRONG_CURSORS = [
    "W" * 3000,
    *["x", "-1", "1.0", "%00", "٣", "null", "None", "🏆", "AA", "99999999999"],
]


@pytest.fixture
def address(run: Callable[..., dict[str, Any]]) -> Callable[[str], str]:
    attempts = [run(f"p{at}", elapsed_ms=at) for at in range(3)]
    return lambda path: f"{attempts[0]['url']}tasks.json" if path == "tasks" else path


def test_wrong_limits_are_refused(anyone: Api, address: Callable[[str], str]) -> None:
    for path, most in LISTS.items():
        for good in ("", "1", str(most)):
            assert anyone.get(f"{address(path)}?limit={good}").status_code == 200
        for wrong in (*WRONG_LIMITS, str(most + 1)):
            answer = anyone.get(f"{address(path)}?limit={wrong}")
            error = refused(answer, 400, "invalid", "limit")
            assert f"from 1 to {most}; got " in error["fields"]["limit"][0], path


def test_wrong_cursors_are_refused(anyone: Api, address: Callable[[str], str]) -> None:
    for path in (*LISTS, f"{BOARD}?sort=elapsed_ms", f"{BOARD}?search=p"):
        mark = "&" if "?" in path else "?"
        assert anyone.get(f"{address(path)}{mark}cursor=").status_code == 200
        for wrong in WRONG_CURSORS:
            answer = anyone.get(f"{address(path)}{mark}cursor={wrong}")
            refused(answer, 400, "invalid", "cursor")


def test_a_cursor_is_valid_for_its_query_only(
    anyone: Api, organiser: Api, address: Callable[[str], str], sprint: Challenge
) -> None:
    """A cursor of the board, used for a search, would silently skip rows."""
    queries = ["", "sort=elapsed_ms", "sort=-elapsed_ms", "search=p", "search=p&sort=elapsed_ms"]
    cursors = [anyone.get(f"{BOARD}?limit=1&{query}").json()["next"] for query in queries]
    assert len(set(cursors)) == len(queries)
    for query in queries:
        for cursor, other in zip(cursors, queries, strict=True):
            answer = anyone.get(f"{BOARD}?limit=2&{query}&cursor={cursor}")
            if query == other:
                assert len(answer.json()["rows"]) == 2
            else:
                refused(answer, 400, "invalid", "cursor")
    organiser.post("challenges/", {"name": "Other", "scoring_strategy": "fastest"})
    elsewhere = anyone.get(f"challenges/other/leaderboard/?cursor={cursors[0]}")
    refused(elsewhere, 400, "invalid", "cursor")


def test_wrong_sort_keys_are_refused(anyone: Api, sprint: Challenge) -> None:
    for sort in ("luck", "-", "--elapsed_ms", "elapsed_ms,rating", "-luck", "ELAPSED_MS"):
        refused(anyone.get(f"{BOARD}?sort={sort}"), 400, "invalid", "sort")


def test_wrong_columns_are_refused(anyone: Api, sprint: Challenge) -> None:
    for columns in (",", "a", "elapsed_ms,", "elapsed_ms,,rating", "elapsed_ms, rating"):
        for ending in ("/", ".csv", ".jsonl"):
            path = f"challenges/sprint/leaderboard{ending}?columns={columns}"
            refused(anyone.get(path), 400, "invalid", "columns")


def test_wrong_states_and_searches_are_refused(anyone: Api, sprint: Challenge) -> None:
    for state in ("open", "Active", "active,closed"):
        refused(anyone.get(f"challenges/?state={state}"), 400, "invalid", "state")
    for search in ("%00", "a" * 121):
        refused(anyone.get(f"{BOARD}?search={search}"), 400, "invalid", "search")


def test_wrong_switches_are_refused(submitter: Api, sprint: Challenge) -> None:
    for switch in ("", "yes", "true", "2", "٠"):
        answer = submitter.lines(f"challenges/sprint/attempts/bulk/?atomic={switch}")
        refused(answer, 400, "invalid", "atomic")
        answer = submitter.send(
            "post",
            f"challenges/sprint/imports/?dry_run={switch}",
            b"--x--",
            "multipart/form-data; boundary=x",
        )
        refused(answer, 400, "invalid", "dry_run")
