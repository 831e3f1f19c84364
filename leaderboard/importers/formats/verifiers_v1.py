"""verifiers 0.4 (v1): `traces.jsonl`, a line per episode, with the traces of its agents.

A trace keeps only the signals of its own task, so a missing one is undefined, and null means that
scoring did not run. Seats that are not trained are judges and no participants.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from leaderboard.importers.reading.errors import legible
from leaderboard.importers.reading.json_place import JsonValue, parse
from leaderboard.importers.reading.naming import failure, participant_name
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import (
    milliseconds,
    numbered,
    owing,
    sample,
    without_placeholders,
)
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_means, importer
from leaderboard.rules.texts.messages import counted, message

TRACES: Final = "traces.jsonl"
REWARD: Final = "reward"
NOT_AGENTS: Final = ("", "null", "agent")
"""The names of an unnamed seat and of an unnamed harness."""


@dataclass(frozen=True)
class RolloutGroup:
    """The properties that the traces of one attempt share."""

    run: str
    dataset: str
    agent: str
    model: str
    version: str


@dataclass(frozen=True)
class Trace:
    """One agent's way through one episode."""

    id: str
    sample: SampleRow
    finished: datetime | None


def recognises(source: Source) -> bool:
    """Rows that are episodes: a task and the traces of those who tried it."""
    if source.single:
        return any(map(_is_episode, source.rows))
    return any(_is_episode(row) for name in source.named(TRACES)[:5] for row in source.peek(name))


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each run, environment, agent and model in the traces."""
    source = upload.source
    groups: dict[RolloutGroup, list[Trace]] = defaultdict(list)
    lost: list[tuple[str, Trace]] = []
    for name in source.named(TRACES):
        for number, line in source.lines(name):
            _take(parse(line, name, number), groups, lost)
    if groups:
        upload.warnings += _give_back(lost, groups)
    for group, traces in groups.items():
        yield _run(group, traces, upload.participant)


def _is_episode(part: JsonValue) -> bool:
    return "traces" in part and "task" in part


def _take(
    episode: JsonValue, groups: dict[RolloutGroup, list[Trace]], lost: list[tuple[str, Trace]]
) -> None:
    task, run = _task(episode["task"]), episode["run"]["id"].words()
    traces = list(episode["traces"].items())
    for part in traces:
        if part["agent"]["trainable"].value is not False:
            groups[_group(episode, part, run)].append(_trace(task, part))
    if not traces:
        error = _error(episode, ok=False)
        lost.append((run, Trace(episode["id"].words(), sample(task, None, {}, error), None)))


def _task(part: JsonValue) -> str:
    """`2-d4824e6bc8c5`: the position of the task in its set, and the hash of its prompt."""
    key, at = part["key"].name(), part["data"]["idx"].value
    return f"{at}-{key[:12]}" if type(at) is int and 0 <= at < 10**9 else key


def _group(episode: JsonValue, part: JsonValue, run: str) -> RolloutGroup:
    agent = part["agent"]
    called = (agent["config"]["harness"]["id"].words(), agent["name"].words())
    return RolloutGroup(
        run=run,
        dataset=episode["env"]["id"].words(),
        agent=next((name for name in called if name not in NOT_AGENTS), ""),
        model=agent["config"]["model"].words(),
        version=part["verifiers"]["version"].words(),
    )


def _trace(task: str, part: JsonValue) -> Trace:
    failed = part["ok"].value is False or bool(part["errors"].value)
    end = part["timing"]["agent"]["end"]
    return Trace(
        part["id"].name(),
        sample(
            task,
            None if failed else _rewards(part),
            _usage(part),
            _error(part, ok=not failed),
        ),
        end.moment(),
    )


def _rewards(part: JsonValue) -> dict[str, float | None]:
    """Metrics and rewards as they were scored, and `reward`, the weighted sum of the rewards."""
    rewards = {name: value.reward() for name, value in part["metrics"].fields()}
    weighted = []
    for name, value in part["rewards"].fields():
        rewards[name] = value["score"].reward()
        if (score := rewards[name]) is not None:
            weight = value["weight"].number()
            weighted.append(score * (1.0 if weight is None else weight))
    total = JsonValue(sum(weighted), part.file, part.line, (*part.path, "rewards")).number()
    rewards[REWARD] = total if weighted or not part["rewards"].value else None
    return rewards


def _usage(part: JsonValue) -> dict[str, float | int | None]:
    spent = part["timing"]["agent"]
    start, end = spent["start"].number(), spent["end"].number()
    took = None if start is None or end is None else max(0.0, end - start)
    seconds = JsonValue(took, part.file, part.line, spent.path).amount()
    return {
        "tokens_total": part["num_total_tokens"].count(),
        "input_tokens": part["num_input_tokens"].count(),
        "output_tokens": part["num_output_tokens"].count(),
        "elapsed_ms": milliseconds(seconds),
    }


def _error(part: JsonValue, *, ok: bool) -> str:
    for wrong in part["errors"].items():
        return failure(wrong["type"].words(), wrong["message"].text())
    return "" if ok else failure("", part["stop_condition"].words())


def _give_back(lost: list[tuple[str, Trace]], groups: dict[RolloutGroup, list[Trace]]) -> list[str]:
    """Count episodes that failed before any agent began as failures of the run's only agent."""
    warnings: list[str] = []
    for run, trace in lost:
        candidates = [group for group in groups if group.run == run]
        if len(candidates) == 1:
            groups[candidates[0]].append(trace)
        else:
            warnings.append(
                counted(
                    "left out: the episode {id} failed without a trace, and the run has {count} "
                    "agent",
                    "left out: the episode {id} failed without a trace, and the run has {count} "
                    "agents",
                    len(candidates),
                    id=legible(trace.id),
                )
            )
    return warnings


def _run(group: RolloutGroup, traces: list[Trace], participant: str) -> ToolRun:
    samples = without_placeholders(numbered(trace.sample for trace in traces))
    return ToolRun(
        TRACES,
        (group.__dict__, sorted(trace.id for trace in traces)),
        {
            "agent": group.agent,
            "model": group.model,
            "dataset": group.dataset,
            "job": group.run,
            "harness": f"verifiers {group.version}".strip(),
        },
        samples=owing(samples),
        submitted_at=max((trace.finished for trace in traces if trace.finished), default=None),
        participant=participant or participant_name(group.agent, group.model),
    )


IMPORTER = importer(
    "verifiers-v1",
    message("verifiers 0.4"),
    message("the folder of a run as zip or tar, or its {traces}", traces=TRACES),
    recognises,
    runs,
    missing=message("must contain a trace of an agent; got a file without any"),
    suggests=by_means(REWARD),
)
