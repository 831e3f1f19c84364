"""BERTSCORE as a worker evaluates it, against a bare loop over bert-score.

`python -m benchmarks bertscore[=N]`, where N is the number of instances; run `make
bertscore` first. It measures as `benchmarks/text.py` does, with a model of some megabytes and
random weights. The time to import libraries and to load the model is included on both sides.
"""

from __future__ import annotations

import os
import tempfile
from importlib.util import find_spec
from pathlib import Path

from benchmarks.parts.models import MODEL, save_model
from benchmarks.parts.report import Line, Table
from benchmarks.text import measured

METRIC = "BERTSCORE"


def run(*, attempts: int = 1000) -> Table:
    """Return one table for that many instances with two references each."""
    title = f"{METRIC}, {attempts:,} instances, two references"
    if not all(map(find_spec, ("bert_score", "torch", "transformers"))):
        return Table(title, [Line("not installed: `make bertscore`", "", "")])
    with tempfile.TemporaryDirectory(prefix="podium-models-") as folder:
        Path(folder).chmod(0o755)
        save_model(Path(folder, MODEL))
        os.environ["MODEL_PATH"] = folder
        _, lines = measured(METRIC, attempts)
    return Table(title, lines)
