"""How a run was run, from the files of its tool: conditions, ids, times and tokens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from itertools import islice
from typing import Final, TypeGuard, cast

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.rules.rewards.runs import (
    MAX_CONDITIONS,
    MAX_TEXT,
    MORE,
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
"""Numbers from here on, infinities and NaN are kept as texts."""
OBJECT: Final = "{…}"
"""What stands for an object in a list: it has no path, and may hold keys of accounts."""


def conditions_of(part: JsonValue, leave_out: frozenset[str] = frozenset()) -> Conditions:
    """The settings of a run as values by dotted paths. leave_out: names of fields at the top."""
    leaves = _leaves(part.value or {}, "", DEEPEST, leave_out | SECRET)
    kept = list(islice(leaves, MAX_CONDITIONS))
    if next(leaves, None) is not None:
        kept[-1] = MORE, True
    return dict(kept)


def merged(first: Conditions, further: Iterable[Conditions]) -> tuple[Conditions, Conditions]:
    """The conditions by all files of a run, and those in which another file contradicts.

    first: by the file that counts most. What it does not name is taken from the others. Of several
    contradicting numbers the largest is kept.
    """
    conditions, contradicting = dict(first), dict[str, ConditionValue]()
    for path, value in (pair for other in further for pair in other.items()):
        if value is None or value == conditions.setdefault(path, value):
            continue
        contradicting[path] = _larger(contradicting.get(path, value), value)
    return conditions, contradicting


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
        yield path, [_item(item) for item in value[:MOST_ITEMS]]
    elif value is None or (isinstance(value, bool | int | float) and abs(value) < LARGEST):
        yield path, value
    else:
        yield path, _text(value)


def _is_name(name: object) -> TypeGuard[str]:
    """Whether a field's name can be part of a path: the database stores no NUL, for example."""
    return isinstance(name, str) and 0 < len(name) <= 80 and name.isprintable()


def _item(value: object) -> str:
    return OBJECT if isinstance(value, dict | list) else _text(value)


def _larger(one: ConditionValue, other: ConditionValue) -> ConditionValue:
    if isinstance(one, int | float) and isinstance(other, int | float):
        return max(one, other)
    return one


def _text(value: object) -> str:
    text = value if isinstance(value, str) else repr(value)
    return "".join(character if character.isprintable() else " " for character in text)[:MAX_TEXT]
