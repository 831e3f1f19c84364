"""τ²-bench: the results of `tau2 run`, as one file or as a folder with `simulations/`.

A simulation is a sample of its task. Simulations that the infrastructure broke are failed samples;
τ² leaves them out of its metrics, and so do the metrics suggested here.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leaderboard.importers.formats.tau_bench import REWARD, passes
from leaderboard.importers.reading.errors import ImportFailed
from leaderboard.importers.reading.harness import (
    broken,
    challenge_for,
    documents,
    is_one,
    known,
    put,
    task_name,
    totals,
    whose,
)
from leaderboard.importers.reading.imports import Import, ImportedAttempt, Importer
from leaderboard.importers.reading.json_place import MAX_FIELD, Part
from leaderboard.importers.reading.naming import source_id
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import milliseconds, numbered, sample, total
from leaderboard.importers.reading.source import Source
from leaderboard.rules.texts.messages import message

KEY: Final = "tau2-bench"
MARKS: Final = (b'"agent_info"', b'"environment_info"')
BROKEN: Final = "infrastructure_error"
SIMULATIONS: Final = "simulations"


def recognises(source: Source) -> bool:
    """Results with an agent, an environment and tasks."""
    return is_one(source, "*.json", _is_results, *MARKS)


def reads(source: Source, participant: str) -> Import:
    """One attempt for each file of results: an agent in a domain."""
    warnings: list[str] = []
    attempts = [
        _attempt(source, part, participant, warnings)
        for part in documents(source, "*.json", _is_results, *MARKS)
    ]
    if not attempts:
        raise ImportFailed(
            message("must contain results of tau2-bench; got a file without any"), file=source.label
        )
    metrics = passes(attempts, failed="exclude")
    return Import(
        KEY, attempts, warnings=warnings, suggested=challenge_for(attempts, metrics, (REWARD,))
    )


def _is_results(part: Part) -> bool:
    return (
        "info" in part
        and "tasks" in part
        and "agent_info" in part["info"]
        and "environment_info" in part["info"]
    )


def _attempt(
    source: Source, results: Part, participant: str, warnings: list[str]
) -> ImportedAttempt:
    info = results["info"]
    domain = info["environment_info"]["domain_name"].words()
    runs = sorted(_simulations(source, results), key=lambda run: run["trial"].count() or 0)
    if not runs:
        raise results.fail(
            message(
                "must contain simulations, so upload the folder with simulations/ as well; got none"
            )
        )
    samples = numbered(_sample(domain, run) for run in runs)
    if lost := sum(run["termination_reason"].words() == BROKEN for run in runs):
        warnings.append(
            message(
                "{file}: the infrastructure broke {lost} of {runs} simulations: they "
                "count as failed here, while tau2 leaves them out",
                file=results.file,
                lost=lost,
                runs=len(runs),
            )
        )
    agent, model = info["agent_info"]["implementation"].words(), info["agent_info"]["llm"].words()
    return ImportedAttempt(
        participant=whose(participant, agent, model, results.file),
        source_id=source_id(KEY, domain, agent, model, sorted(run["id"].words() for run in runs)),
        meta=known(
            agent=agent,
            model=model,
            dataset=domain,
            user=info["user_info"]["llm"].words(),
            version=info["git_commit"].words(),
            harness="tau2-bench",
        ),
        samples=samples,
        metrics=totals(samples),
        submitted_at=results["timestamp"].moment(),
    )


def _simulations(source: Source, results: Part) -> Iterator[Part]:
    listed = list(results[SIMULATIONS].items())
    yield from listed
    if listed or source.single:
        return
    folder = results.file.rpartition("/")[0]
    inside = f"{folder}/{SIMULATIONS}/" if folder else f"{SIMULATIONS}/"
    for name in source.named("*.json"):
        if name.startswith(inside):
            yield source.json(name)


def _sample(domain: str, run: Part) -> SampleRow:
    task = _task(domain, run["task_id"])
    reason = run["termination_reason"].words()
    told = run["reward_info"]
    if told["reward"].value is None or reason == BROKEN:
        return broken(task, (REWARD,), _usage(run), reason or "not scored")
    rewards: dict[str, float | None] = {}
    for name, part in told["reward_breakdown"].fields(MAX_FIELD):
        put(rewards, name, part)
    rewards[REWARD] = told["reward"].reward()
    return sample(task, rewards, _usage(run))


def _task(domain: str, part: Part) -> str:
    """`airline/0`: ids of tasks are numbers that several domains have."""
    own = str(part.value) if type(part.value) is int else part.value
    if not isinstance(own, str) or not own:
        raise part.fail(message("must be a text"))
    return task_name(part, f"{domain}/{own}" if domain else own)


def _usage(run: Part) -> dict[str, float | int | None]:
    """The usage of the agent, without the simulated user."""
    used = [
        each["usage"]
        for each in run["messages"].items()
        if each["role"].value == "assistant" and each["usage"].value is not None
    ]
    tokens_in = total(each["prompt_tokens"].count() for each in used)
    tokens_out = total(each["completion_tokens"].count() for each in used)
    both = None if tokens_in is None or tokens_out is None else tokens_in + tokens_out
    return {
        "tokens_total": both,
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "elapsed_ms": milliseconds(run["duration"].amount()),
        "cost_usd": run["agent_cost"].amount(),
    }


IMPORTER = Importer(
    KEY,
    message("tau2-bench"),
    message("the results.json of tau2 run, or its folder with simulations/"),
    recognises,
    reads,
)
