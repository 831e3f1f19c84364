"""Any upload is imported or refused: there is never a traceback, and it never takes long."""

import json
import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from leaderboard.importers import Import, ImportFailed, known_importers
from tests.helpers.examples import examples
from tests.importers.test_formats import FORMATS, participant_of
from tests.importers.uploads import folder, imported, refusal, tarred, zipped, zstandard

BAD_VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1.5,
    10**30,
    10**400,
    float("nan"),
    float("-inf"),
    "",
    "nan",
    "a\x00b",
    "\ud800",
    "x" * 5000,
    "2026-13-45",
    "9999-12-31T23:59:59-23:59",
    [],
    {},
    [[]],
    {"": None},
    {"\x00": 1},
    [None, 1, "x"],
]
BAD_TEXTS = [
    b"",
    b"{",
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"\xff\xfe{}",
    b"\x00",
    b"1" * 100_000,
    b"-" + b"9" * 5000,
    b'{"a": 1, "a": 2}',
    b"NaN",
    b'"\\ud800"',
    b"{}\n{}\n[]\n",
]
SMALL = {
    name: {
        path: text
        for path, text in folder(name).items()
        if name != "harbor-job" or "/" not in path or "script" in str(text)
    }
    for name in FORMATS
}


def outcome(
    upload: bytes | Mapping[str, bytes], key: str = "", participant: str = ""
) -> Import | None:
    """Return the import after checking its invariants, or None if it is refused with a message."""
    contents, refusal = None, ""
    try:
        contents = imported(upload, "upload", format=key, participant=participant)
    except ImportFailed as error:
        refusal = str(error)
    if contents is None:
        assert 0 < len(refusal) < 1500
        return None
    for attempt in contents.attempts:
        assert attempt.participant
        evidence = [list(attempt.samples), attempt.values, attempt.metrics, attempt.file_metrics]
        whole = [*evidence, attempt.meta, attempt.specs, attempt.run]
        text = json.dumps(whole, allow_nan=False, ensure_ascii=False)
        assert "\\u0000" not in text
        assert "\ud800" not in text
    return contents


def test_bad_texts_are_handled_in_every_place() -> None:
    for text in BAD_TEXTS:
        for key in sorted(known_importers()):
            assert outcome(text, key) is None, (key, text[:12])
            for name, files in SMALL.items():
                if FORMATS[name] == key:
                    for path in list(files)[:4]:
                        outcome({**files, path: text}, key, **participant_of(name))
                        added = {**files, path: files[path] + b"\n" + text}
                        outcome(added, key, **participant_of(name))


def spots(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the paths to all values within one."""
    paths = [path]
    if isinstance(value, dict):
        paths += [spot for key in value for spot in spots(value[key], (*path, key))]
    elif isinstance(value, list):
        paths += [spot for at, member in enumerate(value) for spot in spots(member, (*path, at))]
    return paths


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    """Return a copy of a JSON value with another value at a path."""
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


def is_json(text: bytes) -> bool:
    """Return whether a file is an object or a list in JSON, or its first line is."""
    for part in (text, text.partition(b"\n")[0]):
        try:
            return isinstance(json.loads(part), dict | list)
        except ValueError:
            continue
    return False


JSON = [name for name in FORMATS if any(map(is_json, SMALL[name].values()))]
LARGE = ["helm", "promptfoo.json", "promptfoo-v2.json"]


def test_wrong_values_are_handled_in_every_place() -> None:
    for name in JSON:
        if name not in LARGE:
            handles_wrong_values(name)


@pytest.mark.slow
def test_wrong_values_are_handled_in_every_place_of_large_files() -> None:
    for name in LARGE:
        handles_wrong_values(name)


def handles_wrong_values(name: str) -> None:
    """Put bad values, drawn by a fixed seed, into each place in the first document of each file."""
    draw = random.Random(name)
    files = SMALL[name]
    documents = [path for path in files if is_json(files[path])]
    for path in sorted(documents, key=lambda path: (path.count("/"), path))[:3]:
        first, newline, rest = files[path].partition(b"\n")
        try:
            document = json.loads(first)
        except ValueError:
            document, newline, rest = json.loads(files[path]), b"", b""
        for spot in spots(document):
            wrong = replaced(document, spot, draw.choice(BAD_VALUES))
            text = json.dumps(wrong).encode() + newline + rest
            outcome({**files, path: text}, FORMATS[name], **participant_of(name))


mutations = st.lists(
    st.tuples(st.integers(0, 10**6), st.integers(0, 40), st.binary(max_size=12)),
    min_size=1,
    max_size=4,
)


def mutated(text: bytes, changes: list[tuple[int, int, bytes]]) -> bytes:
    """Return the bytes with some removed and others inserted."""
    for at, length, new in changes:
        start = at % (len(text) + 1)
        text = text[:start] + new + text[start + length :]
    return text


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(name=st.sampled_from(sorted(SMALL)), which=st.integers(0, 50), changes=mutations)
def test_mutated_files_are_handled(
    name: str, which: int, changes: list[tuple[int, int, bytes]]
) -> None:
    files = SMALL[name]
    path = sorted(files)[which % len(files)]
    changed = {**files, path: mutated(files[path], changes)}
    outcome(changed, FORMATS[name], **participant_of(name))


@settings(max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(
    pack=st.sampled_from([zipped, zstandard, tarred, lambda files: tarred(files, "w")]),
    changes=mutations,
)
def test_mutated_archives_are_handled(pack: Any, changes: list[tuple[int, int, bytes]]) -> None:
    outcome(mutated(pack(SMALL["verifiers-v1"] | SMALL["lm-eval"]), changes))


@settings(max_examples=examples(60), deadline=None)
@given(text=st.binary(max_size=700), key=st.sampled_from(["", *sorted(known_importers())]))
def test_any_bytes_are_handled(text: bytes, key: str) -> None:
    outcome(text, key)
    for magic in (b"PK\x03\x04", b"\x1f\x8b\x08\x00"):
        outcome(magic + text, key)


def test_impossible_names_of_metrics_are_refused() -> None:
    for name in (" a", "a\n", "x" * 121, "\u200b"):
        row = {"participant": "atlas", "samples": [{"task": "t", "rewards": {name: 1}}]}
        with pytest.raises(ImportFailed, match=r"samples\[0\]\.rewards\..*: must"):
            imported(json.dumps(row).encode())


def test_moments_that_no_calendar_has_in_utc_are_left_out() -> None:
    for moment in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-23:59"):
        table = f"model,accuracy,date\natlas,0.5,{moment}\nborea,0.4,2026-01-31\n".encode()
        contents = imported(table, "table.csv", participant="")
        assert [attempt.values for attempt in contents.attempts] == [
            {"accuracy": 0.5},
            {"accuracy": 0.4},
        ], moment


def test_a_duration_that_is_too_long_is_named() -> None:
    traces = folder("verifiers-v1")
    name = next(path for path in traces if path.endswith("traces.jsonl"))
    first, *further = traces[name].splitlines()
    row = json.loads(first)
    trace = row["traces"][0] if "traces" in row else row
    trace["timing"]["agent"] = {"start": 0.0, "end": 1e308}
    text = b"\n".join([json.dumps(row).encode(), *further])
    assert "timing.agent: must be a number from 0 to 10^15" in refusal({**traces, name: text})
