"""Tables of predictions and their metrics, in a sandbox that has their libraries loaded."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from leaderboard.operating.other_processes import working_elsewhere
from leaderboard.predictions.checking import Predictions
from leaderboard.predictions.comparing import ComparedFiles
from leaderboard.predictions.layouts import Part, TruthSettings
from leaderboard.predictions.pictures import RowsPicture
from leaderboard.predictions.previews import Preview
from leaderboard.predictions.scoring import Measured
from leaderboard.predictions.truths import Truth
from leaderboard.rules.json.untyped_dicts import PluginSettings
from leaderboard.sandbox import ConfigCheck, Failure, PluginDescription, Sandbox
from leaderboard.services.plugins.sandboxes import sandbox

PICTURE_MS: Final = 20_000
"""How long a page waits for a picture."""


def discover_prediction_metrics() -> list[PluginDescription]:
    """Every metric of predictions of the packages and entry points; a broken one has its error."""
    return sandbox("asking").discover("prediction_metric")


def check_prediction_parameters(entrypoint: str, parameters: PluginSettings) -> ConfigCheck:
    """Ask a metric of predictions whether it accepts parameters."""
    return sandbox("asking").check_config(entrypoint, parameters, kind="prediction_metric")


def preview_table(content: bytes) -> Preview | Failure:
    """The beginning of the table in a file. Raises BadTable, SandboxError."""
    return _reading().preview_table(content)


def read_truth(content: bytes, settings: TruthSettings) -> Truth | Failure:
    """A truth, read from a file and packed. Raises BadTable, SandboxError."""
    return _reading().read_truth(content, settings)


def check_predictions(content: bytes, form: bytes) -> Predictions | Failure:
    """Predictions that are checked, aligned and packed. form: `Truth.form`.

    Raises BadTable, SandboxError.
    """
    with working_elsewhere():
        return _reading().check_predictions(content, form)


def measure_predictions(
    entrypoint: str,
    parameters: Mapping[str, object],
    key: bytes,
    files: Sequence[bytes | None],
    *,
    part: Part,
    timeout_ms: int,
) -> list[Measured | Failure] | Failure:
    """The values of a metric for files of predictions: see `Sandbox.measure_predictions`."""
    return sandbox("predictions").measure_predictions(
        entrypoint, parameters, key, files, part=part, timeout_ms=timeout_ms
    )


def compare_predictions(
    entrypoint: str,
    parameters: Mapping[str, object],
    key: bytes,
    files: Sequence[bytes],
    *,
    part: Part,
    timeout_ms: int,
) -> list[ComparedFiles | Failure] | Failure:
    """The first file, compared with each other one: see `Sandbox.compare_predictions`."""
    with working_elsewhere():
        return sandbox("predictions").compare_predictions(
            entrypoint, parameters, key, files, part=part, timeout_ms=timeout_ms
        )


def picture_predictions(packed: bytes, key: bytes, part: Part) -> list[RowsPicture] | Failure:
    """Predictions beside the truth, as numbers for pictures. Raises BadTable, SandboxError."""
    with working_elsewhere():
        return _reading().picture_predictions(packed, key, part, timeout_ms=PICTURE_MS)


def _reading() -> Sandbox:
    """A sandbox of its own, so that a check of a file never waits for a metric."""
    return sandbox("reading")
