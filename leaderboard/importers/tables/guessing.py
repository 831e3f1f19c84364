"""Guesses the uses of a table's columns from their labels and their cells."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from leaderboard.importers.reading.directions import without_arrows
from leaderboard.importers.tables.known_labels import (
    ERROR,
    FAMILIES,
    MOMENT,
    NO_RANKING,
    NUMBERING,
    PARTICIPANT,
    PARTS,
    RANK,
    SAMPLE,
    SPLIT,
    SUCCEEDED,
    TASK,
    word,
)
from leaderboard.importers.tables.profiles import Profile
from leaderboard.importers.tables.uses import FACTS, IGNORE, USAGE, Use
from leaderboard.rules.texts.value_names import free_name, is_value_name
from leaderboard.rules.visibility.families import FAMILY

MAX_VALUES: Final = 100
"""How many values an attempt may have."""

Computed = Callable[[str], bool]
"""Whether a challenge computes the value of that key, so that no file can report it."""

SAME_FACT: Final = {"totaltokens": "tokens_total", "tokenstotal": "tokens_total"} | {
    fact.replace("_", ""): fact for fact in FACTS
}
EXPORT: Final = ("rank", "participant", "slug", "name", "kind")
"""How the header of `leaderboard.csv` begins."""
_EXPORTED: Final[Mapping[str, Use]] = {
    **dict.fromkeys(
        ("rank", "slug", "attempts", "attempt", "unranked", "provenance", "medal"), IGNORE
    ),
    **{label: Use(label) for label in ("participant", "name", "kind")},
    "reached_at": Use("submitted_at"),
}


def key_of(label: str) -> str:
    """A key for a value, made from its label: `MMLU (5-shot)` is `MMLU_5-shot`; "" if none is."""
    plain = without_arrows(label)
    if is_value_name(plain):
        return plain
    folded = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return re.sub(r"[^A-Za-z0-9@^:.-]+", "_", folded)[:70].strip("_.:-")


def guessed(
    profiles: Sequence[Profile],
    given: Mapping[str, Use],
    computed: Computed,
    *,
    is_whose_known: bool = False,
) -> dict[str, Use]:
    """A use for each column, by label; `given` are the uses that the user gave.

    There is no participant among them if no column looks like one. is_whose_known: whether the
    upload says the participant, so that only a column with a label for one is taken for it.
    """
    labels = [profile.label for profile in profiles]
    uses = dict(given)
    if tuple(labels[: len(EXPORT)]) == EXPORT:
        _guess_exported(labels, uses)
    left = [profile for profile in profiles if profile.label not in uses]
    if not _has(uses, "participant"):
        _guess_participant(left, uses, is_named=is_whose_known)
    if not _has(uses, "task"):
        _guess_task(left, profiles, uses)
    is_samples = _has(uses, "task")
    for profile in left:
        if profile.label not in uses:
            guess = _of_samples(profile) if is_samples else _of_attempts(profile)
            is_taken = guess.kind in {use.kind for use in uses.values()}
            many = ("value", "reward", "meta", "ignore")
            uses[profile.label] = _plain(profile) if is_taken and guess.kind not in many else guess
    return _named({label: uses[label] for label in labels}, given, computed)


def _has(uses: Mapping[str, Use], kind: str) -> bool:
    return any(use.kind == kind for use in uses.values())


def _guess_exported(labels: Sequence[str], uses: dict[str, Use]) -> None:
    """Guess the columns of Podium's own export, with intervals and coverage in brackets."""
    for label in labels:
        about = re.fullmatch(r"(.+) \([^()]+\)", label)
        if label in _EXPORTED:
            uses.setdefault(label, _EXPORTED[label])
        elif about and about[1] in labels:
            uses.setdefault(label, IGNORE)


def _guess_participant(left: Sequence[Profile], uses: dict[str, Use], *, is_named: bool) -> None:
    """Guess the column by its label; else take the first one of distinct texts, unless it must be
    named.
    """
    named = [profile for profile in left if word(profile.label) in PARTICIPANT and profile.filled]
    named.sort(key=lambda profile: PARTICIPANT.index(word(profile.label)))
    texts = [] if is_named else [profile for profile in left if _may_be_participants(profile)]
    candidates = [*(profile for profile in texts if profile.distinct), *texts]
    # The word `name` may be anything's; a run of numbers is no name where a text is.
    named = [profile for profile in named if profile.holds == "text"] or named
    best = next(iter([*named, *candidates]), None)
    if best is None:
        return
    uses[best.label] = Use("participant")
    if best.distinct or word(best.label) not in ("model", "agent"):
        return
    pair = {"model": "agent", "agent": "model"}[word(best.label)]
    for profile in named:
        if word(profile.label) == pair and not profile.distinct:
            uses[profile.label] = Use("participant")


def _may_be_participants(profile: Profile) -> bool:
    """Whether a column without a label for participants may hold them: texts, and no parts of a
    data set.
    """
    name = word(profile.label)
    is_part = name in (*SPLIT, *TASK) or (name in PARTS and profile.totals > 0)
    return profile.holds == "text" and not is_part


def _guess_task(left: Sequence[Profile], profiles: Sequence[Profile], uses: dict[str, Use]) -> None:
    """A column of tasks, for tables in which participants have several rows or no column."""
    participants = [
        profile for profile in profiles if uses.get(profile.label, IGNORE).kind == "participant"
    ]
    if len(participants) == 1 and participants[0].distinct:
        return
    for profile in left:
        if profile.label not in uses and _names_tasks(profile):
            uses[profile.label] = Use("task")
            return


def _names_tasks(profile: Profile) -> bool:
    """Whether a column has names of tasks, and no row that sums up the others."""
    return word(profile.label) in TASK and profile.holds != "nothing" and not profile.totals


def _of_attempts(profile: Profile) -> Use:
    """The use of a column in a table with an attempt in each row."""
    name = word(profile.label)
    if _is_numbering(profile):
        return IGNORE
    if profile.holds == "nothing":
        return Use("value") if _has_no_values(profile) and name not in MOMENT else IGNORE
    if fact := _fact(profile, name):
        return fact
    if name in MOMENT and profile.holds == "date":
        return Use("submitted_at")
    return _plain(profile)


def _of_samples(profile: Profile) -> Use:
    """The use of a column in a table with a sample in each row."""
    name = word(profile.label)
    if profile.holds == "nothing":
        is_other = name in (*SAMPLE, *ERROR, *MOMENT)
        return Use("reward") if _has_no_values(profile) and not is_other else IGNORE
    if (profile.is_index and name in NUMBERING) or _is_unnamed(profile):
        return IGNORE
    if name in SAMPLE and profile.holds == "number":
        return Use("sample")
    if name in ERROR and profile.holds == "text":
        return Use("error")
    if SAME_FACT.get(name) in USAGE and profile.holds == "number":
        return Use(SAME_FACT[name])
    if name in MOMENT and profile.holds == "date":
        return Use("submitted_at")
    is_reward = profile.holds in ("number", "switch") and not _is_id(profile.label)
    return Use("reward") if is_reward else Use("meta")


def _has_no_values(profile: Profile) -> bool:
    """Whether a column is one of values that are all undefined, such as `N/A`."""
    is_fact = SAME_FACT.get(word(profile.label)) is not None or word(profile.label) in SUCCEEDED
    return profile.marked > 0 and not is_fact and not _is_id(profile.label)


def _plain(profile: Profile) -> Use:
    return Use("value") if profile.holds == "number" and not _is_id(profile.label) else Use("meta")


def _is_unnamed(profile: Profile) -> bool:
    """The index of a data frame, which has no label."""
    return profile.is_index and re.fullmatch(r"column \d+|Unnamed: \d+", profile.label) is not None


def _is_numbering(profile: Profile) -> bool:
    name = word(profile.label)
    if _is_unnamed(profile) or name in RANK or re.match(r"rank\W", name):
        return True
    return name in NUMBERING and profile.holds == "number"


def _is_id(label: str) -> bool:
    """`id`, `TeamId`, `submission_id`: numbers that no board ranks by."""
    is_id = re.search(r"(^|[\s_-])(id|ID|Id)$|[a-z]Id$", label)
    return is_id is not None or word(label) in NO_RANKING


def _fact(profile: Profile, name: str) -> Use | None:
    fact = "succeeded" if name in SUCCEEDED else SAME_FACT.get(name)
    if fact is None:
        return None
    if fact == "succeeded":
        return Use(fact) if profile.holds == "switch" or _is_binary(profile) else None
    if fact == "created_at" and profile.holds != "number":
        return None
    return Use(fact) if profile.holds == "number" else None


def _is_binary(profile: Profile) -> bool:
    return profile.holds == "number" and set(profile.examples) <= {"0", "1"}


def _named(uses: Mapping[str, Use], given: Mapping[str, Use], computed: Computed) -> dict[str, Use]:
    """The uses with a distinct key for each value, and a distinct name for each reward."""
    taken = {str(use) for use in given.values() if use.name}
    best, values = {}, 0
    for number, (label, use) in enumerate(uses.items(), 1):
        if use.kind == "value":
            values += 1
            if values > MAX_VALUES and label not in given:
                best[label] = IGNORE
                continue
        if use.kind in ("value", "reward", "meta") and not use.name:
            free = free_name(f"{use.kind}:{_name(use.kind, label, number, computed)}", taken)
            taken.add(free)
            use = Use(use.kind, free.partition(":")[2])
        best[label] = use
    return best


def _name(kind: str, label: str, number: int, computed: Computed) -> str:
    if kind == "meta":
        if word(label) in FAMILIES:
            return FAMILY
        return label.removeprefix("meta.") or label
    if kind == "reward":
        return without_arrows(label)[:100]
    key = key_of(label) or f"column_{number}"
    return f"reported_{key}" if computed(key) else key
