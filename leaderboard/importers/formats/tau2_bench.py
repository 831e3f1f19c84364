"""τ²-bench: the results of `tau2 run`, as one file or as a folder with `simulations/`.

A simulation is a sample of its task. Simulations that the infrastructure broke are failed samples;
τ² leaves them out of its metrics, and so do the metrics suggested here.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Final

from leaderboard.importers.formats.tau_bench import REWARD, passes
from leaderboard.importers.reading.evidence import trajectory_of
from leaderboard.importers.reading.harness import broken, put, task_name, token_usage, words_in
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue, ValuePath
from leaderboard.importers.reading.run_facts import conditions_of, moment_text, sample_run
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import NOT_SCORED, milliseconds, numbered, sample, total
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_metrics, importer
from leaderboard.rules.rewards.runs import SampleRun
from leaderboard.rules.texts.messages import message

UNNAMED: Final = frozenset({"agent_info", "environment_info", "user_info", "git_commit"})
"""Parts of the info that name the run, and are no conditions."""
BROKEN: Final = "infrastructure_error"
SIMULATIONS: Final = "simulations"


def _is_results(document: JsonValue) -> bool:
    """Whether it is results with an agent, an environment and tasks."""
    if "info" not in document or "tasks" not in document:
        return False
    return "agent_info" in document["info"] and "environment_info" in document["info"]


FILES: Final = JsonFiles(_is_results, marks=(b'"agent_info"', b'"environment_info"'), looked_at=50)


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each file of results: an agent in a domain."""
    for results in upload.documents(FILES):
        yield _run(upload, results)


def _run(upload: Upload, results: JsonValue) -> ToolRun:
    meta = words_in(
        results["info"],
        agent="agent_info.implementation",
        model="agent_info.llm",
        dataset="environment_info.domain_name",
        user="user_info.llm",
        version="git_commit",
    )
    simulations = sorted(
        _simulations(upload.source, results), key=lambda run: run["trial"].count() or 0
    )
    if not simulations:
        raise results.fail(
            message(
                "must contain simulations, so upload the folder with simulations/ as well; got none"
            )
        )
    samples = numbered(_sample(meta["dataset"], run) for run in simulations)
    if lost := sum(run["termination_reason"].words() == BROKEN for run in simulations):
        upload.warnings.append(
            message(
                "{file}: the infrastructure broke {lost} of {runs} simulations: they "
                "count as failed here, while tau2 leaves them out",
                file=results.file,
                lost=lost,
                runs=len(simulations),
            )
        )
    ids = sorted(run["id"].words() for run in simulations)
    return ToolRun(
        results.file,
        (meta["dataset"], meta["agent"], meta["model"], ids),
        {**meta, "harness": "tau2-bench"},
        samples=samples,
        submitted_at=results["timestamp"].moment(),
        run={"conditions": conditions_of(results["info"], UNNAMED)},
        evidence=[
            part
            for row, run in zip(samples, simulations, strict=True)
            for part in trajectory_of(row, _messages(run))
        ],
    )


def _simulations(source: Source, results: JsonValue) -> Iterator[JsonValue]:
    inside = list(results[SIMULATIONS].items())
    yield from inside
    if inside or source.single:
        return
    folder = results.file.rpartition("/")[0]
    beside = f"{folder}/{SIMULATIONS}/" if folder else f"{SIMULATIONS}/"
    for name in source.named("*.json"):
        if name.startswith(beside):
            yield source.json(name)


def _sample(domain: str, run: JsonValue) -> SampleRow:
    task = _task(domain, run["task_id"])
    reason = run["termination_reason"].words()
    info = run["reward_info"]
    if info["reward"].value is None or reason == BROKEN:
        return broken(task, (REWARD,), _usage(run), reason or NOT_SCORED)
    rewards: dict[str, float | None] = {}
    for name, part in info["reward_breakdown"].fields(MAX_FIELD):
        put(rewards, name, part)
    rewards[REWARD] = info["reward"].reward()
    return sample(task, rewards, _usage(run), run=_facts(run))


def _facts(run: JsonValue) -> SampleRun:
    return sample_run(
        id=run["id"].words(),
        started_at=moment_text(run["start_time"].moment()),
        finished_at=moment_text(run["end_time"].moment()),
        evidence=["trajectory"] if run["messages"].value else [],
    )


def _messages(run: JsonValue) -> tuple[str, ValuePath] | None:
    messages = run["messages"]
    return (messages.file, messages.path) if messages.value else None


def _task(domain: str, part: JsonValue) -> str:
    """`airline/0`: ids of tasks are numbers that several domains have."""
    own = str(part.value) if type(part.value) is int else part.text()
    if not own:
        raise part.fail(message("must be a text"))
    return task_name(part, f"{domain}/{own}" if domain else own)


def _usage(run: JsonValue) -> dict[str, float | int | None]:
    """The usage of the agent, without the simulated user."""
    used = [
        turn["usage"]
        for turn in run["messages"].items()
        if turn["role"].value == "assistant" and turn["usage"].value is not None
    ]
    return {
        **token_usage(
            total(usage["prompt_tokens"].count() for usage in used),
            total(usage["completion_tokens"].count() for usage in used),
        ),
        "elapsed_ms": milliseconds(run["duration"].amount()),
        "cost_usd": run["agent_cost"].amount(),
    }


IMPORTER = importer(
    "tau2-bench",
    message("tau2-bench"),
    message("the results.json of tau2 run, or its folder with simulations/"),
    FILES.recognise,
    runs,
    missing=message("must contain results of tau2-bench; got a file without any"),
    suggests=by_metrics(partial(passes, failed="exclude"), (REWARD,)),
)
