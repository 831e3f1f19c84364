"""A text metric that loads a model, and one that reads the file that the first output names."""

import os
from pathlib import Path
from typing import Any

Json = dict[str, Any]


class Loads:
    """Returns the files of its model as statistics."""

    id = "LOADS"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        folder = Path(parameters["model_path"])
        files = {file.name: file.read_text() for file in sorted(folder.iterdir())}
        return {"score": {"files": len(files)}, "statistics": [str(folder), files]}


class Reads:
    """Reads the file that the first output names."""

    id = "READS"

    def evaluate(self, instances: Any, parameters: Json) -> Json:
        text = Path(instances[0].output).read_text()
        offline = os.environ.get("HF_HUB_OFFLINE")
        return {"score": {"size": len(text)}, "statistics": [text, offline]}
