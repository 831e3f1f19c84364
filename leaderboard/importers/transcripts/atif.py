"""ATIF, the trajectories of Harbor: `steps` with source, message, tool calls and observation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from leaderboard.importers.transcripts.steps import (
    ToolCall,
    ToolResult,
    TranscriptReader,
    TranscriptStep,
    arguments_text,
    content_text,
    line_of,
    objects_in,
    tokens_in,
)

TOKENS = {"input": ["prompt_tokens"], "output": ["completion_tokens"], "cache": ["cached_tokens"]}


def _items(document: Any) -> Sequence[Mapping[str, Any]] | None:
    steps = document.get("steps") if isinstance(document, Mapping) else None
    if not isinstance(steps, list):
        return None
    is_all = all(isinstance(step, Mapping) and "source" in step for step in steps)
    return steps if is_all else None


def _step(step: Mapping[str, Any]) -> TranscriptStep:
    calls = objects_in(step.get("tool_calls"))
    names = {call.get("tool_call_id"): line_of(call.get("function_name")) for call in calls}
    observation = step.get("observation")
    results = observation.get("results") if isinstance(observation, Mapping) else None
    reasoning = step.get("reasoning_content")
    return TranscriptStep(
        role=line_of(step["source"]),
        text=content_text(step.get("message")),
        reasoning=reasoning if isinstance(reasoning, str) else "",
        calls=[
            ToolCall(line_of(call.get("function_name")), arguments_text(call.get("arguments")))
            for call in calls
        ],
        results=[
            ToolResult(
                names.get(result.get("source_call_id"), ""), content_text(result.get("content"))
            )
            for result in objects_in(results)
        ],
        tokens=tokens_in(step.get("metrics"), TOKENS),
        model=line_of(step.get("model_name")),
        at=line_of(step.get("timestamp")),
    )


READER = TranscriptReader("atif", "ATIF", _items, _step)
