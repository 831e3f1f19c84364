"""Rules for every format: how it is recognised, and what its importer must not return."""

import json
import re
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import leaderboard.importers.formats
from leaderboard.importers import (
    Import,
    ImportedAttempt,
    ImportFailed,
    Source,
    known_importers,
    read,
    recognise,
)
from leaderboard.schemas.metrics import parse_metrics
from leaderboard.schemas.samples import read_samples
from tests.importers.arithmetic import value_of
from tests.importers.uploads import (
    FIXTURES,
    below,
    eval_log,
    folder,
    imported,
    only_attempt,
    refusal,
    tarred,
    zipped,
    zstandard,
)

FORMATS = {
    "harbor-job": "harbor-job",
    "registry.json": "harbor-registry",
    "verifiers-v0": "verifiers-v0",
    "verifiers-v1": "verifiers-v1",
    "inspect-ai.json": "inspect-ai",
    "lm-eval": "lm-eval",
    "promptfoo.json": "promptfoo",
    "promptfoo-v2.json": "promptfoo",
    "promptfoo.jsonl": "promptfoo",
    "swe-bench": "swe-bench",
    "mteb": "mteb",
    "harbor-hub.json": "harbor-hub",
    "every-eval-ever.json": "every-eval-ever",
    "openai-evals": "openai-evals",
    "simple-evals": "simple-evals",
    "helm": "helm",
    "evalplus": "evalplus",
    "tau-bench": "tau-bench",
    "tau2-bench": "tau2-bench",
    "attempts.jsonl": "podium-jsonl",
    "attempts.csv": "podium-csv",
    "samples.csv": "podium-csv",
    "table.csv": "table",
    "harpia.json": "harpia",
    "outputs.json": "outputs",
    "outputs-list.json": "outputs",
    "outputs.jsonl": "outputs",
    "outputs.csv": "outputs",
    "deepeval.json": "deepeval",
    "deepeval-result.json": "deepeval",
    "ragas.csv": "ragas",
    "ragas.jsonl": "ragas",
    "ragas-columns.json": "ragas",
    "ragas-scores.json": "ragas",
    "ragas-means.json": "ragas",
    "lighteval.json": "lighteval",
    "open-llm-v1.json": "open-llm-leaderboard",
    "open-llm-rows.json": "open-llm-leaderboard",
    "hf-evaluate.json": "hf-evaluate",
    "codalab": "codalab",
    "mlflow": "mlflow",
    "mlflow-search.csv": "mlflow",
    "mlflow-ui.csv": "mlflow",
    "wandb": "wandb",
    "wandb.csv": "wandb",
    "wandb-history.jsonl": "wandb",
    "junit.xml": "junit",
    "trec": "trec",
}
WITH_ATTEMPTS = sorted(set(FORMATS) - {"registry.json"})


def participant_of(name: str) -> dict[str, str]:
    """Return the participant that a file without one needs."""
    nameless = FORMATS[name] in ("outputs", "ragas", "codalab")
    nameless = nameless or name in ("deepeval-result.json", "wandb-history.jsonl")
    return {"participant": "atlas"} if nameless else {}


@pytest.fixture
def folder_of_mine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder whose files are importers too, for one test."""
    paths = [*leaderboard.importers.formats.__path__, str(tmp_path)]
    monkeypatch.setattr(leaderboard.importers.formats, "__path__", paths)
    known_importers.cache_clear()
    yield tmp_path
    known_importers.cache_clear()


@cache
def example(name: str) -> Import:
    """Return what a fixture holds."""
    return imported(FIXTURES / name, **participant_of(name))


def test_every_format_has_a_fixture() -> None:
    assert set(FORMATS.values()) == set(known_importers())


def test_a_format_is_recognised_in_every_kind_of_upload() -> None:
    for name, key in FORMATS.items():
        files = folder(name)
        wrapped = [zipped(files), tarred(files), tarred(files, "w"), zipped(below("a/b", files))]
        for upload in [*wrapped, zipped(files, zipfile.ZIP_STORED), zstandard(files)]:
            with Source.open(upload, "results.bin") as source:
                assert recognise(source) == key, name
        with Source.open(FIXTURES / name) as source:
            assert recognise(source) == key, name


def without_files(attempt: ImportedAttempt) -> ImportedAttempt:
    """Return an attempt without the files that show how its samples went."""
    return replace(attempt, evidence=[])


def test_results_have_the_same_ids_in_every_kind_of_upload() -> None:
    for name in WITH_ATTEMPTS:
        files, attempts = folder(name), list(map(without_files, example(name).attempts))
        for upload in (tarred(below("top", files)), zipped(files), zstandard(below("x/y", files))):
            again = imported(upload, "other name", **participant_of(name))
            assert list(map(without_files, again.attempts)) == attempts, name
        ids = [attempt.source_id for attempt in attempts]
        assert len(ids) == len(set(ids)), name
        assert max(map(len, ids)) <= 80, name


def test_a_single_file_is_recognised_under_any_name() -> None:
    for name in (name for name in FORMATS if "." in name):
        upload = (FIXTURES / name).read_bytes()
        assert imported(upload, "blob", **participant_of(name)).format == FORMATS[name], name


def test_no_private_text_is_imported() -> None:
    for name in WITH_ATTEMPTS:
        assert "PRIVATE" not in repr(example(name)), name
        assert "Traceback" not in repr(example(name)), name


def test_samples_have_the_form_of_submitted_ones() -> None:
    for name in WITH_ATTEMPTS:
        for attempt in example(name).attempts:
            keys = [(row["task"], row["sample"]) for row in attempt.samples]
            assert len(keys) == len(set(keys)), name
            for row in attempt.samples:
                submitted = set(row) - {"run"}
                assert submitted == {"task", "sample", "rewards", "usage", "error"}, name
                run: dict[str, Any] = {**row.get("run", {"id": ""})}
                assert {} not in (run, *run.values()), name
                run.pop("contradicting", None)  # what only an importer can find
                read_samples([{**row, "run": run}])
                assert None not in row["usage"].values(), name
            json.dumps(list(attempt.samples), allow_nan=False)
            assert all(isinstance(value, str) and value for value in attempt.meta.values()), name


def test_stated_values_equal_those_of_the_samples() -> None:
    for name in WITH_ATTEMPTS:
        parse_metrics(example(name).suggested.get("metrics", []))
        for attempt in example(name).attempts:
            for key, spec in attempt.specs.items():
                stated = pytest.approx(attempt.file_metrics[key], abs=1e-12)
                assert spec["name"] == key, name
                assert value_of(attempt, spec) == stated, (name, key)


def test_the_metrics_of_a_registry_become_shipped_ones() -> None:
    (challenge,) = imported(FIXTURES / "registry.json").challenges
    assert [spec.undefined for spec in parse_metrics(challenge["metrics"])] == ["zero", "zero"]


def test_the_real_tools_state_values_that_are_compared() -> None:
    compared = {
        name for name in WITH_ATTEMPTS if any(attempt.specs for attempt in example(name).attempts)
    }
    assert compared == {
        "deepeval.json",
        "harbor-job",
        "inspect-ai.json",
        "junit.xml",
        "lm-eval",
        "verifiers-v0",
        "promptfoo.json",
        "promptfoo-v2.json",
        "swe-bench",
        "openai-evals",
        "simple-evals",
    }


def test_a_given_participant_replaces_those_in_the_file() -> None:
    for name in WITH_ATTEMPTS:
        contents = imported(FIXTURES / name, participant="  Atlas  II ")
        assert {attempt.participant for attempt in contents.attempts} == {"Atlas II"}, name
        merged = [warning for warning in contents.warnings if "attempts of Atlas II" in warning]
        assert len(merged) == (len(contents.attempts) > 1), name


def test_a_file_that_names_nobody_needs_a_participant() -> None:
    for name in filter(participant_of, FORMATS):
        assert "participant: must be given" in refusal(FIXTURES / name, format=FORMATS[name]), name


def test_an_invalid_participant_is_refused() -> None:
    assert "participant: must not hold" in refusal(
        FIXTURES / "attempts.csv", participant="a\u202eb"
    )


def test_the_error_for_an_unknown_file_suggests_a_table() -> None:
    with pytest.raises(ImportFailed, match=r"notes\.bin: must .* known format or come as table"):
        imported(b"hello", "notes.bin")


def keyed(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


NEARLY: dict[str, Any] = {
    "harbor-job": keyed(task_checksum="a", agent_execution={}, n_retries=1),
    "lm-eval": keyed(results={"arc": {"x": 1}}, n_shot={}, higher_is_better={}),
    "inspect-ai": keyed(eval={"model": "m"}, plan={}, stats={}, epochs=1),
    "verifiers-v0": {
        "run/results.jsonl": b"",
        "run/metadata.json": b'{"env_id": "", "rollouts_per_example": 0}',
    },
}


def test_the_error_for_an_unknown_file_names_the_nearest_two_formats() -> None:
    for near, upload in NEARLY.items():
        text = refusal(upload)
        assert near in text.partition("(nearest: ")[2].partition(") or come as table")[0]
        assert sum(f" {key} (" in text for key in known_importers()) <= 3, near


def test_an_empty_upload_has_no_known_format() -> None:
    for upload in (b"", b"\n \n", b"{}", b"[]", b"null", b"7", zipped({})):
        assert "known format" in refusal(upload), upload


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ImportFailed, match=r"^format: must be one of codalab"):
        imported(FIXTURES / "attempts.csv", format="excel")


def test_a_file_is_read_by_its_own_format_and_refused_by_any_other() -> None:
    for name, key in product(sorted(FORMATS), sorted(known_importers())):
        is_table = key == "table" and name.endswith(".csv")
        if key == "table" and not is_table:
            continue  # any rows as JSON are a table where the user says so
        if is_table or FORMATS[name] == key:
            participant = {"participant": "atlas"} if is_table else participant_of(name)
            assert imported(FIXTURES / name, format=key, **participant).format == key, name
        else:
            text = refusal(FIXTURES / name, format=key, participant="atlas")
            assert re.search(r": (must|is required)", text), (name, key, text)


def test_a_file_of_two_possible_formats_needs_a_format_name() -> None:
    files = {**folder("harbor-job"), **folder("verifiers-v1")}
    assert "harbor-job or verifiers-v1" in refusal(files)
    assert imported(files, format="verifiers-v1").format == "verifiers-v1"


def test_a_new_format_is_one_file(folder_of_mine: Path) -> None:
    (folder_of_mine / "shouted.py").write_text(
        "from leaderboard.importers import Import, ImportedAttempt, Importer\n"
        "IMPORTER = Importer('shouted', 'Shouted', 'a file that begins with HEY',\n"
        "    lambda source: source.single and source.read(source.names[0])[:3] == b'HEY',\n"
        "    lambda source, who: Import('shouted', [ImportedAttempt(who or 'x', 'id')]))\n"
    )
    assert imported(b"HEY you").format == "shouted"


def test_two_files_cannot_define_one_format(folder_of_mine: Path) -> None:
    (folder_of_mine / "again.py").write_text(
        "from leaderboard.importers.formats.lm_eval import IMPORTER as IMPORTER\n"
    )
    with pytest.raises(RuntimeError, match="IMPORTER 'lm-eval'"):
        known_importers()


def test_a_source_can_be_read_with_a_named_format_and_twice() -> None:
    with Source.open(zipped(folder("lm-eval"))) as source:
        assert read(source, format="lm-eval") == read(source)


def test_eval_and_json_of_one_log_give_the_same() -> None:
    log = json.loads((FIXTURES / "inspect-ai.json").read_bytes())
    attempt = only_attempt(zstandard(eval_log(log)))
    same = only_attempt(FIXTURES / "inspect-ai.json")
    assert without_files(attempt) == without_files(same)
    assert attempt.run.get("conditions") is None


def test_the_example_of_the_docs_runs(folder_of_mine: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "importers.md").read_text()
    example = page.partition("```python\n")[2].partition("```")[0]
    (folder_of_mine / "mine.py").write_text(example)
    runs = b'{"my_runs": [{"task": "t", "reward": 1}], "agent": "a", "config": {"model": "m"}}'
    attempt = only_attempt(runs)
    assert (attempt.participant, attempt.samples[0]["rewards"]) == ("a (m)", {"reward": 1.0})
    with pytest.raises(ImportFailed, match=r"my_runs\[0\]\.reward: .* number"):
        imported(b'{"my_runs": [{"task": "t", "reward": "1"}]}')


def test_the_docs_name_every_format() -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text()
    assert all(f"| `{key}` |" in page for key in known_importers())


def test_the_tables_in_the_docs_are_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text()
    tables = [part.partition("```")[0] for part in page.split("```csv\n")[1:]]
    plain, sampled = (imported(table.encode()).attempts for table in tables)
    assert [attempt.values for attempt in plain] == [{"solved": 9.0}, {"solved": 7.5}]
    assert sampled[0].samples[1]["rewards"] is None
