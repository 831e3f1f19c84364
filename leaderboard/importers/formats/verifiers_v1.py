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

from leaderboard.importers.reading.errors import ImportFailed, shown
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import Part, parse
from leaderboard.importers.reading.naming import failure, participant_name, source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import (
    facts,
    milliseconds,
    numbered,
    owing,
    sample,
    spec,
    suggested,
    without_placeholders,
)
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import counted, message

KEY: Final = "verifiers-v1"
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


def reads(source: Source, participant: str) -> Import:
    """One attempt for each run, environment, agent and model in the traces."""
    groups: dict[RolloutGroup, list[Trace]] = defaultdict(list)
    lost: list[tuple[str, Trace]] = []
    for name in source.named(TRACES):
        for number, line in source.lines(name):
            _take(parse(line, name, number), groups, lost)
    if not groups:
        raise ImportFailed(
            message("must contain a trace of an agent; got a file without any"), file=source.label
        )
    warnings = _give_back(lost, groups)
    attempts = [_attempt(group, traces, participant) for group, traces in groups.items()]
    names = {
        name for attempt in attempts for one in attempt.samples for name in one["rewards"] or ()
    }
    metrics = [
        spec("mean", name) for name in sorted(names, key=lambda name: (name != REWARD, name))
    ]
    return Import(KEY, attempts, warnings=warnings, suggested=suggested(attempts, metrics))


def _is_episode(part: Part) -> bool:
    return "traces" in part and "task" in part


def _take(
    episode: Part, groups: dict[RolloutGroup, list[Trace]], lost: list[tuple[str, Trace]]
) -> None:
    task, run = _task(episode["task"]), episode["run"]["id"].words()
    traces = list(episode["traces"].items())
    for part in _scored(traces):
        groups[_group(episode, part, run)].append(_trace(task, part))
    if not traces:
        error = _error(episode, ok=False)
        lost.append((run, Trace(episode["id"].words(), sample(task, None, {}, error), None)))


def _scored(traces: list[Part]) -> Iterator[Part]:
    return (part for part in traces if part["agent"]["trainable"].value is not False)


def _task(part: Part) -> str:
    """`2-d4824e6bc8c5`: the position of the task in its set, and the hash of its prompt."""
    key, at = part["key"].name(), part["data"]["idx"].value
    return f"{at}-{key[:12]}" if type(at) is int and 0 <= at < 10**9 else key


def _group(episode: Part, part: Part, run: str) -> RolloutGroup:
    agent = part["agent"]
    called = (agent["config"]["harness"]["id"].words(), agent["name"].words())
    return RolloutGroup(
        run=run,
        dataset=episode["env"]["id"].words(),
        agent=next((name for name in called if name not in NOT_AGENTS), ""),
        model=agent["config"]["model"].words(),
        version=part["verifiers"]["version"].words(),
    )


def _trace(task: str, part: Part) -> Trace:
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


def _rewards(part: Part) -> dict[str, float | None]:
    """Metrics and rewards as they were scored, and `reward`, the weighted sum of the rewards."""
    found = {name: value.reward() for name, value in part["metrics"].fields()}
    weighted = []
    for name, value in part["rewards"].fields():
        found[name] = value["score"].reward()
        if (score := found[name]) is not None:
            weight = value["weight"].number()
            weighted.append(score * (1.0 if weight is None else weight))
    total = Part(sum(weighted), part.file, part.line, (*part.path, "rewards")).number()
    found[REWARD] = total if weighted or not part["rewards"].value else None
    return found


def _usage(part: Part) -> dict[str, float | int | None]:
    spent = part["timing"]["agent"]
    start, end = spent["start"].number(), spent["end"].number()
    took = None if start is None or end is None else max(0.0, end - start)
    seconds = Part(took, part.file, part.line, spent.path).amount()
    return {
        "tokens_total": part["num_total_tokens"].count(),
        "input_tokens": part["num_input_tokens"].count(),
        "output_tokens": part["num_output_tokens"].count(),
        "elapsed_ms": milliseconds(seconds),
    }


def _error(part: Part, *, ok: bool) -> str:
    for wrong in part["errors"].items():
        message = wrong["message"].value
        return failure(wrong["type"].words(), message if isinstance(message, str) else "")
    return "" if ok else failure("", part["stop_condition"].words())


def _give_back(lost: list[tuple[str, Trace]], groups: dict[RolloutGroup, list[Trace]]) -> list[str]:
    """Count episodes that failed before any agent began as failures of the run's only agent."""
    warnings: list[str] = []
    for run, trace in lost:
        whose = [group for group in groups if group.run == run]
        if len(whose) == 1:
            groups[whose[0]].append(trace)
        else:
            warnings.append(
                counted(
                    "left out: the episode {id} failed without a trace, and the run has {count} "
                    "agent",
                    "left out: the episode {id} failed without a trace, and the run has {count} "
                    "agents",
                    len(whose),
                    id=shown(trace.id),
                )
            )
    return warnings


def _attempt(group: RolloutGroup, traces: list[Trace], participant: str) -> ImportedAttempt:
    samples = without_placeholders(numbered(trace.sample for trace in traces))
    found = {
        "agent": group.agent,
        "model": group.model,
        "dataset": group.dataset,
        "job": group.run,
        "harness": f"verifiers {group.version}".strip(),
    }
    return ImportedAttempt(
        participant=participant or participant_name(group.agent, group.model),
        source_id=source_id(KEY, group.__dict__, sorted(trace.id for trace in traces)),
        meta={key: value for key, value in found.items() if value},
        samples=owing(samples),
        metrics=facts(samples),
        submitted_at=max((trace.finished for trace in traces if trace.finished), default=None),
    )


IMPORTER = Importer(
    KEY,
    message("verifiers 0.4"),
    message("the folder of a run as zip or tar, or its {traces}", traces=TRACES),
    recognises,
    reads,
)
