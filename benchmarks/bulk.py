"""Many attempts in one request, compared with platforms that insert them one by one.

`python -m benchmarks bulk[=N]`
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any

from django.db import connection, connections
from django.test import Client
from rest_framework import serializers

from benchmarks.parts.crowd import VALUES, make_challenge
from benchmarks.parts.report import Line, Table
from leaderboard.api.bulk_parsers import LinesParser
from leaderboard.models import Attempt, Challenge, Participant, User
from leaderboard.operating.heap import keep_what_is_loaded
from leaderboard.rules.texts.names import clean_name, name_key
from leaderboard.services.tokens import create_token

ROUNDS = 3
REPORTED = {"quality": 0.5, "recall": 0.25, "solved": 12}
NONE: Mapping[str, float] = {}
PAUSE_SECONDS = 0.05
"""Pause between two single submissions while a bulk is saved."""


def run(*, attempts: int = 10_000) -> Table:
    """Return a table: CPU microseconds of this process for each attempt, JSON apart, and waits."""
    keep_what_is_loaded()  # as servers do
    user, _ = User.objects.get_or_create(username="bench")
    token = create_token(user=user, scopes=["submit"])[1]
    door = Door(make_challenge("Bulk"), token)
    with_values = Door(make_challenge("Bulk with values", VALUES), token)
    for target in (door, with_values):
        target.submit("single")
    parsing = _parsing(_body(attempts, "p")) / attempts
    baseline = _one_by_one(door.challenge, user, min(attempts, 2000)) - parsing
    lines = [
        Line("strict JSON alone", _micro(parsing), ""),
        Line("checked and inserted one by one", _micro(baseline), "1"),
    ]
    for what, to, people, values in (
        ("new participants", door, "new{}", {}),
        ("known participants", door, "new0", {}),
        ("new participants with names beyond ASCII", door, "Grüße {} 你好", {}),
        ("new participants with three values each", with_values, "other{}", REPORTED),
    ):
        bodies = [_body(attempts, people.format(at), values) for at in range(ROUNDS)]
        spent = min(_beyond_parsing(to, body, attempts) for body in bodies)
        lines.append(Line(f"bulk, {what}", _micro(spent), f"{spent / baseline:.3f}"))
    lines.append(Line("statements of a bulk", str(door.statements(_body(attempts, "s"))), ""))
    lines += door.beside_a_bulk(_body(attempts, "w"), attempts)
    return Table(f"Bulk, {attempts:,} attempts ({connection.vendor})", lines)


class _MetricsSerializer(serializers.Serializer[Any]):
    succeeded = serializers.BooleanField(required=False)
    tokens_total = serializers.IntegerField(required=False, min_value=0)
    elapsed_ms = serializers.IntegerField(required=False, min_value=0)
    rating = serializers.FloatField(required=False, min_value=0, max_value=10)
    created_at = serializers.IntegerField(required=False, min_value=0)


class _AttemptSerializer(serializers.Serializer[Any]):
    """What a platform of Django REST framework checks in an attempt."""

    participant = serializers.CharField(max_length=120)
    metrics = _MetricsSerializer()


class Door:
    """The API as clients see it, without HTTP."""

    def __init__(self, challenge: Challenge, token: str) -> None:
        self.challenge = challenge
        self._path = f"/api/v1/challenges/{challenge.slug}/attempts/"
        self._headers = {"Authorization": f"Bearer {token}", "Host": "localhost"}
        self._client = Client(headers=self._headers)

    def submit(self, participant: str) -> None:
        body = json.dumps(_attempt(participant)).encode()
        answer = self._post(self._path, body, "application/json")
        assert answer.status_code == 202, answer.content

    def submit_many(self, body: bytes, expected: int) -> None:
        answer = self._post(f"{self._path}bulk/", body, "application/x-ndjson")
        assert answer.status_code == 200, answer.content[:500]
        assert answer.json()["accepted"] == expected, answer.content[:500]

    def statements(self, body: bytes) -> int:
        count = 0

        def counted(execute: Callable[..., Any], *rest: Any) -> Any:
            nonlocal count
            count += 1
            return execute(*rest)

        with connection.execute_wrapper(counted):
            self._post(f"{self._path}bulk/", body, "application/x-ndjson")
        return count

    def beside_a_bulk(self, body: bytes, expected: int) -> Iterator[Line]:
        """Save a bulk in a thread, and measure how long single submissions wait during it."""
        alone = [self._timed() for _ in range(20)]
        spent: list[float] = []
        bulk = threading.Thread(target=self._in_thread, args=(body, expected, spent))
        bulk.start()
        beside = []
        while bulk.is_alive():
            beside.append(self._timed())
            time.sleep(PAUSE_SECONDS)
        bulk.join()
        assert spent, "the bulk failed"
        yield Line("a bulk with single submissions beside it", f"{spent[0]:.2f} s", "")
        yield Line("a single submission alone, at most", f"{max(alone) * 1000:.0f} ms", "")
        yield Line("beside the bulk, at most", f"{max(beside or [0]) * 1000:.0f} ms", "")

    def _in_thread(self, body: bytes, expected: int, spent: list[float]) -> None:
        start = time.perf_counter()
        try:
            self.submit_many(body, expected)
            spent.append(time.perf_counter() - start)
        finally:
            connections.close_all()

    def _timed(self) -> float:
        start = time.perf_counter()
        self.submit("single")
        return time.perf_counter() - start

    def _post(self, path: str, body: bytes, kind: str) -> Any:
        return self._client.generic("POST", path, body, kind)


def _attempt(participant: str, values: Mapping[str, float] = NONE) -> dict[str, object]:
    facts = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8.5}
    metrics = {**facts, "created_at": 1_790_000_000_000}
    return {
        "participant": participant,
        "metrics": metrics,
        **({"values": values} if values else {}),
    }


def _body(attempts: int, people: str, values: Mapping[str, float] = NONE) -> bytes:
    lines = (_attempt(f"{people}-{number:06}", values) for number in range(attempts))
    return b"\n".join(json.dumps(line, ensure_ascii=False).encode() for line in lines)


def _parsed(body: bytes) -> Sequence[Any]:
    return LinesParser().parse(BytesIO(body))


def _parsing(body: bytes) -> float:
    return min(_cpu(lambda: _parsed(body)) for _ in range(ROUNDS))


def _beyond_parsing(door: Door, body: bytes, attempts: int) -> float:
    """Seconds of CPU for each attempt of a bulk, without those of parsing its JSON."""
    return (_cpu(lambda: door.submit_many(body, attempts)) - _parsing(body)) / attempts


def _one_by_one(challenge: Challenge, user: User, attempts: int) -> float:
    """Insert as EvalAI does: a serializer, a participant and a row for each attempt in turn."""

    def insert() -> None:
        for line in _parsed(_body(attempts, "one")):
            serializer = _AttemptSerializer(data=line.value)
            serializer.is_valid(raise_exception=True)
            fields = serializer.validated_data
            handle = clean_name(fields["participant"])
            participant, _ = Participant.objects.get_or_create(
                tenant=challenge.tenant,
                handle_key=name_key(handle),
                defaults={"handle": handle, "slug": handle, "owner": user},
            )
            facts = {
                "reported_created_at" if name == "created_at" else name: value
                for name, value in fields["metrics"].items()
            }
            Attempt.objects.create(
                tenant=challenge.tenant,
                challenge=challenge,
                participant=participant,
                scoring_config=challenge.newest,
                submitted_by=user,
                **facts,
            )

    return _cpu(insert) / attempts


def _cpu(work: Callable[[], object]) -> float:
    """Seconds of CPU that this process spends on the work."""
    start = time.process_time()
    work()
    return time.process_time() - start


def _micro(seconds: float) -> str:
    return f"{seconds * 1e6:.0f} µs"
