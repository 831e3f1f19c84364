"""How a run was run, from the files of its tool: conditions, ids, times and tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Final, TypeGuard, cast

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.rules.rewards.runs import (
    MAX_CONDITIONS,
    MAX_TEXT,
    AttemptRun,
    Conditions,
    ConditionValue,
    SampleRun,
    TokenCounts,
    without_nothing,
)

SECRET: Final = frozenset({"kwargs", "env", "mcp_servers", "model_args", "args", "headers"})
"""Parts of settings that often hold keys of accounts: they are never kept."""
DEEPEST: Final = 4
MOST_ITEMS: Final = 20
LARGEST: Final = 1e300
"""Numbers from here on, infinities and NaN are left out."""


def conditions_of(part: JsonValue, leave_out: frozenset[str] = frozenset()) -> Conditions:
    """The settings of a run as values by dotted paths. leave_out: names of fields at the top."""
    leaves = _leaves(part.value, "", DEEPEST, leave_out | SECRET)
    return {path: value for (path, value), _ in zip(leaves, range(MAX_CONDITIONS), strict=False)}


def contradicting(conditions: Conditions, others: Conditions) -> Conditions:
    """The conditions that another file gives another value."""
    return {
        path: value
        for path, value in others.items()
        if path in conditions and value != conditions[path]
    }


def tokens_of(part: JsonValue, **names: str) -> TokenCounts:
    """Numbers of tokens. names: the field of each kind of `TokenCounts`."""
    counts = {kind: _count(part[name]) for kind, name in names.items()}
    return cast(TokenCounts, {kind: count for kind, count in counts.items() if count is not None})


def moment_text(moment: datetime | None) -> str:
    """A moment as run facts have it; "" for none."""
    return moment.isoformat() if moment else ""


def sample_run(**fields: object) -> SampleRun:
    """The facts of a sample's run, without empty ones."""
    return cast(SampleRun, without_nothing(fields))


def run_of(meta: Mapping[str, str], tool: str, **fields: object) -> AttemptRun:
    """The facts of an attempt's run. meta: texts about it, of which the known names are taken."""
    named = {name: meta.get(name, "") for name in ("agent", "model", "provider", "dataset")}
    own = {"agent_version": meta.get("version", ""), "id": meta.get("job", ""), "tool": tool}
    return cast(AttemptRun, without_nothing({**named, **own, **fields}))


def _count(part: JsonValue) -> int | None:
    try:
        return part.count()
    except Unsafe:
        raise
    except ImportFailed:
        return None


def _leaves(
    value: object, path: str, depth: int, leave_out: frozenset[str]
) -> Iterator[tuple[str, ConditionValue]]:
    if isinstance(value, dict):
        for name, inner in value.items() if depth else ():
            if _is_name(name) and name not in leave_out:
                below = f"{path}.{name}" if path else name
                if len(below) <= MAX_TEXT:
                    yield from _leaves(inner, below, depth - 1, SECRET)
    elif isinstance(value, list):
        # Objects in a list are left out: they have no path, and may hold keys of accounts.
        plain = [item for item in value if not isinstance(item, dict | list)]
        yield path, [_text(item) for item in plain[:MOST_ITEMS]]
    elif isinstance(value, str):
        yield path, _text(value)
    elif value is None or (isinstance(value, bool | int | float) and abs(value) < LARGEST):
        yield path, value


def _is_name(name: object) -> TypeGuard[str]:
    """Whether a field's name can be part of a path: the database stores no NUL, for example."""
    return isinstance(name, str) and 0 < len(name) <= 80 and name.isprintable()


def _text(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return "".join(character if character.isprintable() else " " for character in text)[:MAX_TEXT]
