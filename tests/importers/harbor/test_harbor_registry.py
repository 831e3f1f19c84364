"""Harbor registries become challenges, or errors say where they are wrong."""

import json
from typing import Any

from tests.helpers.vectors import vectors
from tests.importers.uploads import FIXTURES, assert_refused, folder, imported, refusal

TASK = {"name": "task-1", "path": "task-1"}


def registry(*datasets: dict[str, Any]) -> bytes:
    return json.dumps(datasets).encode()


def dataset(**fields: Any) -> dict[str, Any]:
    return {"name": "n", "version": "1.0", "description": "", "tasks": [TASK], **fields}


def test_a_dataset_is_read_as_harbor_reads_it() -> None:
    for vector in vectors("harbor_registry"):
        (challenge,) = imported(registry(vector["input"])).challenges
        assert challenge["registry"] == vector["expected"]["value"], vector["name"]


def test_a_dataset_becomes_a_challenge() -> None:
    contents = imported(FIXTURES / "registry.json")
    (challenge,) = contents.challenges
    assert contents.attempts == []
    fields: dict[str, Any] = {**challenge}
    del fields["registry"]
    assert fields == {
        "slug": "my-dataset-1-0",
        "name": "my-dataset 1.0",
        "description": "A description of the dataset",
        "scoring_strategy": "metric",
        "metrics": [
            {"type": "mean", "undefined": "zero"},
            {"type": "max", "undefined": "zero"},
        ],
        "tasks": [{"name": "task-1"}, {"name": "task-2"}],
        "rank_by": [{"key": "mean", "direction": "desc"}],
    }
    (warning,) = contents.warnings
    assert "my_custom_metric.py" in warning


def test_a_script_beside_the_registry_is_imported() -> None:
    script = "# /// script\n# ///\nprint('metric')\n"
    files = {**folder("registry.json"), "my_custom_metric.py": script.encode()}
    contents = imported(files)
    assert contents.warnings == []
    assert contents.challenges[0]["metrics"][2] == {
        "type": "uv-script",
        "undefined": "zero",
        "kwargs": {"script": script},
    }


def test_a_script_outside_the_registry_is_not_imported() -> None:
    for path in ("../secret.py", "/etc/passwd", "", 7, None):
        metric = {"type": "uv-script", "kwargs": {"script_path": path}}
        upload = {"a/registry.json": registry(dataset(metrics=[metric])), "secret.py": b"secret"}
        contents = imported(upload)
        assert contents.challenges[0]["metrics"] == [{"type": "mean", "undefined": "zero"}], path
        assert len(contents.warnings) == 1, path


def test_a_single_dataset_is_a_registry_of_one() -> None:
    (challenge,) = imported(json.dumps(dataset()).encode()).challenges
    assert challenge["metrics"] == [{"type": "mean", "undefined": "zero"}]


def test_the_same_metric_twice_has_two_names() -> None:
    (challenge,) = imported(registry(dataset(metrics=[{}, {"type": "mean"}]))).challenges
    assert [metric.get("name") for metric in challenge["metrics"] if isinstance(metric, dict)] == [
        None,
        "mean-2",
    ]
    assert challenge["rank_by"] == [{"key": "mean", "direction": "desc"}]


def test_unknown_fields_are_reported() -> None:
    tasks = [{"name": "t", "path": "p", "difficulty": 3}]
    contents = imported(registry({**dataset(), "tasks": tasks, "licence": "MIT"}))
    (warning,) = contents.warnings
    assert "licence, difficulty" in warning
    assert "name, git_url, git_commit_id, path" in warning


def test_errors_for_misspelt_names_list_the_known_ones() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"metrics": [{"typ": "max"}]}, "typ: must be one of type, kwargs"),
        ({"Metrics": []}, "Metrics: must be a known field"),
        ({"tasks": [{"name": "t", "path": "p", "giturl": "x"}]}, "did you mean git_url?"),
    ]
    for change, message in cases:
        whole = {name: value for name, value in dataset().items() if name not in change}
        assert message in refusal(registry({**whole, **change}))


def test_each_version_is_a_separate_challenge() -> None:
    contents = imported(registry(dataset(), dataset(version="2.0")))
    assert [challenge["slug"] for challenge in contents.challenges] == ["n-1-0", "n-2-0"]


def test_a_long_name_gives_a_valid_slug() -> None:
    (challenge,) = imported(registry(dataset(name="n" * 79, version="b" * 30))).challenges
    assert challenge["slug"] == "n" * 79


def test_the_error_names_the_place_in_a_malformed_registry() -> None:
    text = (FIXTURES / "registry-malformed.json").read_bytes()
    for upload in (text, {"registry.json": text, "README.txt": b""}):
        assert_refused(upload, "registry.json: (line 13, column 1)", "registry.json")


def test_errors_name_a_wrong_field() -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"name": ""}, "[0].name: 1 to 255 characters"),
        ({"version": 1.0}, "[0].version: a text"),
        ({"description": None}, "[0].description: a text"),
        ({"tasks": None}, "[0].tasks: a list"),
        ({"tasks": [{"name": "t"}]}, "[0].tasks[0].path: is required"),
        ({"tasks": ["t"]}, "[0].tasks[0]: an object"),
        ({"metrics": [{}, {"type": "Mean"}]}, "metrics.1.type: sum, min, max, mean or uv-script"),
        ({"metrics": [{"type": []}]}, "metrics.0.type: sum, min"),
        ({"metrics": [{"kwargs": {"x": "\x00"}}]}, "[0].metrics[0].kwargs.x: not hold"),
    ]
    for wrong, message in cases:
        assert_refused(registry(dataset(**wrong)), message, "registry.json")
    whole = dataset()
    del whole["description"]
    assert_refused(registry(whole), "[0].description: has name, version")


def test_one_challenge_is_not_made_twice() -> None:
    assert "got n-1-0 twice" in refusal(registry(dataset(), dataset(version="1-0")))
