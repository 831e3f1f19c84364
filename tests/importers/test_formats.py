"""Rules for every format: how it is recognised, and what its importer must not return."""

import json
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import leaderboard.importers
from leaderboard.importers import ImportFailed, Source, known_importers, read, recognise
from leaderboard.importers.imports import ImportedAttempt
from leaderboard.rules.reductions import Reduce, Script, in_process, metric_values
from leaderboard.rules.rewards import RewardEvidence, Sample
from leaderboard.schemas.metrics import MetricSpec, parse_metrics
from scorers.metrics.registry import get_metric
from tests.importers.arithmetic import value_of
from tests.importers.uploads import (
    FIXTURES,
    below,
    eval_log,
    folder,
    imported,
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
    paths = [*leaderboard.importers.__path__, str(tmp_path)]
    monkeypatch.setattr(leaderboard.importers, "__path__", paths)
    known_importers.cache_clear()
    yield tmp_path
    known_importers.cache_clear()


def test_every_format_has_a_fixture() -> None:
    assert set(FORMATS.values()) == set(known_importers())


@pytest.mark.parametrize(("name", "key"), FORMATS.items())
def test_a_format_is_recognised_in_every_kind_of_upload(name: str, key: str) -> None:
    files = folder(name)
    wrapped = [zipped(files), tarred(files), tarred(files, "w"), zipped(below("a/b", files))]
    for upload in [*wrapped, zipped(files, zipfile.ZIP_STORED), zstandard(files)]:
        with Source.open(upload, "results.bin") as source:
            assert recognise(source) == key
    with Source.open(FIXTURES / name) as source:
        assert recognise(source) == key


@pytest.mark.parametrize("name", WITH_ATTEMPTS)
def test_results_have_the_same_ids_in_every_kind_of_upload(name: str) -> None:
    files = folder(name)
    whose = participant_of(name)
    first = imported(FIXTURES / name, **whose)
    for upload in (tarred(below("top", files)), zipped(files), zstandard(below("x/y", files))):
        again = imported(upload, "other name", **whose)
        assert again.attempts == first.attempts
    ids = [attempt.source_id for attempt in first.attempts]
    assert len(ids) == len(set(ids))
    assert all(len(each) <= 80 for each in ids)


@pytest.mark.parametrize("name", [name for name in FORMATS if "." in name])
def test_a_single_file_is_recognised_under_any_name(name: str) -> None:
    found = imported((FIXTURES / name).read_bytes(), "blob", **participant_of(name))
    assert found.format == FORMATS[name]


@pytest.mark.parametrize("name", WITH_ATTEMPTS)
def test_no_private_text_is_imported(name: str) -> None:
    found = imported(FIXTURES / name, **participant_of(name))
    assert "PRIVATE" not in repr(found)
    assert "Traceback" not in repr(found)


@pytest.mark.parametrize("name", WITH_ATTEMPTS)
def test_samples_have_the_form_of_submitted_ones(name: str) -> None:
    for attempt in imported(FIXTURES / name, **participant_of(name)).attempts:
        keys = [(each["task"], each["sample"]) for each in attempt.samples]
        assert len(keys) == len(set(keys))
        for each in attempt.samples:
            assert set(each) == {"task", "sample", "rewards", "usage", "error"}
            assert all(value is not None for value in each["usage"].values())
        json.dumps(list(attempt.samples), allow_nan=False)
        assert all(isinstance(value, str) and value for value in attempt.meta.values())


@pytest.mark.parametrize("name", WITH_ATTEMPTS)
def test_stated_values_equal_those_of_the_samples(name: str) -> None:
    for attempt in imported(FIXTURES / name, **participant_of(name)).attempts:
        for key, spec in attempt.specs.items():
            assert spec["name"] == key
            assert value_of(attempt, spec) == pytest.approx(attempt.file_metrics[key], abs=1e-12)


@pytest.mark.parametrize("name", WITH_ATTEMPTS)
def test_shipped_metrics_give_the_stated_values(name: str) -> None:
    found = imported(FIXTURES / name, **participant_of(name))
    parse_metrics(found.suggested.get("metrics", []))
    for attempt in found.attempts:
        evidence = RewardEvidence(Sample(**each) for each in attempt.samples)
        specs = parse_metrics(list(attempt.specs.values()))
        values = metric_values(evidence, specs, _metric, _no_script)
        for key in attempt.specs:
            assert values[key]["value"] == pytest.approx(attempt.file_metrics[key], abs=1e-12)


def _metric(spec: MetricSpec) -> Reduce:
    return in_process(get_metric(spec.type)())


def _no_script(spec: MetricSpec) -> Script:
    raise AssertionError(f"no file names a script: {spec}")


def test_the_metrics_of_a_registry_become_shipped_ones() -> None:
    (challenge,) = imported(FIXTURES / "registry.json").challenges
    assert [spec.undefined for spec in parse_metrics(challenge["metrics"])] == ["zero", "zero"]


def test_the_real_tools_state_values_that_are_compared() -> None:
    compared = {
        name: _compared(imported(FIXTURES / name, **participant_of(name)).attempts)
        for name in WITH_ATTEMPTS
    }
    assert {name for name, keys in compared.items() if keys} == {
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


def _compared(attempts: list[ImportedAttempt]) -> list[str]:
    return [key for attempt in attempts for key in attempt.specs]


@pytest.mark.parametrize("name", WITH_ATTEMPTS)
def test_a_given_participant_replaces_those_in_the_file(name: str) -> None:
    found = imported(FIXTURES / name, participant="  Atlas  II ")
    assert {attempt.participant for attempt in found.attempts} == {"Atlas II"}
    shared = [each for each in found.warnings if "become attempts of Atlas II" in each]
    assert len(shared) == (len(found.attempts) > 1)


def test_an_invalid_participant_is_refused() -> None:
    with pytest.raises(ImportFailed, match="participant: must not hold"):
        imported(FIXTURES / "attempts.csv", participant="a\u202eb")


def test_the_error_for_an_unknown_file_suggests_a_table() -> None:
    said = r"notes\.bin: must be of a known format or come as table \(a CSV, TSV or Excel"
    with pytest.raises(ImportFailed, match=said):
        imported(b"hello", "notes.bin")


def keyed(**fields: Any) -> bytes:
    return json.dumps(fields).encode()


@pytest.mark.parametrize(
    ("upload", "near"),
    [
        (keyed(task_checksum="a", agent_execution={}, n_retries=1), "harbor-job"),
        (keyed(results={"arc": {"x": 1}}, n_shot={}, higher_is_better={}), "lm-eval"),
        (keyed(eval={"model": "m"}, plan={}, stats={}, epochs=1), "inspect-ai"),
        (
            {
                "run/results.jsonl": b"",
                "run/metadata.json": b'{"env_id": "", "rollouts_per_example": 0}',
            },
            "verifiers-v0",
        ),
    ],
)
def test_the_error_for_an_unknown_file_names_the_nearest_two_formats(
    upload: Any, near: str
) -> None:
    with pytest.raises(ImportFailed) as refused:
        imported(upload)
    said = str(refused.value)
    assert near in said.partition("(nearest: ")[2].partition(") or come as")[0]
    assert sum(f" {key} (" in said for key in known_importers()) <= 3
    assert "or come as table" in said


@pytest.mark.parametrize("upload", [b"", b"\n \n", b"{}", b"[]", b"null", b"7", zipped({})])
def test_an_empty_upload_has_no_known_format(upload: bytes) -> None:
    with pytest.raises(ImportFailed, match="must be of a known format"):
        imported(upload)


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(ImportFailed, match="format: must be one of codalab"):
        imported(FIXTURES / "attempts.csv", format="excel")


@pytest.mark.parametrize("key", sorted(set(FORMATS.values())))
@pytest.mark.parametrize("name", sorted(FORMATS))
def test_the_error_for_a_wrong_format_is_a_sentence(name: str, key: str) -> None:
    if key == "table" and name.endswith(".csv"):
        assert imported(FIXTURES / name, format=key, participant="atlas").format == key
    elif FORMATS[name] == key:
        assert imported(FIXTURES / name, format=key, **participant_of(name)).format == key
    else:
        with pytest.raises(ImportFailed):
            imported(FIXTURES / name, format=key, participant="atlas")


def test_a_file_of_two_possible_formats_needs_a_format_name() -> None:
    both = {**folder("harbor-job"), **folder("verifiers-v1")}
    with pytest.raises(ImportFailed, match="could be harbor-job or verifiers-v1"):
        imported(both)
    assert imported(both, format="verifiers-v1").format == "verifiers-v1"


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
        "from leaderboard.importers.lm_eval import IMPORTER as IMPORTER\n"
    )
    with pytest.raises(RuntimeError, match="its IMPORTER 'lm-eval' is there already"):
        known_importers()


@pytest.mark.parametrize("importer", known_importers().values(), ids=lambda each: each.key)
def test_every_format_describes_itself(importer: Any) -> None:
    assert importer.label
    assert importer.accepts
    assert "\n" not in importer.accepts


def test_a_source_can_be_read_with_a_named_format_and_twice() -> None:
    with Source.open(zipped(folder("lm-eval"))) as source:
        assert read(source, format="lm-eval") == read(source)


def test_eval_and_json_of_one_log_give_the_same() -> None:
    log = json.loads((FIXTURES / "inspect-ai.json").read_bytes())
    assert (
        imported(zstandard(eval_log(log))).attempts
        == imported(FIXTURES / "inspect-ai.json").attempts
    )


def test_the_example_of_the_docs_runs(folder_of_mine: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text()
    example = page.rpartition("```python\n")[2].partition("```")[0]
    imports = (
        "from leaderboard.importers import Import, ImportedAttempt, Importer, Source\n"
        "from leaderboard.importers.naming import source_id\n"
        "from leaderboard.importers.samples import numbered, sample\n"
    )
    (folder_of_mine / "mine.py").write_text(imports + example)
    (attempt,) = imported(b'{"my_runs": [{"task": "t", "reward": 1}]}').attempts
    assert attempt.samples[0]["rewards"] == {"reward": 1.0}
    with pytest.raises(ImportFailed, match=r"my_runs\[0\]\.reward: must be a number"):
        imported(b'{"my_runs": [{"task": "t", "reward": "1"}]}')


def test_the_docs_name_every_format() -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text()
    assert all(f"| `{key}` |" in page for key in known_importers())


def test_the_tables_in_the_docs_are_read() -> None:
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text()
    tables = [part.partition("```")[0] for part in page.split("```csv\n")[1:]]
    plain, sampled = (imported(table.encode()).attempts for table in tables)
    assert [each.values for each in plain] == [{"solved": 9.0}, {"solved": 7.5}]
    assert sampled[0].samples[1]["rewards"] is None
