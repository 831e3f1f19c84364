"""Reading and checking submissions, against Python's own JSON reader on the same bytes.

`python -m benchmarks parsing[=N]`, where N is how many samples, instances, outputs, and tenths of
the lines of a bulk there are.
"""

from __future__ import annotations

import json
import random
import time
from collections.abc import Callable, Iterable
from io import BytesIO
from typing import Any

from rest_framework.parsers import BaseParser

from benchmarks.parts.report import Line, Table
from benchmarks.parts.texts import instances
from leaderboard.api.bulk_parsers import JsonLine, LinesParser, ListParser
from leaderboard.api.parsers import AttemptParser
from leaderboard.api.views.attempts import checked_attempt

ROUNDS = 5
PER_TASK = 8


def run(*, attempts: int = 100_000) -> Table:
    """One table: milliseconds of this process' CPU, and the ratio to `json.loads`."""
    lines = [_bulk_line(number) for number in range(attempts // 10)]
    one_by_one = b"\n".join(lines)
    listed = b'{"attempts": [' + b",".join(lines) + b"]}"
    return Table(
        "Parsing, CPU of one process",
        [
            *_lines(f"{attempts:,} samples", _samples(attempts), AttemptParser()),
            *_lines(f"{attempts:,} task rewards", _task_rewards(attempts), AttemptParser()),
            *_lines(f"{attempts:,} instances", _evaluation(attempts), AttemptParser()),
            *_lines(f"{attempts:,} outputs by id", _outputs(attempts), AttemptParser()),
            *_lines(f"{len(lines):,} lines", one_by_one, LinesParser(), b"\n"),
            *_lines(f"a list of {len(lines):,} attempts", listed, ListParser()),
        ],
    )


def _lines(what: str, body: bytes, parser: BaseParser, end: bytes | None = None) -> Iterable[Line]:
    texts = body.split(end) if end else [body]
    plain = _spent(lambda: [json.loads(text) for text in texts])
    parsed = _spent(lambda: parser.parse(BytesIO(body)))
    value = parser.parse(BytesIO(body))
    checked = _spent(lambda: _checked(value))
    yield Line(f"{what}: json.loads", _milli(plain), "1")
    yield Line(f"{what}: strict reader", _milli(parsed), f"{parsed / plain:.2f}")
    yield Line(f"{what}: checks of a submission", _milli(checked), f"{checked / plain:.2f}")


def _checked(value: Any) -> list[object]:
    bodies = [row.value if isinstance(row, JsonLine) else row for row in _listed(value)]
    return [checked_attempt(body, organiser=True, default_participant=str) for body in bodies]


def _listed(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def _spent(work: Callable[[], object]) -> float:
    """The fewest seconds of CPU of some rounds; what it makes is freed outside the clock."""
    fewest = float("inf")
    for _ in range(ROUNDS):
        start = time.process_time()
        made = work()
        fewest = min(fewest, time.process_time() - start)
        del made
    return fewest


def _milli(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms"


def _samples(count: int) -> bytes:
    dice = random.Random(1)
    samples = [
        {
            "task": f"task-{number // PER_TASK}",
            "sample": number % PER_TASK,
            "rewards": {"reward": dice.choice((0.0, 0.5, 1.0))},
            "usage": {"tokens_total": 900, "elapsed_ms": 4000, "cost_usd": 0.01},
        }
        for number in range(count)
    ]
    return json.dumps({"participant": "bench", "samples": samples}).encode()


def _task_rewards(count: int) -> bytes:
    dice = random.Random(2)
    rewards = {
        f"task-{task}": [dice.choice((0.0, 0.5, 1, None)) for _ in range(PER_TASK)]
        for task in range(count // PER_TASK)
    }
    return json.dumps({"participant": "bench", "task_rewards": rewards}).encode()


def _evaluation(count: int) -> bytes:
    rows = [
        {
            "id": instance.id,
            "input": instance.input,
            "actual-output": instance.outputs[0],
            "expected-output": list(instance.references),
        }
        for instance in instances(count)
    ]
    evaluation = {"instances": rows, "metrics": []}
    return json.dumps({"participant": "bench", "evaluation": evaluation}).encode()


def _outputs(count: int) -> bytes:
    """For a challenge that stores the instances."""
    outputs = {instance.id: instance.outputs[0] for instance in instances(count)}
    return json.dumps({"participant": "bench", "outputs": outputs}).encode()


def _bulk_line(number: int) -> bytes:
    facts = {"succeeded": True, "tokens_total": 1500, "elapsed_ms": 12500, "rating": 8.5}
    metrics = {**facts, "created_at": 1_790_000_000_000}
    return json.dumps({"participant": f"p-{number:06}", "metrics": metrics}).encode()
