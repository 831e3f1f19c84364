"""Hugging Face Evaluate: what `evaluate.save` writes, as reported values.

The file holds everything that was passed to it, results and parameters alike. Every number becomes
a value, called `outer.inner` in objects. The only imported texts are the model and the data set.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from leaderboard.importers.reading.harness import words_in
from leaderboard.importers.reading.json_files import JsonFiles
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, nested
from leaderboard.importers.reading.tool import ToolRun, Upload, by_numbers, importer
from leaderboard.rules.texts.messages import message

KEY: Final = "hf-evaluate"
MODELS: Final = ("model", "model_name", "model_id", "model_name_or_path")
DATASETS: Final = ("dataset", "dataset_name", "task", "task_name")

FILES: Final = JsonFiles(
    lambda document: "_timestamp" in document and "_evaluate_version" in document,
    ("result*.json",),
)
"""Results with the time and version that Evaluate adds."""


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each result."""
    for document in upload.documents(FILES):
        numbers = ReportedNumbers(KEY)
        for label, value in nested(document):
            if not label.startswith("_"):
                numbers.add(label, value)
        if not numbers.values:
            raise document.fail(message("must contain a number"))
        numbers.warn(document.file, upload.warnings)
        version, time = document["_evaluate_version"].words(20), document["_timestamp"]
        yield ToolRun(
            document.file,
            (time.words(), numbers.values, numbers.rest),
            {
                **words_in(document, model=MODELS, dataset=DATASETS),
                "harness": f"evaluate {version}".strip(),
            },
            numbers=numbers,
            submitted_at=time.moment(),
        )


IMPORTER = importer(
    KEY,
    message("Hugging Face Evaluate"),
    message("a result-*.json of evaluate.save"),
    FILES.recognise,
    runs,
    missing=message("must contain a result of evaluate.save; got a file without any"),
    suggests=by_numbers,
)
