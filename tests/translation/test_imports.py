"""What an importer says about a file is in the language of its reader."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.utils import translation

from leaderboard.importers import ColumnMap, Import, ImportFailed, Source, read
from leaderboard.importers.reading.errors import problem_of
from leaderboard.languages.translation import translated
from leaderboard.services.imports.readings import read_once
from leaderboard.services.imports.refusals import failed
from tests.translation.pseudo import LANGUAGE, OPEN
from tests.translation.test_texts import unmarked_texts

PRODUCT = Path(__file__).parents[2] / "leaderboard"
FOLDERS = ("importers", "services/imports")
STORED = {
    "not scored",
    "no response",
    "empty patch",
    "the evaluation broke",
    "the evaluation left no report",
    "the verifier gave no rewards",
}
"""Errors of samples, which are stored and stay English."""
NAMES = re.compile(
    r"(evaluate|inspect-ai|lighteval|lm-eval|MTEB|promptfoo|prompt|verifiers|column) \{\}"
    r"|\{\} over \{\} scores|OpenAI evals|Open LLM Leaderboard|MATH Lvl 5|JUnit XML"
    r"|(Run|Experiment) ID|(Experiment|Source) Name|(Source|Job|GPU) Type|(Start|End) Time"
    r"|GPU Count|Model sha"
)
"""Names of tools with their versions, of columns and of metrics."""
WORDS = (
    *("tables/known_labels.py", "tables/cells.py", "result_labels.py", "directions.py"),
    "imports/examples.py",
)
"""Words that cells and labels of tables have, and contents of example files."""
TABLE = b"name,mmlu,mmlu\nann,1,x\nann,2,3\n"


def test_importers_have_no_unmarked_text() -> None:
    unmarked = {
        f"{path.relative_to(PRODUCT)}:{line}": text
        for folder in FOLDERS
        for path in (PRODUCT / folder).rglob("*.py")
        if not path.as_posix().endswith(WORDS)
        for line, text in unmarked_texts(path.read_text())
        if text not in STORED and not NAMES.fullmatch(text)
    }
    assert unmarked == {}


def table(text: bytes, *columns: str) -> Import:
    with Source.open(text, "table.csv") as source:
        return read(source, columns=ColumnMap(columns))


def test_an_error_is_translated_with_its_place(pseudo_offered: None) -> None:
    with pytest.raises(ImportFailed) as raised:
        table(b"name;score\n\xff;3\n;4\n", "name=participant", "score=value", "other=value")
    problem = problem_of(raised.value)
    assert problem == str(raised.value) == raised.value.text
    with translation.override(LANGUAGE):
        assert translated(problem).count(OPEN) > 1
        refused = failed(raised.value)
    assert list(refused.fields) == ["map"]
    assert refused.fields["map"][0].startswith(OPEN)
    assert failed(raised.value).message == str(raised.value)


def test_a_stored_reading_keeps_what_its_translation_needs(
    pseudo_offered: None, tmp_path: Path
) -> None:
    beside = tmp_path / "read"

    def once() -> Import:
        return read_once(beside, [], [], lambda: table(TABLE))

    first, again = once(), once()
    assert again.warnings == first.warnings != []
    with translation.override(LANGUAGE):
        for warning, stored in zip(first.warnings, again.warnings, strict=True):
            assert translated(warning) == translated(stored) != warning
            assert OPEN in translated(warning)
