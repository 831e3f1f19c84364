"""Lists of chat messages, as the interfaces of OpenAI and Anthropic, and tau2-bench, have them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from leaderboard.importers.transcripts.inspect_messages import is_inspect
from leaderboard.importers.transcripts.steps import (
    ToolCall,
    ToolResult,
    TranscriptReader,
    TranscriptStep,
    arguments_text,
    content_text,
    line_of,
    messages_in,
    objects_in,
    reasoning_text,
    tokens_in,
)
from leaderboard.rules.texts.messages import message

TOKENS = {
    "input": ["prompt_tokens", "input_tokens"],
    "output": ["completion_tokens", "output_tokens"],
    "cache": ["cached_tokens", "cache_read_input_tokens"],
}


def _items(document: Any) -> Sequence[Mapping[str, Any]] | None:
    messages = messages_in(document)
    return None if messages is None or is_inspect(messages) else messages


def _step(sent: Mapping[str, Any]) -> TranscriptStep:
    content, role = sent.get("content"), line_of(sent["role"])
    reasoning = sent.get("reasoning_content")
    text = content_text(content)
    is_tool = role in ("tool", "function")
    blocks = objects_in(content)
    results = [
        ToolResult("", content_text(block.get("content")))
        for block in blocks
        if block.get("type") == "tool_result"
    ]
    if is_tool:
        results.append(ToolResult(line_of(sent.get("name")), text))
    return TranscriptStep(
        role=role,
        text="" if is_tool else text,
        reasoning=reasoning if isinstance(reasoning, str) else reasoning_text(content),
        calls=list(_calls(sent, blocks)),
        results=results,
        tokens=tokens_in(sent.get("usage"), TOKENS),
        model=line_of(sent.get("model")),
        at=line_of(sent.get("timestamp")),
    )


def _calls(sent: Mapping[str, Any], blocks: Sequence[Mapping[str, Any]]) -> Iterator[ToolCall]:
    for call in objects_in(sent.get("tool_calls")):
        called = call.get("function", call)  # tau2-bench has name and arguments in the call itself
        if isinstance(called, Mapping):
            yield ToolCall(line_of(called.get("name")), arguments_text(called.get("arguments")))
    for block in blocks:
        if block.get("type") == "tool_use":
            yield ToolCall(line_of(block.get("name")), arguments_text(block.get("input")))


READER = TranscriptReader("chat", message("chat messages"), _items, _step)
