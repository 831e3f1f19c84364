"""Damaged, wrongly encoded and misspelt files: the error names the file and what is wrong in it."""

from typing import Any

import pytest

from leaderboard.importers import ImportFailed
from tests.importers.uploads import folder, imported, lines, tarred, zipped

ATTEMPT = {"participant": "atlas", "values": {"solved": 9}}
ENCODINGS = [
    ("utf-16", "UTF-16"),
    ("utf-16-le", "UTF-16"),
    ("utf-16-be", "UTF-16"),
    ("utf-32", "UTF-32"),
    ("utf-32-be", "UTF-32"),
]


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


@pytest.mark.parametrize(("encoding", "name"), ENCODINGS)
@pytest.mark.parametrize("options", [{}, {"otherwise": "outputs"}, {"format": "lm-eval"}])
@pytest.mark.parametrize(
    "text", ['{"participant": "atlas", "values": {"solved": 9}}\n', '{\n"results": {"a": 1}}\n']
)
def test_json_in_another_encoding_is_refused_with_its_name(
    text: str, options: dict[str, str], encoding: str, name: str
) -> None:
    with pytest.raises(ImportFailed) as refused:
        imported(text.encode(encoding), "results.json", **options)
    assert refused.value.text == f"results.json: must be UTF-8; got {name}"


@pytest.mark.parametrize(("encoding", "name"), ENCODINGS)
def test_json_in_another_encoding_is_found_in_an_archive(encoding: str, name: str) -> None:
    files = {key: text.decode().encode(encoding) for key, text in folder("lm-eval").items()}
    with pytest.raises(ImportFailed, match=rf"^results_.*\.json: must be UTF-8; got {name}$"):
        imported(zipped(files), "run.zip")


@pytest.mark.parametrize(
    ("wrong", "row"),
    [
        ("particpant", {"particpant": "atlas", "values": {"solved": 9}}),
        ("valus", {"participant": "atlas", "valus": {"solved": 9}}),
        ("submited_at", {**ATTEMPT, "submited_at": "2026-01-31T12:00:00Z"}),
        ("sampels", {"participant": "atlas", "sampels": []}),
        ("particpant", {"particpant": "atlas", "outputs": "x"}),
        ("colour", {**ATTEMPT, "colour": "red"}),
    ],
)
@pytest.mark.parametrize("options", [{}, {"otherwise": "outputs"}, {"participant": "borealis"}])
@pytest.mark.parametrize("count", [1, 2])
def test_a_misspelt_field_of_an_attempt_is_named(
    wrong: str, row: dict[str, Any], options: dict[str, str], count: int
) -> None:
    said = (
        f"attempts.jsonl, line 1, {wrong}: must be one of participant, name, kind, meta, note, "
        "phase, submitted_at, metrics, values, task_rewards, samples, evaluation, outputs; got "
        f'"{wrong}"'
    )
    for upload in (lines(*[row] * count), zipped({"attempts.jsonl": lines(*[row] * count)})):
        with pytest.raises(ImportFailed) as refused:
            imported(upload, "attempts.jsonl", **options)
        assert refused.value.text == said


def test_a_misspelt_field_is_named_also_beside_other_files() -> None:
    upload = zipped({"attempts.jsonl": lines({**ATTEMPT, "nmae": "x"}), "README.md": b"# Read me"})
    with pytest.raises(ImportFailed, match=r"^attempts\.jsonl, line 1, nmae: "):
        imported(upload, "run.zip")


def test_an_output_whose_id_is_a_word_of_attempts_is_still_an_output() -> None:
    upload = lines({"participant": "x", "q1": "y"})
    (attempt,) = imported(upload, participant="atlas").attempts
    assert attempt.outputs is not None
    assert [each.id for each in attempt.outputs] == ["participant", "q1"]
