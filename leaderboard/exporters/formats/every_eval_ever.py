"""Every Eval Ever, schema 0.3.0: an aggregate for each row, and its samples as lines of JSON.

Source: the schema and the validator of evaleval/every_eval_ever. The format has no place for a
value that is missing, so such a value is left out and named in the details of the model. Its paths
need UUIDs of version 4; these are made from the address of the attempt, so that the same attempt
always has the same file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import Final

from leaderboard.exporters.archive import zipped
from leaderboard.exporters.board import (
    ExportedBoard,
    ExportedColumn,
    ExportedRow,
    ExportedSample,
    ExportedValue,
)
from leaderboard.exporters.exporter import CannotExport, Exporter
from leaderboard.exporters.names import (
    hugging_face_dataset,
    in_seconds,
    path_part,
    random_looking_uuid,
)
from leaderboard.rules.texts.messages import message

SCHEMA: Final = "0.3.0"
WITHHELD: Final = "withheld"
_OPENNESS: Final = {True: "open_weights", False: "closed_weights", None: "unknown"}


def write(board: ExportedBoard) -> bytes:
    """A zip with `data/CHALLENGE/DEVELOPER/MODEL/UUID.json`, and `…_samples.jsonl` beside it."""
    samples = board.samples()
    files: dict[str, bytes] = {}
    for row in board.rows:
        results = [*_results(board, row)]
        if not results:
            continue
        path, name = _folder(board, row), random_looking_uuid(row.attempt or _identity(board, row))
        aggregate = _aggregate(board, row, results)
        lines = _lines(_identity(board, row), _model_id(row), samples.get(row.attempt or "", ()))
        if lines:
            content = "".join(lines).encode()
            file = f"{path}/{name}_samples.jsonl"
            files[file] = content
            aggregate["detailed_evaluation_results"] = {
                "format": "jsonl",
                "file_path": file,
                "hash_algorithm": "sha256",
                "checksum": sha256(content).hexdigest(),
                "total_rows": len(lines),
            }
        files[f"{path}/{name}.json"] = _json(aggregate, indent=1).encode()
    if not files:
        raise CannotExport(message("The board has no row with a value."))
    return zipped(files)


def _aggregate(
    board: ExportedBoard, row: ExportedRow, results: list[dict[str, object]]
) -> dict[str, object]:
    return {
        "schema_version": SCHEMA,
        "evaluation_id": _identity(board, row),
        "retrieved_timestamp": in_seconds(board.moment),
        "evaluation_timestamp": in_seconds(row.reached_at),
        "source_metadata": {
            "source_name": board.name,
            "source_type": "evaluation_run",
            "source_organization_name": board.organisation or "unknown",
            "source_organization_url": board.address,
            "evaluator_relationship": "third_party" if row.verified_by else "first_party",
        },
        "eval_library": {
            "name": "podium",
            "version": board.server,
            "additional_details": {
                "scorer": board.scorer,
                "code": board.code,
                "scoring_version": str(board.scoring_version),
            },
        },
        "model_info": {
            "name": row.model,
            "id": _model_id(row),
            **({"developer": row.developer} if row.developer else {}),
            "additional_details": {
                "deployment_type": "unknown",
                "model_availability": _OPENNESS[row.has_open_weights],
                "entry": row.name,
                **{
                    f"no_value:{key}": value.reason or "undefined"
                    for key, value in row.values.items()
                    if value.value is None
                },
            },
        },
        "evaluation_results": results,
    }


def _results(board: ExportedBoard, row: ExportedRow) -> Iterable[dict[str, object]]:
    for column in board.columns:
        value = row.values.get(column.key)
        if value is None or value.value is None:
            continue
        yield {
            "evaluation_result_id": f"{_identity(board, row)}/{column.key}",
            "evaluation_name": column.label,
            "evaluation_timestamp": in_seconds(row.reached_at),
            "source_data": _source(board),
            "metric_config": _metric(column),
            "score_details": _score(row, column, value, value.value),
        }


def _score(
    row: ExportedRow, column: ExportedColumn, value: ExportedValue, score: float
) -> dict[str, object]:
    details = {"level": "reported" if value.is_reported else "computed"}
    if value.defined is not None and value.total is not None:
        details["coverage"] = f"{value.defined}/{value.total}"
    if column.ranked:
        details |= {"rank": str(row.rank)} if row.rank else {"unranked": row.unranked}
        if row.rank_interval:
            details["rank_interval"] = "{}-{}".format(*row.rank_interval)
    uncertainty: dict[str, object] = {}
    if value.standard_error is not None:
        uncertainty["standard_error"] = {"value": value.standard_error}
    if value.interval is not None:
        low, high = value.interval
        uncertainty["confidence_interval"] = {"lower": low, "upper": high, "confidence_level": 0.95}
    if uncertainty and value.defined:
        uncertainty["num_samples"] = value.defined
    certain = {"uncertainty": uncertainty} if uncertainty else {}
    return {"score": score, "details": details, **certain}


def _metric(column: ExportedColumn) -> dict[str, object]:
    return {
        "metric_id": column.key,
        "metric_name": column.label,
        **({"metric_unit": column.unit} if column.unit else {}),
        "lower_is_better": column.direction == "asc",
        "score_type": "continuous",
        "min_score": "-Infinity" if column.low is None else column.low,
        "max_score": "Infinity" if column.high is None else column.high,
        **({"evaluation_description": column.description} if column.description else {}),
    }


def _source(board: ExportedBoard) -> dict[str, object]:
    name = board.dataset or board.name
    if repository := hugging_face_dataset(board.dataset, board.dataset_url):
        return {"dataset_name": name, "source_type": "hf_dataset", "hf_repo": repository}
    return {
        "dataset_name": name,
        "source_type": "url",
        "url": [board.dataset_url or board.address],
    }


def _lines(evaluation: str, model: str, samples: Sequence[ExportedSample]) -> list[str]:
    """A line for each sample and reward that has a value, without inputs and outputs."""
    return [
        _json(
            {
                "schema_version": SCHEMA,
                "evaluation_id": evaluation,
                "model_id": model,
                "evaluation_name": sample.reward,
                "sample_id": f"{sample.task}/{sample.sample}",
                "sample_hash": sha256(sample.task.encode()).hexdigest(),
                "interaction_type": "single_turn",
                "input": {"raw": WITHHELD, "reference": [WITHHELD]},
                "output": {"raw": [WITHHELD]},
                "messages": None,
                "answer_attribution": [],
                "evaluation": {"score": sample.value, "is_correct": sample.value >= 1.0},
                **_tokens(sample),
            }
        )
        + "\n"
        for sample in samples
    ]


def _tokens(sample: ExportedSample) -> dict[str, object]:
    if sample.input_tokens is None or sample.output_tokens is None:
        return {}
    return {
        "token_usage": {
            "input_tokens": sample.input_tokens,
            "output_tokens": sample.output_tokens,
            "total_tokens": sample.input_tokens + sample.output_tokens,
        }
    }


def _identity(board: ExportedBoard, row: ExportedRow) -> str:
    """Stable: the time of the attempt is a part of it, that of the export is not."""
    return f"{board.slug}/{_developer(row)}_{row.slug}/{in_seconds(row.reached_at)}"


def _folder(board: ExportedBoard, row: ExportedRow) -> str:
    return f"data/{board.slug}/{_developer(row)}/{path_part(row.model, row.slug)}"


def _model_id(row: ExportedRow) -> str:
    return f"{_developer(row)}/{path_part(row.model, row.slug)}"


def _developer(row: ExportedRow) -> str:
    """The developer of the model, or else the participant, since paths need a name."""
    return path_part(row.developer, row.slug)


def _json(value: object, indent: int | None = None) -> str:
    return json.dumps(value, ensure_ascii=False, indent=indent)


EXPORTER = Exporter(
    "every-eval-ever",
    message("Every Eval Ever"),
    message(
        "Values with their intervals, and samples where you see them, for stores of evaluations."
    ),
    "eee.zip",
    "application/zip",
    write,
)
