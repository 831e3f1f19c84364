"""Commands with curl for the operations of the API. They name the server `$PODIUM`."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any, Final

from leaderboard.pages.api_docs.document import ApiShape

IN_PATHS: Final = {
    "slug": "prompt-escape",
    "participant": "atlas",
    "username": "dana",
    "phase": "main",
}
AN_ID: Final = "019a9f0e-7c1e-7d5b-9d0e-2f6a4b8c1d3e"
FILES: Final = {
    "multipart/form-data": ("-F file=@results.zip", ""),
    "application/x-ndjson": ("--data-binary @lines.jsonl", "application/x-ndjson"),
    "text/csv": ("--data-binary @table.csv", "text/csv"),
    "application/zip": ("--data-binary @bundle.zip", "application/zip"),
}
"""The options for bodies that are files, and their content types where curl cannot know them."""
MOST_IN_LINE: Final = 72
MOST_BESIDE_CURL: Final = 48
"""The longest address that is in the first line of a command."""


def curl_of(method: str, path: str, operation: ApiShape, media_type: str, body: Any) -> str:
    """A command that can be pasted into a shell. body: JSON, or None for a file or no body."""
    parts = [f"curl -X {method.upper()}"] if method != "get" else ["curl"]
    address = f'"$PODIUM{_example_path(path, operation)}"'
    if len(address) <= MOST_BESIDE_CURL:
        parts[0] += f" {address}"
    else:
        parts.append(address)
    if _needs_token(operation):
        parts.append('-H "Authorization: Bearer $TOKEN"')
    parts.extend(_sent(media_type, body))
    return " \\\n  ".join(parts)


def _sent(media_type: str, body: Any) -> Iterator[str]:
    if media_type == "application/json":
        yield '-H "Content-Type: application/json"'
        yield f"-d {shlex.quote(written_json(body))}"
    elif media_type:
        option, named = FILES.get(media_type, ("--data-binary @file", media_type))
        if named:
            yield f'-H "Content-Type: {named}"'
        yield option


def written_json(value: Any) -> str:
    """JSON in one line if it is short, otherwise indented."""
    line = json.dumps(value, ensure_ascii=False)
    if len(line) <= MOST_IN_LINE:
        return line
    return json.dumps(value, ensure_ascii=False, indent=2)


def _example_path(path: str, operation: ApiShape) -> str:
    shapes = {
        parameter["name"]: parameter["schema"] for parameter in operation.get("parameters", ())
    }
    return re.sub(r"{(\w+)}", lambda match: _example(match[1], shapes.get(match[1], {})), path)


def _example(name: str, shape: ApiShape) -> str:
    if shape.get("type") == "integer":
        return "1"
    return AN_ID if shape.get("format") == "uuid" else IN_PATHS.get(name, AN_ID)


def _needs_token(operation: ApiShape) -> bool:
    """Whether the operation is for known users only: it changes something, or answers 403."""
    return {} not in operation.get("security", ()) or "403" in operation["responses"]
