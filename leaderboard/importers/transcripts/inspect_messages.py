"""Messages of inspect-ai: its tool calls have the name of their function as a text."""

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
    messages_in,
    objects_in,
    reasoning_text,
)
from leaderboard.rules.texts.messages import message


def is_inspect(messages: Sequence[Mapping[str, Any]]) -> bool:
    """Whether messages are those of inspect-ai: some have its fields."""
    return any(
        isinstance(call.get("function"), str)
        for one in messages
        for call in objects_in(one.get("tool_calls"))
    ) or any(
        (one["role"] == "tool" and "function" in one) or one.get("source") == "generate"
        for one in messages
    )


def _items(document: Any) -> Sequence[Mapping[str, Any]] | None:
    messages = messages_in(document)
    return messages if messages and is_inspect(messages) else None


def _step(sent: Mapping[str, Any]) -> TranscriptStep:
    text, reasoning = content_text(sent.get("content")), reasoning_text(sent.get("content"))
    role = line_of(sent["role"])
    error = sent.get("error")
    if isinstance(error, Mapping):
        text = "\n\n".join(filter(None, (text, content_text(error.get("message")))))
    is_tool = role == "tool"
    return TranscriptStep(
        role=role,
        text="" if is_tool else text,
        reasoning=reasoning,
        calls=[
            ToolCall(line_of(call.get("function")), arguments_text(call.get("arguments")))
            for call in objects_in(sent.get("tool_calls"))
        ],
        results=[ToolResult(line_of(sent.get("function")), text)] if is_tool else [],
        model=line_of(sent.get("model")),
    )


READER = TranscriptReader("inspect", message("messages of inspect-ai"), _items, _step)
