"""TREC: runs (`qid Q0 docid rank score tag`) with the qrels (`qid 0 docid rel`) they are judged by.

Qrels may have three columns (`qid docid rel`), a header, and lines that begin with `#`, as BEIR and
MS MARCO have them.

Each judged query is a task, with the rewards that trec_eval calls map, P_10, ndcg_cut_10 and
recip_rank. As in trec_eval, a document is relevant from a judgement of 1 on, and unjudged documents
are not. Documents are ordered by score (as 32-bit numbers), equal ones by name in descending order;
the ranks in the file are ignored. A judged query without documents in the run was not run; an
unjudged query is left out. Definitions: trec_eval 9.0.8, `m_map.c`, `m_P.c`, `m_ndcg_cut.c`,
`m_recip_rank.c`.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping
from math import log2
from typing import Final

from leaderboard.importers.reading.errors import ImportFailed, legible, not_utf8
from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.reported_numbers import in_text
from leaderboard.importers.reading.samples import numbered, sample, spec
from leaderboard.importers.reading.sheets import head
from leaderboard.importers.reading.source import Source
from leaderboard.importers.reading.tool import ToolRun, Upload, by_metrics, importer
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent

REWARDS: Final = ("AP", "P@10", "nDCG@10", "recip_rank")
HEADERS: Final = frozenset(
    ("score", "rel", "relevance", "label", "judgment", "judgement", "qrel", "tag", "run", "runid")
)
"""The last cell of the headers of qrels and runs."""
CUT: Final = 10
MAX_FILES: Final = 50
PEEKED: Final = 4096
MAX_RELEVANCE: Final = 10**6
QUERIES: Final = ("query", "qid", "topic", "topic_id", "topicid", "query-id", "query_id", "queryid")
"""The first cell of the headers of qrels."""
NO_RUNS: Final = (".json", ".jsonl", ".xml", ".html", ".py", ".parquet", ".yaml", ".md")

Judged = dict[str, dict[str, int]]
"""Relevance by document, by query."""


def recognises(source: Source) -> bool:
    """An archive with a file of judgements and a run."""
    if source.single:
        return False
    kinds = {_kind(source, name) for name in _candidates(source)}
    return {"run", "qrels"} <= kinds


def resembles(source: Source) -> bool:
    """A run without qrels, qrels without a run, or with qrels that cannot be read: they are never
    taken for a table.
    """
    return any(
        _kind(source, name) == "run" or _has_header_of_qrels(source, name)
        for name in _candidates(source)
    )


def _has_header_of_qrels(source: Source, name: str) -> bool:
    first = _cells(head(source, name, PEEKED).lstrip("\ufeff").split("\n")[0])
    is_headed = _is_header(first) and first[0].casefold() in QUERIES
    return is_headed and _kind(source, name) == "qrels"


def runs(upload: Upload) -> Iterator[ToolRun]:
    """Each run, judged by the qrels; its judged queries without documents are untried tasks."""
    source = upload.source
    if source.single:
        raise ImportFailed(
            message("must be an archive of a run and its qrels; got one file"), file=source.label
        )
    kinds = {name: _kind(source, name, lines=1) for name in _candidates(source)}
    qrels = [name for name, kind in kinds.items() if kind == "qrels"]
    runs = [name for name, kind in kinds.items() if kind == "run"]
    if len(qrels) != 1 or not runs:
        raise ImportFailed(
            message(
                "must hold one file of qrels and at least one run; got {qrels} of qrels "
                "and {runs} of runs",
                qrels=len(qrels),
                runs=len(runs),
            ),
            file=source.label,
        )
    judged = _judged(source, qrels[0])
    upload.untried = [{"name": query, "rewards": sorted(REWARDS)} for query in judged]
    for name in runs:
        yield _run(upload, name, judged)


def _candidates(source: Source) -> list[str]:
    names = [name for name in source.names if not name.lower().endswith(NO_RUNS)]
    return names if len(names) <= MAX_FILES else []


def _kind(source: Source, name: str, lines: int = 5) -> str:
    """`run`, `qrels` or "" by the first whole lines of a file."""
    start = head(source, name, PEEKED)
    whole = start.split("\n")[: -1 if len(start) >= PEEKED else None]
    texts = [line.strip() for line in whole if line.strip() and not line.lstrip().startswith("#")]
    rows = [_cells(line) for line in texts[: lines + 1]]
    if rows and _is_header(rows[0]):
        del rows[0]
    rows = rows[:lines]
    if not rows:
        return ""
    if all(
        len(row) == 6 and in_text(row[4]) is not None and row[3].lstrip("-").isdecimal()
        for row in rows
    ):
        return "run"
    widths = {len(row) for row in rows}
    is_judged = widths in ({3}, {4}) and all(_relevance(row[-1]) is not None for row in rows)
    return "qrels" if is_judged else ""


def _cells(line: str) -> list[str]:
    """The cells of a line, which blanks separate, or commas in a CSV file."""
    cells = line.split()
    return cells if len(cells) != 1 else [cell.strip() for cell in line.split(",")]


def _is_header(cells: list[str]) -> bool:
    """Whether a first line is a header, such as `query-id corpus-id score`."""
    return len(cells) in (3, 4, 6) and cells[-1].casefold() in HEADERS


def _relevance(text: str) -> int | None:
    text = text.removesuffix(".0")
    if not text.lstrip("-").isdecimal() or len(text) > 8 or abs(int(text)) > MAX_RELEVANCE:
        return None
    return int(text)


def _lines(source: Source, name: str, *columns: int) -> Iterator[tuple[int, list[str]]]:
    """Number and cells of each line; all have as many cells as the first one, one of `columns`."""
    width = 0
    for number, line in source.lines(name):
        try:
            cells = _cells(line.decode())
        except UnicodeDecodeError:
            raise not_utf8(name, number) from None
        if cells[0].startswith("#") or (not width and _is_header(cells)):
            continue
        if not width and len(cells) in columns:
            width = len(cells)
        if len(cells) != width:
            text = message(
                "must have {columns} columns; got {cells}",
                columns=width or columns[0],
                cells=len(cells),
            )
            raise ImportFailed(text, file=name, line=number)
        yield number, cells


def _judged(source: Source, name: str) -> Judged:
    judged: Judged = {}
    for number, (query, *_, document, text) in _lines(source, name, 4, 3):
        relevance = _relevance(text)
        if relevance is None:
            problem = message("must end with a whole number; got {got}", got=sent(text))
            raise ImportFailed(problem, file=name, line=number)
        if query not in judged:
            JsonValue(query, name, number).name()
        documents = judged.setdefault(query, {})
        if document in documents:
            text = message(
                "must judge each document of a query once; got two judgements of "
                "{document} for {query}",
                document=legible(document),
                query=legible(query),
            )
            raise ImportFailed(text, file=name, line=number)
        documents[document] = relevance
    return judged


def _run(upload: Upload, name: str, judged: Judged) -> ToolRun:
    tag, extra = "", 0
    rewards: dict[str, dict[str, float | None]] = {}
    for query, tag_here, scores in _queries(upload.source, name):
        tag = tag or tag_here
        if query in judged:
            rewards[query] = rewards_of(scores, judged[query])
        else:
            extra += 1
    if not rewards:
        raise ImportFailed(message("must have a query that the qrels judge; got none"), file=name)
    if missing := len(judged) - len(rewards):
        upload.warnings.append(
            message(
                "{name}: {missing} of {judged} judged queries are not in it",
                name=legible(name),
                missing=missing,
                judged=len(judged),
            )
        )
    if extra:
        upload.warnings.append(
            message(
                "{name}: {extra} queries in it are not judged: left out",
                name=legible(name),
                extra=extra,
            )
        )
    samples = numbered(sample(query, rewards[query]) for query in judged if query in rewards)
    return ToolRun(
        name,
        (tag, upload.participant, samples),
        {"run": tag, "harness": "TREC"},
        samples=samples,
        called=tag,
    )


def _queries(source: Source, name: str) -> Iterator[tuple[str, str, dict[str, float]]]:
    """Each query of a run with the run's tag and the scores of its documents.

    Yields one query at a time, because runs are large; so its lines must be consecutive.
    """
    done: set[str] = set()
    tag, current = "", ""
    scores: dict[str, float] = {}
    for number, (query, _, document, _, text, tag_here) in _lines(source, name, 6):
        if query != current:
            if scores:
                yield current, tag, scores
            done.add(current)
            current, scores = query, {}
            if query in done:
                problem = message(
                    "must be sorted by query; got {query} in two places", query=legible(query)
                )
                raise ImportFailed(problem, file=name, line=number)
        if (score := in_text(text)) is None:
            problem = message("must have a number as its score; got {got}", got=sent(text))
            raise ImportFailed(problem, file=name, line=number)
        if document in scores:
            problem = message(
                "must have each document once; got {document} for {query} twice",
                document=legible(document),
                query=legible(query),
            )
            raise ImportFailed(problem, file=name, line=number)
        scores[document] = score
        tag = tag or JsonValue(tag_here, name, number).words()
    yield current, tag, scores


def rewards_of(
    scores: Mapping[str, float], relevance: Mapping[str, int]
) -> dict[str, float | None]:
    """AP, P@10, nDCG@10 and the reciprocal rank of one query.

    scores: by retrieved document. relevance: by judged document.
    """
    ranked = sorted(_keys(scores), reverse=True)
    gains = [max(0, relevance.get(document, 0)) for _, _, document in ranked]
    relevant = [at for at, gain in enumerate(gains, 1) if gain > 0]
    judged_relevant = sum(value > 0 for value in relevance.values())
    precisions = [hits / at for hits, at in enumerate(relevant, 1)]
    ideal = _discounted(sorted(relevance.values(), reverse=True))
    values = (
        sum(precisions) / judged_relevant if judged_relevant else 0.0,
        sum(at <= CUT for at in relevant) / CUT,
        _discounted(gains) / ideal if ideal else 0.0,
        1 / relevant[0] if relevant else 0.0,
    )
    return dict(zip(REWARDS, values, strict=True))


def _keys(scores: Mapping[str, float]) -> Iterator[tuple[float, bytes, str]]:
    """The key that orders documents: the score as 32 bits, then the bytes of the name."""
    for document, score in scores.items():
        yield _single(score), document.encode(), document


def _single(score: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return float("inf") if score > 0 else float("-inf")


def _discounted(gains: list[int]) -> float:
    return sum(gain / log2(at + 1) for at, gain in enumerate(gains[:CUT], 1) if gain > 0)


IMPORTER = importer(
    "trec",
    message("TREC run"),
    message("a zip or tar of runs and their qrels"),
    recognises,
    runs,
    missing=message("must have a query that the qrels judge; got none"),
    suggests=by_metrics(lambda attempts: [spec("mean", name) for name in REWARDS], REWARDS),
    resembles=resembles,
)
