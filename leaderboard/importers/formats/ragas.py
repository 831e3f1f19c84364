"""Ragas: the table of an `EvaluationResult` as CSV, JSON or JSONL, its scores, or their means.

Each row is a task, named by its position (rows have no ids), and each column of numbers is a
reward. A metric that Ragas could not compute is NaN, an empty cell or null: it was not scored.
Questions, contexts, responses and references are not imported.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.json_files import require
from leaderboard.importers.reading.json_place import MAX_FIELD, JsonValue, parse
from leaderboard.importers.reading.reported_numbers import ReportedNumbers, in_text, says_nothing
from leaderboard.importers.reading.sample_row import SampleRow
from leaderboard.importers.reading.samples import NOT_SCORED, sample, spec, suggested
from leaderboard.importers.reading.sheets import columns_of, head, rows_of
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.suggestions import SuggestedFields
from leaderboard.importers.reading.tool import ToolRun, Upload, by_numbers, importer
from leaderboard.rules.texts.messages import message

KEY: Final = "ragas"
MISSING: Final = message("must contain results of Ragas; got a file without any")
NAMES: Final = ("*.csv", "*.jsonl", "*ragas*.json", "*scores*.json")
MAX_PEEKED: Final = 64 * 1024
MAX_COLUMNS: Final = 200

TEXTS: Final = frozenset(
    (
        *("user_input", "retrieved_contexts", "retrieved_context_ids", "reference_contexts"),
        *("reference_context_ids", "response", "multi_responses", "reference", "rubrics"),
        *("rubric", "reference_topics", "reference_tool_calls", "persona_name"),
        *("query_style", "query_length", "synthesizer_name", "question", "answer"),
        *("contexts", "ground_truth", "ground_truths", "evolution_type", "metadata"),
        *("episode_done", "id", "idx", "index", "level_0", "Unnamed: 0"),
    )
)
"""Columns of the data set that was evaluated, in Ragas 0.1 and since, and pandas' index."""

METRICS: Final = frozenset(
    (
        *("faithfulness", "faithfulness_with_hhem", "answer_relevancy", "answer_correctness"),
        *("answer_similarity", "answer_accuracy", "context_precision", "context_recall"),
        *("context_relevancy", "context_relevance", "context_utilization"),
        *("context_entity_recall", "semantic_similarity", "factual_correctness"),
        *("noise_sensitivity", "response_groundedness", "non_llm_string_similarity"),
        *("non_llm_context_recall", "non_llm_context_precision_with_reference"),
        *("llm_context_precision_with_reference", "llm_context_precision_without_reference"),
        *("string_present",),
    )
)
"""Names by which a file without texts, or of Ragas 0.1, is known."""

_NO_NUMBER: Final = object()

RagasCell = float | None | object
Record = Iterable[tuple[str, JsonValue, RagasCell]]
"""The cells of a row that are not texts: column, position, and the number in it."""


def recognises(source: Source) -> bool:
    """A table, rows or scores with the columns of Ragas."""
    if source.single:
        if source.document is not None:
            return _shape(source.document.value) != ""
        return any(_is_row(row.value) for row in source.rows) or _is_table(source, source.names[0])
    return any(_is_own(source, name) for name in source.named(*NAMES)[:20])


def runs(upload: Upload) -> Iterator[ToolRun]:
    """One run for each file."""
    source = upload.source
    require(recognises(source), source, MISSING)
    for name in source.named(*NAMES):
        if source.single or _is_own(source, name):
            yield _run(upload, name)


def _suggests(runs: Sequence[ToolRun], attempts: Sequence[ImportedAttempt]) -> SuggestedFields:
    """The means over rows as Ragas computes them: without NaN."""
    if not any(run.samples for run in runs):
        return by_numbers(runs, attempts)
    names = dict.fromkeys(name for run in runs for name in run.order)
    return suggested(attempts, [spec("mean", name, failed="exclude") for name in names])


def is_means(value: Any) -> bool:
    """Whether a value is the means of an evaluation: numbers, some under names of Ragas."""
    return (
        isinstance(value, dict)
        and not METRICS.isdisjoint(value)
        and all(mean is None or type(mean) in (int, float) for mean in value.values())
    )


def _shape(value: Any) -> str:
    """`rows` for a list of objects, `columns` for an object of columns, `means`, or ""."""
    if isinstance(value, list):
        return "rows" if value and all(map(_is_row, value[:5])) else ""
    if is_means(value):
        return "means"
    if not isinstance(value, dict):
        return ""
    by_row = all(isinstance(cells, dict) for cells in value.values())
    if by_row and value:
        return "columns" if _are_columns(value) else ""
    return "row" if _is_row(value) else ""


def _is_row(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    return _are_columns(value) or (not TEXTS.intersection(value) and is_means(value))


def _are_columns(names: Iterable[str]) -> bool:
    """Whether columns are those of Ragas: its own names, or its older ones with a metric."""
    columns = set(names)
    if "user_input" in columns and columns & {"response", "retrieved_contexts", "reference"}:
        return bool(columns - TEXTS)
    return "question" in columns and bool(columns & {"answer", "contexts"} and columns & METRICS)


def _is_table(source: Source, name: str) -> bool:
    columns = columns_of(source, name)
    named = set(columns) - {""}
    return len(columns) > 1 and (_are_columns(columns) or (bool(named) and named <= METRICS))


def _is_own(source: Source, name: str) -> bool:
    """Whether a file of an archive is from Ragas, by its first rows."""
    if name.endswith(".csv"):
        return _is_table(source, name)
    if name.endswith(".jsonl"):
        return any(_is_row(row.value) for row in source.peek(name))
    start = head(source, name, MAX_PEEKED)
    if not any(f'"{column}"' in start for column in ("user_input", "question", *METRICS)):
        return False
    part = source.try_json(name)
    return part is not None and _shape(part.value) != ""


def _run(upload: Upload, name: str) -> ToolRun:
    """The run of a file, with its rewards or values in their order."""
    document = None if _is_table(upload.source, name) else upload.source.try_json(name)
    meta = {"harness": "Ragas"}
    if document is not None and is_means(document.value):
        means = _means(document)
        means.warn(name, upload.warnings)
        identity = upload.participant, means.values
        return ToolRun(name, identity, meta, numbers=means, order=[*means.labels])
    columns, count = _columns(_records(upload.source, name, document), upload.warnings)
    if not count or not columns:
        raise ImportFailed(
            message("must contain a row with a number that Ragas computed; got a file without any"),
            file=name,
        )
    samples = [
        _sample(at, {key: cells[at] for key, cells in columns.items()}) for at in range(count)
    ]
    return ToolRun(name, (upload.participant, samples), meta, samples=samples, order=[*columns])


def _means(document: JsonValue) -> ReportedNumbers:
    means = ReportedNumbers(KEY)
    for name, part in document.fields():
        if (value := part.finite()) is not None:
            means.add(name, value)
    if not means.values:
        raise document.fail(message("must contain a number"))
    return means


def _sample(at: int, rewards: dict[str, float | None]) -> SampleRow:
    scored = any(value is not None for value in rewards.values())
    return sample(str(at), rewards if scored else None, {}, "" if scored else NOT_SCORED)


def _records(source: Source, name: str, document: JsonValue | None) -> Iterator[Record]:
    if document is None:
        if _is_table(source, name):
            yield from _rows_of_table(source, name)
        else:
            yield from (_json_row(parse(line, name, at)) for at, line in source.lines(name))
    elif isinstance(document.value, list):
        yield from map(_json_row, document.items())
    elif _shape(document.value) == "columns":
        yield from _transposed(document)
    else:
        yield _json_row(document)


def _rows_of_table(source: Source, name: str) -> Iterator[Record]:
    for row in rows_of(source, name):
        wanted = [column for column in row.columns if column and column not in TEXTS]
        yield [(column, row.part(column), _in_cell(row.text(column))) for column in wanted]


def _in_cell(text: str) -> RagasCell:
    if says_nothing(text):
        return None
    if text in ("True", "False"):
        return float(text == "True")
    number = in_text(text)
    return _NO_NUMBER if number is None else number


def _json_row(row: JsonValue) -> Record:
    return [(name, part, _in_json(part)) for name, part in row.fields() if name not in TEXTS]


def _in_json(part: JsonValue) -> RagasCell:
    value = part.value
    if value is None or (isinstance(value, float) and value != value):
        return None
    return part.reward() if isinstance(value, bool | int | float) else _NO_NUMBER


def _transposed(document: JsonValue) -> Iterator[Record]:
    """The rows of `{"column": {"0": …, "1": …}}`, which pandas writes by default."""
    columns = [(name, part) for name, part in document.fields() if name not in TEXTS]
    places = list(dict.fromkeys(key for _, part in columns for key in part.value))
    for place in places:
        yield [(name, part[place], _in_json(part[place])) for name, part in columns]


def _columns(
    records: Iterator[Record], warnings: list[str]
) -> tuple[dict[str, list[float | None]], int]:
    """The columns with only numbers and empty cells, and the number of rows."""
    columns: dict[str, list[Any]] = {}
    dropped: set[str] = set()
    count = 0
    for record in records:
        for name, part, cell in record:
            if name in dropped:
                continue
            if cell is _NO_NUMBER:
                dropped.add(name)
                columns.pop(name, None)
                continue
            if name not in columns:
                part.checked(name, MAX_FIELD)
                if len(columns) == MAX_COLUMNS:
                    raise part.fail(
                        message(
                            "must be one of at most {most} columns of numbers; got more",
                            most=MAX_COLUMNS,
                        )
                    )
                columns[name] = [None] * count
            columns[name].append(cell)
        count += 1
        for cells in columns.values():
            if len(cells) < count:
                cells.append(None)
    warnings.extend(
        message("the column {name} holds no numbers: left out", name=legible(name))
        for name in sorted(dropped)
    )
    return {
        key: cells for key, cells in columns.items() if any(cell is not None for cell in cells)
    }, count


IMPORTER = importer(
    KEY,
    message("Ragas"),
    message("an EvaluationResult as CSV, JSON or JSONL"),
    recognises,
    runs,
    missing=MISSING,
    suggests=_suggests,
)
