"""Damaged, wrongly encoded and misspelt files: the error names the file and what is wrong in it."""

import json
from itertools import product
from typing import Any

import pytest

from leaderboard.importers import ImportFailed
from tests.importers.uploads import (
    assert_refused,
    folder,
    imported,
    lines,
    only_attempt,
    refusal,
    tarred,
    zipped,
)

ATTEMPT = {"participant": "atlas", "values": {"solved": 9}}
ENCODINGS = ("utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-be")


def half(text: bytes) -> bytes:
    return text[: len(text) // 2]


def test_a_damaged_file_of_an_archive_is_named() -> None:
    files = folder("lm-eval")
    (results,) = (name for name in files if name.startswith("results_"))
    for pack in (zipped, tarred):
        with pytest.raises(ImportFailed, match=f"^{results}: must be JSON"):
            imported(pack({**files, results: half(files[results])}), "run.zip")


def test_a_file_with_json_on_each_line_is_not_damaged_whatever_its_name() -> None:
    upload = zipped({"logs/steps.json": lines({"step": 1}, {"step": 2}), "notes.txt": b"none"})
    with pytest.raises(ImportFailed, match=r"^run\.zip: .* known format"):
        imported(upload, "run.zip")


def test_the_file_in_which_a_tar_breaks_off_is_named() -> None:
    upload = tarred({"a.json": b"{}", "b/long.json": b"[" + b"1, " * 2000 + b"1]"}, "w:")
    with pytest.raises(ImportFailed) as refused:
        imported(half(upload), "run.tar")
    assert refused.value.text.startswith("b/long.json: must be complete")


def test_json_in_another_encoding_is_refused_with_its_name() -> None:
    run = {name: text.decode() for name, text in folder("lm-eval").items()}
    for encoding in ENCODINGS:
        name = encoding[:6].upper()
        for text in (json.dumps(ATTEMPT), '{\n"results": {"a": 1}}\n'):
            for options in ({}, {"otherwise": "outputs"}, {"format": "lm-eval"}):
                upload = text.encode(encoding)
                assert refusal(upload, **options) == f"upload: must be UTF-8; got {name}"
        archive = zipped({path: text.encode(encoding) for path, text in run.items()})
        assert refusal(archive).endswith(f".json: must be UTF-8; got {name}")


def test_a_misspelt_field_of_an_attempt_is_named() -> None:
    rows: dict[str, dict[str, Any]] = {
        "particpant": {"particpant": "atlas", "values": {"solved": 9}},
        "valus": {"participant": "atlas", "valus": {"solved": 9}},
        "submited_at": {**ATTEMPT, "submited_at": "2026-01-31T12:00:00Z"},
        "sampels": {"participant": "atlas", "sampels": []},
        "particpants": {"particpants": "atlas", "outputs": "x"},
        "colour": {**ATTEMPT, "colour": "red"},
    }
    for wrong, row in rows.items():
        for count, options in product(
            (1, 2), ({}, {"otherwise": "outputs"}, {"participant": "borealis"})
        ):
            text = lines(*[row] * count)
            for upload in (text, zipped({"attempts.jsonl": text})):
                expected = f'attempts.jsonl, line 1, {wrong}: got "{wrong}"'
                assert_refused(upload, expected, "attempts.jsonl", **options)


def test_a_misspelt_field_is_named_also_beside_other_files() -> None:
    upload = zipped({"attempts.jsonl": lines({**ATTEMPT, "nmae": "x"}), "README.md": b"# Read me"})
    with pytest.raises(ImportFailed, match=r"^attempts\.jsonl, line 1, nmae: "):
        imported(upload, "run.zip")


def test_an_output_whose_id_is_a_word_of_attempts_is_still_an_output() -> None:
    upload = lines({"participant": "x", "q1": "y"})
    attempt = only_attempt(upload, participant="atlas")
    assert attempt.outputs is not None
    assert [output.id for output in attempt.outputs] == ["participant", "q1"]
