"""Reading a board of a million attempts: the product against bare SQL and other methods.

`python -m benchmarks ranking[=N]`, on SQLite and on PostgreSQL.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

import psycopg
from django.db import connection
from django.test import Client

from benchmarks.parts.crowd import VALUES, fill, make_challenge
from benchmarks.parts.measure import Timing, shuffled, timed
from benchmarks.parts.report import Line, Table
from leaderboard.models import Board, Challenge, Participant, Score
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import (
    page_after,
    page_number,
    search,
    sorted_by,
    standing_of,
)
from leaderboard.services.board.reading.ranks import forget_bucket_bounds
from leaderboard.services.board.reading.row_sql import page_sql
from leaderboard.services.board.reading.totals import totals_of
from leaderboard.services.board.standings.counting import rebuild_standings

PAGE = 50


def run(*, attempts: int = 1_000_000) -> Table:
    """Return one table for the database of the Django settings."""
    challenge = make_challenge("Ranking", VALUES)
    fill(challenge, participants=attempts // 10, attempts=attempts)
    start = time.perf_counter()
    rebuild_standings(challenge)
    rebuilt = time.perf_counter() - start
    start = time.perf_counter()
    rebuild_standings(challenge)
    again = time.perf_counter() - start
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    challenge = Challenge.objects.select_related("shown_config", "tenant").get(pk=challenge.pk)
    lines = list(_lines(challenge, attempts))
    lines.append(Line("standings rebuilt from attempts and scores", f"{rebuilt:.1f} s", ""))
    lines.append(Line("rebuilt once more, when none is wrong", f"{again:.1f} s", ""))
    return Table(f"Board of {attempts:,} attempts on {connection.vendor}", lines)


def _lines(challenge: Challenge, attempts: int) -> Any:
    board = board_at(challenge)
    ways: dict[str, Callable[[], object]] = {
        "the same SELECT by the bare driver": _bare(board),
        "first page": partial(page_after, board),
    }
    firsts = shuffled(ways, rounds=500)
    bare, first = firsts.values()
    for what, timing in firsts.items():
        yield Line(what, str(timing), f"{timing.p50 / bare.p50:.2f} ×")
    last = attempts // 10 // PAGE
    for number in (last // 2, last):
        deep = timed(partial(page_number, board, number), rounds=30)
        yield Line(f"page {number}", str(deep), f"{deep.p50 / bare.p50:.1f} ×")
    people = list(Participant.objects.order_by("?")[:60])
    own = timed(lambda: standing_of(board, random.choice(people)), rounds=60)
    yield Line("own rank", str(own), f"{own.p50 / bare.p50:.1f} ×")
    yield from _sorted(board, attempts // 10, bare)
    for text in (people[0].handle[-6:], people[0].handle[-3:]):
        search_timing = timed(partial(search, board, text, limit=PAGE + 1), rounds=60)
        what = f"search for {text}{_without_index()}"
        yield Line(what, str(search_timing), f"{search_timing.p50 / bare.p50:.1f} ×")
    yield from _over_api(challenge, people)
    totals = timed(lambda: totals_of(board), rounds=100)
    yield Line("totals, once counted for this version", str(totals), "")
    for name, way, rounds in (
        ("window function at read time", _window(challenge), 3),
        ("all attempts ordered, de-duplicated in Python", _in_python(challenge), 1),
    ):
        other = timed(way, rounds=rounds, warm=0)
        yield Line(name, str(other), f"{other.p50 / first.p50:,.0f} × the first page")


def _without_index() -> str:
    """What a search reads where no index finds parts of names: SQLite, PostgreSQL without pg_trgm.

    The PostgreSQL that the benchmarks start themselves does not have this extension.
    """
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_extension WHERE extname = 'pg_trgm'")
            if cursor.fetchone():
                return ""
    return " among all names, without an index"


def _over_api(challenge: Challenge, people: Sequence[Participant]) -> Iterator[Line]:
    """Answers of the API, in process: without what a server and the network take."""
    client, address = Client(headers={"host": "localhost"}), f"/api/v1/challenges/{challenge.slug}"

    def read(path: str) -> None:
        answer = client.get(path)
        assert answer.status_code == 200
        assert answer.getvalue()

    def standing() -> None:
        read(f"{address}/standings/{random.choice(people).slug}/")

    health = timed(lambda: read("/healthz"), rounds=60)
    own = timed(standing, rounds=60)
    yield Line("a standing by the API", str(own), f"{own.p50 / health.p50:.1f} × `/healthz`")
    start = time.perf_counter()
    read(f"{address}/leaderboard.csv")
    yield Line("the whole board as CSV", f"{time.perf_counter() - start:.1f} s", "")


def _sorted(board: Board, participants: int, bare: Timing) -> Iterator[Line]:
    """Pages sorted by facts and by reported values, at the beginning and far into the board."""
    pages = [("elapsed_ms", False, 0), ("rating", True, 0), ("quality", True, 0)]
    pages += [("quality", True, participants // 2), ("elapsed_ms", False, participants // 2)]
    for key, descending, start in pages:
        page = partial(sorted_by, board, key, descending=descending, start=start)
        timing = timed(partial(page, limit=PAGE + 1), rounds=30)
        what = f"sorted by {key}, {'most' if descending else 'least'} first, from {start:,} on"
        yield Line(what, str(timing), f"{timing.p50 / bare.p50:.1f} ×")
    name = next(iter(VALUES))
    timing = timed(partial(_by_a_new_process, board, name), rounds=60)
    what = f"sorted by {name}, most first, in a process that has not read this version"
    yield Line(what, str(timing), f"{timing.p50 / bare.p50:.1f} ×")


def _by_a_new_process(board: Board, key: str) -> object:
    forget_bucket_bounds()
    return sorted_by(board, key, descending=True, limit=PAGE + 1)


def _bare(board: Board) -> Callable[[], object]:
    """Return a call that runs only the first page's statement, prepared and binary, by the driver.

    Like a reader's, it is in no transaction, and in UTC: for any other zone, the driver converts
    each time.
    """
    sql, parameters = page_sql(connection.vendor, PAGE + 1), [board.pk, b""]
    connection.ensure_connection()
    driver: Any = connection.connection
    if connection.vendor == "sqlite":
        sql = sql.replace("%s", "?")
        return lambda: driver.execute(sql, parameters).fetchall()
    info = driver.info
    own = psycopg.connect(info.dsn, password=info.password, autocommit=True)
    own.execute("SET TIME ZONE 'UTC'")
    cursor = psycopg.Cursor(own)
    return lambda: cursor.execute(sql, parameters, prepare=True, binary=True).fetchall()


def _window(challenge: Challenge) -> Callable[[], object]:
    sql = """
        SELECT participant_id, value, rank() OVER (ORDER BY value DESC) AS place FROM (
            SELECT a.participant_id, max(s.value) AS value
            FROM leaderboard_score s JOIN leaderboard_attempt a ON a.id = s.attempt_id
            WHERE s.config_id = %s GROUP BY a.participant_id
        ) best ORDER BY place LIMIT 50"""

    def read() -> object:
        with connection.cursor() as cursor:
            cursor.execute(sql, [challenge.shown.pk])
            return cursor.fetchall()

    return read


def _in_python(challenge: Challenge) -> Callable[[], object]:
    def read() -> object:
        best: dict[int, Score] = {}
        scores = Score.objects.filter(config=challenge.shown).select_related("attempt")
        for score in scores.order_by("-value", "attempt__submitted_at").iterator():
            best.setdefault(score.attempt.participant_id, score)
        return list(best.items())[:PAGE]

    return read
