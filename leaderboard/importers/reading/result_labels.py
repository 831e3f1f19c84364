"""Which of several reported values a board is suggested to rank by, as their labels say."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from leaderboard.importers.reading.directions import has_arrow, without_arrows


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


COUNTED: Final = _words(
    """
    entries entry submissions submission subs samples sample examples example instances instance
    items item questions question tasks task puzzles puzzle problems problem prompts documents docs
    rows cases tests votes vote battles battle games matches played runs run attempts attempt
    trials trial rounds seeds seed episodes epochs epoch steps queries sessions users members
    support folds fold tries participants evaluated downloads likes stars followers size count
    counts n num length window layers params parameters param parameter tokens vocabulary
    vocab gpus gpu
    einträge einreichungen abgaben aufgaben fragen beispiele stichproben stimmen spiele partien
    versuche epochen läufe nutzer mitglieder anzahl
    """
)
"""What is counted and no result: samples, submissions, votes."""
COUNTS: Final = frozenset(counted for counted in COUNTED if counted.endswith("s")) | _words(
    "einträge einreichungen abgaben aufgaben fragen beispiele stichproben stimmen versuche"
)
AMOUNT: Final = _words("n num nr no number count total sum anz anzahl zahl gesamtzahl")
PROPERTIES: Final = _words(
    """
    params param parameter parameters parameterzahl parameteranzahl size größe modellgröße activated
    weights gewichte ctx kontextlänge kontextfenster dim dims dimension dimensions
    layers vocab version edition release released veröffentlicht cutoff temperature temp
    year years date jahr erscheinungsjahr datum month monat week woche kalenderwoche day days tag
    tage
    timestamp ts created updated modified age alter group gruppe license licence lizenz
    id ids uid pid pr kennung nummer lr
    """
)
"""What a participant is or has, whatever its numbers are: a size, a version, a date, an id."""
SETTINGS: Final = _words(
    "topp topk learningrate pvalue modelsize batchsize shots nshot kshot fewshotk context contextk "
    "maxcontext kontext trainingdata k"
)
FAULTS: Final = _words(
    """
    errors err failures failed fails timeouts timeout crashes crashed exceptions violations
    infractions breaches invalid missing missed skipped unparsed unparseable unanswered incomplete
    malformed bugs retries warnings collisions accidents incidents interventions refusals unresolved
    unsolved wrong incorrect fehler fehleranzahl fehlerzahl ausfälle abbrüche verstöße
    zeitüberschreitungen ablehnungen ausgelassen erreurs errores
    """
)
"""What went wrong, which a column may count."""
SHARE: Final = _words("rate rates ratio share fraction percent percentage probability mean avg")
MEASURES: Final = _words(
    "score scores points point reward rewards accuracy acc solved passed correct resolved won wins "
    "completed answered finished win success successes return returns cost costs price time loss "
    "punkte gelöst"
)
UNCERTAINTY: Final = _words(
    "std stdev stderr sd se sem variance var ci margin deviation "
    "standardabweichung standardfehler konfidenzintervall"
)
RESOURCES: Final = _words(
    "cost costs price latency runtime duration time seconds memory vram energy power emissions co2 "
    "tokens params parameters flops macs size kosten preis zeit dauer laufzeit"
)
_WORD: Final = re.compile(r"[^\W\d_]+")
_PER: Final = re.compile(r"/\s*(s|sec|second|min|h|hour|\$)\b|\d\s*$", re.IGNORECASE)
"""A speed, or one of several: *Task 1*."""
_CAMEL: Final = re.compile(r"(?<=[a-z])(?=[A-Z])")


def result_key(
    labels: Mapping[str, str],
    rows: Sequence[Mapping[str, float]] = (),
    measured: Sequence[str] = (),
) -> str:
    """The key of the value to rank by; "" if none can.

    labels: by key. rows: the values of each attempt; without any only the labels decide. measured:
    keys of values with a unit, which are no counts. A value that is the same in every row cannot
    rank, nor does one that counts samples, submissions or errors, or that is a size, a date or an
    id. One whose label has an arrow goes first, then those with values in most rows, and those of
    results before those of cost, time and size.
    """
    able = []
    for at, (key, label) in enumerate(labels.items()):
        values = [row[key] for row in rows if key in row]
        if _can_rank(label, values, key in measured) if rows else _names_result(label):
            is_sparse = 2 * len(values) < len(rows)
            able.append((not has_arrow(label), is_sparse, _is_of(RESOURCES, label), at, key))
    return min(able)[-1] if able else ""


def _can_rank(label: str, values: Sequence[float], has_unit: bool) -> bool:
    if not values or (len(values) > 1 and len(set(values)) == 1):
        return False
    if has_unit or any(value != int(value) for value in values):
        return has_arrow(label) or not (_is_of(UNCERTAINTY, label) or is_property(label))
    return _names_result(label)


def _names_result(label: str) -> bool:
    """Whether whole numbers under a label may be results."""
    is_other = _is_of(UNCERTAINTY, label) or is_property(label) or is_count(label)
    return has_arrow(label) or not is_other


def is_count(label: str) -> bool:
    """Whether a label is one of a number of samples, submissions or errors."""
    words = _words_of(label)
    if not words or SHARE.intersection(words) or "per" in words or _PER.search(label):
        return False
    if FAULTS.intersection(words):
        return True
    if MEASURES.intersection(words):
        return False
    if words[:1] == ["number"] and words[1:]:
        return words[1] == "of"
    return words[-1] in COUNTED or (len(words) > 1 and words[0] in AMOUNT | COUNTS)


def is_property(label: str) -> bool:
    """Whether a label is one of a size, a version, a date, an id or a setting, and of no result."""
    words = _words_of(label)
    if re.fullmatch(r"\s*(column \d+|Unnamed: \d+|±|\+/-|#)\s*", label):
        return True
    if not words or SHARE.intersection(words) - {"rate"} or MEASURES.intersection(words):
        return False
    is_number = "nr" in words or words[-1] == "number" or words[-1].endswith("nummer")
    return words[-1] in PROPERTIES or is_number or "".join(words) in SETTINGS


def _is_of(kinds: frozenset[str], label: str) -> bool:
    return not kinds.isdisjoint(_words_of(label))


def _words_of(label: str) -> list[str]:
    bare = re.sub(r"[(\[].*", "", without_arrows(label)) or label
    return [part.casefold() for part in _WORD.findall(_CAMEL.sub(" ", bare))]
