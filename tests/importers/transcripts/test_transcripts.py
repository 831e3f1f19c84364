"""Trajectories of each format become the same steps, and odd ones do not hide the others."""

from __future__ import annotations

import json
from typing import Any

import pytest

from leaderboard.importers.transcripts import ToolCall, ToolResult, read_transcript

ATIF: dict[str, Any] = {
    "schema_version": "ATIF-v1.8",
    "steps": [
        {"step_id": 1, "source": "user", "message": "list the files"},
        {
            "step_id": 2,
            "source": "agent",
            "message": [{"type": "text", "text": "so"}, {"type": "image", "source": "x.png"}],
            "reasoning_content": "hm",
            "model_name": "m",
            "tool_calls": [
                {"tool_call_id": "1", "function_name": "bash", "arguments": {"cmd": "ls"}}
            ],
            "observation": {"results": [{"source_call_id": "1", "content": "a.txt"}]},
            "metrics": {"prompt_tokens": 9, "completion_tokens": 2, "cached_tokens": None},
        },
    ],
}
INSPECT = [
    {"role": "user", "content": "list the files"},
    {
        "role": "assistant",
        "content": [{"type": "reasoning", "reasoning": "hm"}, {"type": "text", "text": "so"}],
        "model": "m",
        "tool_calls": [{"id": "1", "function": "bash", "arguments": {"cmd": "ls"}}],
    },
    {"role": "tool", "tool_call_id": "1", "function": "bash", "content": "a.txt"},
]
OPENAI: list[dict[str, Any]] = [
    {"role": "user", "content": "list the files"},
    {
        "role": "assistant",
        "content": "so",
        "reasoning_content": "hm",
        "tool_calls": [{"id": "1", "function": {"name": "bash", "arguments": "cmd: ls"}}],
        "usage": {"prompt_tokens": 9, "completion_tokens": 2},
        "model": "m",
    },
    {"role": "tool", "name": "bash", "content": "a.txt"},
]
TAU2: list[dict[str, Any]] = [
    OPENAI[0],
    {**OPENAI[1], "tool_calls": [{"id": "1", "name": "bash", "arguments": {"cmd": "ls"}}]},
    {"role": "tool", "id": "1", "requestor": "assistant", "content": "a.txt", "error": False},
]
ANTHROPIC = [
    {"role": "user", "content": "list the files"},
    {
        "role": "assistant",
        "content": [
            {"type": "thinking", "thinking": "hm"},
            {"type": "text", "text": "so"},
            {"type": "tool_use", "name": "bash", "input": {"cmd": "ls"}},
        ],
        "model": "m",
    },
    {"role": "user", "content": [{"type": "tool_result", "content": "a.txt"}]},
]


@pytest.mark.parametrize(
    ("document", "key"),
    [
        (ATIF, "atif"),
        (INSPECT, "inspect"),
        ({"messages": INSPECT}, "inspect"),
        (OPENAI, "chat"),
        (TAU2, "chat"),
        ({"messages": ANTHROPIC}, "chat"),
    ],
)
def test_each_format_says_the_same(document: Any, key: str) -> None:
    transcript = read_transcript(json.dumps(document).encode())
    assert transcript is not None
    assert transcript.reader.key == key
    first, second, *further = transcript.steps(0, 9)
    assert (first.role, first.text) == ("user", "list the files")
    assert second.text.startswith("so")
    assert (second.reasoning, second.model) == ("hm", "m")
    assert second.calls == [ToolCall("bash", "cmd: ls")]
    results = [tool_result for step in (second, *further) for tool_result in step.results]
    assert [tool_result.text for tool_result in results] == ["a.txt"]
    if key == "atif":
        assert results == [ToolResult("bash", "a.txt")]
        assert second.tokens == {"input": 9, "output": 2}


@pytest.mark.parametrize(
    "content",
    [
        b"{",
        b"\xff\x00",
        b"[]",
        b"[1]",
        b'{"steps": [1]}',
        b'{"messages": [{"content": "x"}]}',
        b"[" * 100_000,
    ],
)
def test_what_is_no_trajectory_is_none(content: bytes) -> None:
    assert read_transcript(content) is None


def test_an_odd_step_does_not_hide_the_others() -> None:
    odd = {"role": "assistant", "content": {"a": float("nan")}, "tool_calls": [3, {"function": 4}]}
    messages = [{**odd, "usage": [1]}, {"role": "user", "content": None}, *OPENAI]
    transcript = read_transcript(json.dumps(messages).encode())
    assert transcript is not None
    assert [step.role for step in transcript.steps(1, 2)] == ["user", "user"]
    assert "NaN" in transcript.steps(0, 1)[0].text
