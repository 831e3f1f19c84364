"""Bundles of each platform as drafts, and what cannot be held here."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import pytest

from leaderboard.bundles import Bundle, read_bundle
from leaderboard.importers import ImportFailed, Source
from leaderboard.schemas.programs import ScoringProgram
from tests.bundles.twins import (
    CODABENCH_BUNDLE,
    CODALAB_COMPETITION,
    CODALAB_PROGRAM,
    COMPETITION,
    EVALAI_BUNDLE,
)
from tests.importers.uploads import Texts, zipped

SECOND_PHASE = """
  - {id: 2, name: Test, codename: test_phase, test_annotation_file: annotations/dev.json}"""


def bundle_of(files: Texts) -> Bundle:
    with Source.open(zipped(files), "bundle.zip") as source:
        return read_bundle(source)


def outcomes(bundle: Bundle, outcome: str) -> set[str]:
    return {line.key for line in bundle.report if line.outcome == outcome}


def test_a_bundle_of_codabench_becomes_a_draft() -> None:
    bundle = bundle_of(CODABENCH_BUNDLE)
    fields: Any = bundle.fields
    program: Any = bundle.program.as_json()
    assert (fields["name"], fields["counting"]) == ("Harbour words", "best")
    assert fields["description"] == (
        "## Overview\n\n# Words\n\nFind **all** of [them](https://example.org)."
    )
    assert bundle.rules == {"terms": "Be *fair*.", "mode": "approval"}
    assert fields["rank_by"] == [{"key": "accuracy", "direction": "desc"}]
    assert fields["columns"][2] == {
        "key": "hidden",
        "label": "Hidden",
        "position": 3,
        "hidden": True,
    }
    dev, final = fields["phases"]
    assert (dev["slug"], dev["opens_at"], dev["per_day"]) == (
        "dev-phase",
        "2026-01-02T00:00:00+00:00",
        5,
    )
    assert final["opens_at"] == "2126-03-04T00:00:00+00:00"
    assert program["values"] == {"accuracy": "desc", "hidden": "asc"}
    assert program["computed"]["twice"]["of"] == ["accuracy", "accuracy"]
    assert program["phases"] == {"final": {"truth": sha256(b"PK").hexdigest()}}
    assert program["seconds"] == 600
    assert bundle.sample is not None
    assert bundle.sample.name == "solution.zip"
    assert outcomes(bundle, "left_out") == {"docker_image"}


def test_a_bundle_of_codalab_becomes_a_draft() -> None:
    program = zipped(CODALAB_PROGRAM)
    bundle = bundle_of(
        {
            "competition.yaml": CODALAB_COMPETITION,
            "overview.html": "<p>Old</p>",
            "terms.html": "<p>Fair</p>",
            "program.zip": program,
            "truth.zip": zipped({"truth.txt": "a b"}),
            "__MACOSX/._program.zip": "x",
        }
    )
    fields: Any = bundle.fields
    dev, final = fields["phases"]
    assert (dev["closes_at"], dev["board"], final["total"]) == (
        "2126-02-03T00:00:00+00:00",
        "organisers",
        2,
    )
    assert bundle.program.scoring == sha256(program).hexdigest()
    assert bundle.program.computed["both"]["of"] == ["set1_score", "Duration"]
    assert not outcomes(bundle, "left_out")


def test_a_repository_of_evalai_becomes_a_draft() -> None:
    bundle = bundle_of(EVALAI_BUNDLE)
    fields: Any = bundle.fields
    (phase,) = fields["phases"]
    assert (phase["slug"], phase["per_month"], phase["overlaps"]) == ("dev", 50, True)
    assert bundle.fields["rank_by"] == [{"key": "F1_score", "direction": "desc"}]
    assert bundle.program.splits == {"dev": "public", "test": "private"}
    assert bundle.program.truth == sha256(b'{"q": 1}').hexdigest()
    assert outcomes(bundle, "left_out") == {"challenge_phases.0.showeceution_time"}
    files = {
        name: text.replace("\ndataset_splits:", f"{SECOND_PHASE}\ndataset_splits:")
        for name, text in EVALAI_BUNDLE.items()
    }
    program = ScoringProgram.model_validate(
        {**bundle_of(files).program.as_json(), "values": {"x": "asc"}}
    )
    assert [program.codename_in(slug) for slug in ("dev", "test-phase")] == ["dev", "test_phase"]
    assert bundle_of(EVALAI_BUNDLE).program.scoring == bundle.program.scoring


def test_what_platforms_accept_is_taken_with_a_word() -> None:
    twice = bundle_of(changed("title: Harbour words", "title: Old\ntitle: Harbour words"))
    assert twice.fields["name"] == "Harbour words"
    assert "title" in outcomes(twice, "differently")
    early = bundle_of(changed("2126-02-03", "2025-02-03"))
    fields: Any = early.fields
    assert fields["phases"][0]["closes_at"] is None
    untrue = bundle_of(changed("    reference_data: reference_data\n", ""))
    assert "truth" not in untrue.program.as_json()


def without(files: Mapping[str, str], name: str) -> dict[str, str]:
    return {path: text for path, text in files.items() if not path.endswith(name)}


def changed(old: str, new: str) -> dict[str, str]:
    return {**CODABENCH_BUNDLE, "competition.yaml": COMPETITION.replace(old, new)}


@pytest.mark.parametrize(
    ("files", "place"),
    [
        ({"a.txt": "x", "b.txt": "y"}, "competition.yaml"),
        (changed("tasks: [0]", "tasks: [0, 1]"), "phases.0.tasks"),
        (changed("codalab-legacy:py37", "codalab-legacy:gpu310"), "docker_image"),
        (changed("    name: Words", "    name: Words\n    use_gpu: true"), "tasks.0.use_gpu"),
        (changed("version: 2", "version: [2"), "line"),
        (changed("2026-01-02", "soon"), "phases.0.start"),
        (without(CODABENCH_BUNDLE, "final.zip"), "tasks.1.reference_data"),
        (without(EVALAI_BUNDLE, "dev.json"), "test_annotation_file"),
        (
            {
                name: text.replace("title:", "is_docker_based: true\ntitle:")
                for name, text in EVALAI_BUNDLE.items()
            },
            "is_docker_based",
        ),
        ({"competition.yaml": "tasks: &a [1]\nx: [" + "*a," * 60_000 + "]", "b": ""}, "at most"),
    ],
)
def test_what_cannot_be_held_here_is_refused(files: dict[str, str], place: str) -> None:
    with pytest.raises(ImportFailed, match=place):
        bundle_of(files)


def test_a_bundle_that_asks_for_a_gpu_can_be_tried_without() -> None:
    files = changed("codalab-legacy:py37", "codalab-legacy:gpu310")
    with Source.open(zipped(files), "bundle.zip") as source:
        bundle = read_bundle(source, without_gpu=True)
    assert [line.outcome for line in bundle.report if line.key == "docker_image"] == ["differently"]


def test_a_folder_stands_for_its_zip_and_a_phase_for_itself() -> None:
    text = COMPETITION.replace("reference_data: final.zip", "reference_data: truths.zip")
    first, _, last = text.rpartition("    scoring_program: scoring_program")
    text = f"title: !!python/unicode 'x'\n{first}    scoring_program: other.zip{last}"
    files = without(CODABENCH_BUNDLE, "final.zip") | {"competition.yaml": text}
    files |= {"truths/truth.txt": "a", "other/metadata": "command: python3 a.py", "other/a.py": ""}
    bundle = bundle_of(files)
    final = bundle.program.phases["final"]
    named = {file.sha256: file for file in bundle.files}
    assert {"scoring", "truth"} == set(final)
    with zipfile.ZipFile(io.BytesIO(named[final["truth"]].content)) as archive:
        assert archive.namelist() == ["truths/truth.txt"]
