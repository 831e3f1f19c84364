"""Try a metric of predictions on two files, for an author."""

from leaderboard.predictions.layouts import TruthSettings
from leaderboard.predictions.problems import BadTable
from leaderboard.predictions.scoring import Measured
from leaderboard.rules.json.values import JsonObject
from leaderboard.sandbox.contract import Failure
from leaderboard.sandbox.host.sandbox import Sandbox


def try_predictions(
    sandbox: Sandbox,
    entrypoint: str,
    truth: bytes,
    predictions: bytes,
    parameters: JsonObject,
    timeout_ms: int,
) -> tuple[JsonObject, Failure | None]:
    """What a worker would get, as JSON; and the failure, if there is one.

    The first column of the truth holds ids, and all others but one of Public, Private and Ignored
    are targets. Raises SandboxError.
    """
    try:
        answer = _measured(sandbox, entrypoint, truth, predictions, parameters, timeout_ms)
    except BadTable as error:
        return {
            "problems": [problem.placed for problem in error.problems],
            "more": error.more,
        }, None
    if isinstance(answer, Failure):
        return {"error": {"code": answer.code, "message": answer.message}}, answer
    interval = answer.estimate.interval
    return {"values": answer.values, "reason": answer.reason, "interval": interval}, None


def _measured(
    sandbox: Sandbox,
    entrypoint: str,
    truth: bytes,
    predictions: bytes,
    parameters: JsonObject,
    timeout_ms: int,
) -> Measured | Failure:
    described = sandbox.describe_prediction_metric(entrypoint)
    if described.error is not None:
        return described.error
    beginning = sandbox.preview_table(truth)
    if isinstance(beginning, Failure):
        return beginning
    targets = tuple(name for name in beginning.columns[1:] if name != beginning.usage)
    settings = TruthSettings(
        beginning.columns[0],
        targets,
        described.rows,  # type: ignore[arg-type]
        usage_column=beginning.usage,
        above=described.above,
    )
    read = sandbox.read_truth(truth, settings)
    if isinstance(read, Failure):
        return read
    checked = sandbox.check_predictions(predictions, read.form)
    if isinstance(checked, Failure):
        return checked
    measured = sandbox.measure_predictions(
        entrypoint, parameters, read.key, [checked.packed], part="all", timeout_ms=timeout_ms
    )
    return measured if isinstance(measured, Failure) else measured[0]
