"""The uses of a table's columns, as a user writes them: `MMLU (5-shot)=value:mmlu`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from leaderboard.facts import known_facts, usage_facts
from leaderboard.importers.reading.errors import ImportFailed, legible
from leaderboard.importers.reading.json_place import MAX_FIELD, MAX_NAME
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.value_names import VALUE_NAMES, is_value_name

FACTS: Final = tuple(known_facts())
USAGE: Final = tuple(fact.key for fact in usage_facts())
"""Facts that a sample has as well."""
FLAGS: Final = tuple(key for key, fact in known_facts().items() if fact.kind == "flag")
AMOUNTS: Final = tuple(
    key for key, fact in known_facts().items() if fact.kind in ("count", "number")
)
"""Facts that are quantities, unlike moments."""
SINGLE: Final = ("name", "kind", "note", "task", "sample", "error", "submitted_at", *FACTS)
"""Uses that one column of a table can have."""
NAMED: Final = ("value", "reward", "meta")
"""Uses that may have a name: `value:mmlu`, `reward:correct`, `meta:licence`."""
USES: Final = ("participant", *NAMED, *SINGLE, "ignore")
ACCEPTED: Final = ", ".join(f"{use}[:NAME]" if use in NAMED else use for use in USES)


class Use(NamedTuple):
    """What a column is used for. name: the key of a value, or name of a reward or of meta."""

    kind: str
    name: str = ""

    def __str__(self) -> str:
        return f"{self.kind}:{self.name}" if self.name else self.kind


IGNORE: Final = Use("ignore")


def parse_use(text: str, label: str = "") -> Use:
    """A use as it is written. Raises ImportFailed with what is accepted."""
    kind, colon, name = text.strip().partition(":")
    label = label or text
    if kind not in USES or (colon and kind not in NAMED):
        raise wrong(
            message(
                "{said!r}: the use must be one of {accepted}; got {text!r}",
                said=legible(label),
                accepted=ACCEPTED,
                text=legible(text),
            )
        )
    if not colon:
        return Use(kind)
    if kind == "value" and not is_value_name(name):
        raise wrong(
            message(
                "{said!r}: the key of a value must have {accepted}; got {name!r}",
                said=legible(label),
                accepted=VALUE_NAMES,
                name=legible(name),
            )
        )
    most = MAX_FIELD if kind == "reward" else MAX_NAME
    if not (1 <= len(name) <= most and name.isprintable() and name == name.strip()):
        raise wrong(
            message(
                "{said!r}: the name must have 1 to {most} characters that can be seen; "
                "got {name!r}",
                said=legible(label),
                most=most,
                name=legible(name),
            )
        )
    return Use(kind, name)


def parse_map(entries: Sequence[str], labels: Sequence[str]) -> dict[str, Use]:
    """The uses that a user gave for columns, by the columns' labels.

    entries: `COLUMN=USE` each, where the last `=` separates the two. A column may be written in
    another case if only one can be meant. Raises ImportFailed, with the entry.
    """
    uses: dict[str, Use] = {}
    for entry in entries:
        column, equals, text = entry.rpartition("=")
        if not equals:
            raise wrong(message("must be COLUMN=USE; got {entry!r}", entry=legible(entry)))
        label = _label(column.strip(), labels)
        if label in uses:
            raise wrong(
                message("must name each column once; got {label!r} twice", label=legible(label))
            )
        uses[label] = parse_use(text, entry)
    return uses


def _label(column: str, labels: Sequence[str]) -> str:
    if column in labels:
        return column
    alike = [label for label in labels if label.casefold() == column.casefold()]
    if len(alike) == 1:
        return alike[0]
    names = ", ".join(repr(legible(label)) for label in labels[:50])
    raise wrong(
        message(
            "must name one of the columns {there}; got {column!r}",
            column=legible(column),
            there=names,
        )
    )


def check_uses(uses: Mapping[str, Use]) -> None:
    """Refuse uses that contradict each other. Raises ImportFailed."""
    taken: dict[Use, str] = {}
    has_task = any(use.kind == "task" for use in uses.values())
    for label, use in uses.items():
        # Without a column that is the task, columns of rewards are tasks: they may share a name.
        if use.kind in SINGLE or (use.name and (has_task or use.kind != "reward")):
            if use in taken:
                raise wrong(
                    message(
                        "must use one column as {use}; got {first!r} and {second!r}",
                        first=legible(taken[use]),
                        second=legible(label),
                        use=use,
                    )
                )
            taken[use] = label
    kinds = {use.kind for use in uses.values()}
    if "task" not in kinds and (alone := kinds & {"sample", "error"}):
        raise wrong(
            message("must use a column as the task beside {use}; got none", use=sorted(alone)[0])
        )
    if "task" in kinds and (values := [str(use) for use in uses.values() if use.kind == "value"]):
        raise wrong(message("must use rewards in a table of samples; got {use}", use=values[0]))


def wrong(text: str) -> ImportFailed:
    """The exception for an unusable mapping."""
    return ImportFailed(text, field="map")
