"""The simple YAML of run folders: lines of `key: value`, and one level of such lines below a key.

Everything else in a file (lists, longer texts, anchors) is ignored, and tags have no effect.
"""

from __future__ import annotations

import re
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, not_utf8
from leaderboard.rules.texts.messages import message

MAX_BYTES: Final = 2**20

_LINE = re.compile(r"( *)([A-Za-z_][\w.-]{0,100}):(?: +(.*))?")


def scalars(text: bytes, file: str) -> dict[str, str]:
    """Each text by its key, `outer.inner` one level below. Raises ImportFailed."""
    if len(text) > MAX_BYTES:
        raise ImportFailed(
            message("must hold at most {most} MiB; got more", most=MAX_BYTES >> 20), file=file
        )
    try:
        lines = text.decode("utf-8-sig").splitlines()
    except UnicodeDecodeError:
        raise not_utf8(file) from None
    values: dict[str, str] = {}
    outer, depth = "", 0
    for line in lines:
        if not (match := _LINE.fullmatch(line.rstrip())):
            continue
        spaces, key, value = len(match[1]), match[2], _unquoted(match[3] or "")
        if spaces == 0:
            outer, depth = key, 0
            values[key] = value
        else:
            depth = depth or spaces
            if spaces == depth:
                values[f"{outer}.{key}"] = value
    return values


def _unquoted(text: str) -> str:
    """A plain or quoted text; uncommon escapes in a quoted one stay unchanged."""
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'")
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return "" if text in ("null", "~") else text
