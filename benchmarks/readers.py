"""What pages cost a server for signed-in readers, beside its health check.

`python -m benchmarks readers[=N]`, on a board of N attempts by a tenth as many participants, and on
one with strips of tasks and intervals. Several competitors read in turn, each page not for the
first time since the board has changed. Measured is the processor time of an embedded server.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from http.client import HTTPConnection
from itertools import cycle
from typing import Final

from django.conf import settings
from django.db import connection
from django.test import Client

from benchmarks.pages import METRICS, made_board
from benchmarks.parts import measure
from benchmarks.parts.crowd import VALUES, fill, make_challenge
from benchmarks.parts.report import Line, Table
from benchmarks.parts.server import embedded_server
from leaderboard.models import Challenge, Participant, Registration, User
from leaderboard.services.board.standings.counting import rebuild_standings

READERS: Final = 4
ROUNDS: Final = 100
ROWS: Final = 60


def run(*, attempts: int = 10_000) -> Table:
    """Return one table for the database of the Django settings."""
    crowd = make_challenge("Readers", VALUES)
    fill(crowd, participants=attempts // 10, attempts=attempts)
    rebuild_standings(crowd)
    judged = made_board(min(ROWS, attempts))
    cookies = [_reader([crowd, judged], at) for at in range(READERS)]
    with embedded_server("") as (site, process):
        server = (site.port, process)
        pages = [
            (f"{what}, {who}", _spent(server, some, address, ROUNDS))
            for what, address in _addresses(crowd, judged)
            for who, some in (("signed in", cookies), ("anonymous", [""]))
        ]
        # Last, when the server has started all that it does beside.
        health = _spent(server, [""], "/healthz", 10 * ROUNDS)
    lines = [Line("/healthz", f"{health:.2f} ms", "1")]
    for what, spent in pages:
        lines.append(Line(what, f"{spent:.1f} ms", f"{spent / health:.1f} × `/healthz`"))
    return Table(f"Pages for readers, {connection.vendor}", lines)


def _addresses(crowd: Challenge, judged: Challenge) -> Iterator[tuple[str, str]]:
    """Each page with its address."""
    board = f"/c/{crowd.slug}/"
    for what, query in (
        ("first page", ""),
        ("page 5", "?page=5"),
        ("sorted by a column", "?sort=-quality"),
    ):
        yield f"board, {what}", f"{board}{query}"
    yield "board with strips and intervals, first page", f"/c/{judged.slug}/"
    yield "the same, page 2", f"/c/{judged.slug}/?page=2"
    yield "the same, sorted", f"/c/{judged.slug}/?sort={METRICS[1]}"
    yield "the same, all rows", f"/c/{judged.slug}/?rows=all"
    participant = Participant.objects.filter(tenant=crowd.tenant_id).order_by("pk")[:1].get()
    yield "home", "/"
    yield "a participant", f"{board}p/{participant.slug}/"


def _reader(challenges: Sequence[Challenge], at: int) -> str:
    """Sign in a competitor with a row on each board; returns their cookie."""
    user = User.objects.create_user(f"reader-{at}")
    for challenge in challenges:
        rows = challenge.shown.boards.get().standings.order_by("sort_key")
        row = rows[at * 30 % rows.count()]
        Participant.objects.filter(pk=row.participant_id).update(owner=user)
        Registration.objects.get_or_create(challenge=challenge, participant=row.participant)
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def _spent(server: tuple[int, int], cookies: Sequence[str], address: str, rounds: int) -> float:
    """Processor milliseconds that a page takes a server. server: its port and process id."""
    port, process = server
    rounds = min(rounds, 10 * measure.most_rounds)
    with closing(HTTPConnection("127.0.0.1", port)) as connection:
        readers = cycle(cookies)
        for _ in range(2 * len(cookies)):
            _read(connection, address, next(readers))
        start = measure.spent_by([process])
        for _ in range(rounds):
            _read(connection, address, next(readers))
    return (measure.spent_by([process]) - start) / rounds


def _read(connection: HTTPConnection, address: str, cookie: str) -> None:
    connection.request("GET", address, headers={"Cookie": cookie} if cookie else {})
    answer = connection.getresponse()
    answer.read()
    assert answer.status == 200, f"{address}: {answer.status}"
