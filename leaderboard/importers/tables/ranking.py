"""Which column of a table a board is suggested to rank by."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from leaderboard.importers.reading.directions import has_arrow, without_arrows
from leaderboard.importers.reading.imports import ImportedAttempt
from leaderboard.importers.reading.suggestions import SuggestedColumn


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


COUNTED: Final = _words(
    """
    entries entry submissions submission subs samples sample examples example instances instance
    items item questions question tasks task puzzles puzzle problems problem prompts documents docs
    rows cases tests votes vote battles battle games game matches played runs run attempts attempt
    trials trial rounds seeds seed episodes epochs epoch steps queries sessions users members
    downloads likes stars followers size count counts n num length window context layers params
    parameters param parameter tokens vocabulary vocab year years date version id
    einträge einreichungen aufgaben fragen beispiele stimmen versuche anzahl größe parameter
    """
)
"""What is counted and no result: samples, submissions, votes, the size of a model."""
AMOUNT: Final = _words("n num nr no number count total sum anzahl zahl gesamtzahl")
FAULTS: Final = _words(
    """
    errors err failures failed fails timeouts timeout crashes crashed exceptions violations
    infractions breaches invalid missing missed skipped unparsed unparseable unanswered incomplete
    malformed bugs retries warnings collisions accidents incidents interventions refusals unresolved
    unsolved wrong incorrect fehler ausfälle abbrüche verstöße erreurs errores
    """
)
"""What went wrong, which a column may count."""
SHARE: Final = _words("rate rates ratio share fraction percent percentage probability mean avg")
MEASURES: Final = _words(
    "score scores points point reward rewards accuracy acc solved passed correct resolved won wins "
    "win success successes return returns cost costs price time loss punkte gelöst"
)
UNCERTAINTY: Final = _words("std stdev stderr sd se sem variance var ci margin deviation")
RESOURCES: Final = _words(
    "cost costs price latency runtime duration time seconds memory vram energy power emissions co2 "
    "tokens params parameters flops macs size kosten preis zeit dauer laufzeit"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def ranked_column(
    columns: Sequence[SuggestedColumn], labels: Sequence[str], attempts: Sequence[ImportedAttempt]
) -> SuggestedColumn | None:
    """The column to rank by; None if no column can.

    labels: of the columns, with their arrows. A column that is the same in every row cannot rank,
    nor does one that counts samples, submissions or errors. A column with an arrow goes first, then
    those with values in most rows, and those of results before those of cost, time and size.
    """
    able = [
        (not has_arrow(label), _is_sparse(column, attempts), _is_of(RESOURCES, label), at)
        for at, (column, label) in enumerate(zip(columns, labels, strict=True))
        if _can_rank(column, label, attempts)
    ]
    return columns[min(able)[-1]] if able else None


def _can_rank(column: SuggestedColumn, label: str, attempts: Sequence[ImportedAttempt]) -> bool:
    values = [one.values[column["key"]] for one in attempts if column["key"] in one.values]
    if not values or (len(values) > 1 and len(set(values)) == 1):
        return False
    if has_arrow(label):
        return True
    if _is_of(UNCERTAINTY, label):
        return False
    is_whole = all(value == int(value) for value in values)
    return not (is_whole and "unit" not in column and is_count(label))


def _is_sparse(column: SuggestedColumn, attempts: Sequence[ImportedAttempt]) -> bool:
    """Whether less than half of the attempts have a value."""
    return 2 * sum(column["key"] in one.values for one in attempts) < len(attempts)


def is_count(label: str) -> bool:
    """Whether a label is one of a number of samples, submissions or errors."""
    words = _words_of(label)
    if not words or SHARE.intersection(words) or "per" in words:
        return False
    if FAULTS.intersection(words):
        return True
    if MEASURES.intersection(words):
        return False
    return words[-1] in COUNTED or (len(words) > 1 and words[0] in (*AMOUNT, *COUNTED))


def _is_of(kinds: frozenset[str], label: str) -> bool:
    return not kinds.isdisjoint(_words_of(label))


def _words_of(label: str) -> list[str]:
    bare = re.sub(r"[(\[].*", "", without_arrows(label)) or label
    return [word.casefold() for word in _WORD.findall(_CAMEL.sub(" ", bare))]
