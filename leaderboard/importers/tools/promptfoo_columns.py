"""The columns of a promptfoo evaluation: each provider with each prompt, and the tests they ran.

Prompts, variables and assertions serve to tell columns and tests apart, and are not kept.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, Final

from leaderboard.importers.reading.harness import digest
from leaderboard.importers.reading.json_place import JsonValue

_LABEL: Final = re.compile(r"[\w .:/+-]{1,60}")


@dataclass
class PromptColumn:
    """A provider with a prompt. rows: its results, each with the name of its test."""

    provider: str
    prompt: str
    head: JsonValue | None
    rows: list[tuple[str, JsonValue]] = field(default_factory=list)


@dataclass
class Tests:
    """The tests of one evaluation, identified by their contents, and their names.

    described: descriptions by the test's variables, if they are not in the results.
    """

    described: dict[str, str]
    names: dict[str, str] = field(default_factory=dict)
    taken: set[str] = field(default_factory=set)

    def name(self, row: JsonValue) -> str:
        """The description of a row's test, else its place and a digest of its contents."""
        case = row["testCase"].value if isinstance(row["testCase"].value, dict) else {}
        given = _text(row["vars"].value)
        made = [case.get(key) for key in ("vars", "assert", "threshold")] if case else given
        called = JsonValue(case.get("description") or self.described.get(given), "").words()
        key = _text([made, called])
        if key not in self.names:
            self.names[key] = self._new(called, key, row["testIdx"].value is not None)
            self.taken.add(self.names[key])
        return self.names[key]

    def _new(self, called: str, key: str, placed: bool) -> str:
        if called and called not in self.taken:
            return called
        place = f"-{len(self.names) + 1}" if placed else ""
        return f"{called or 'test'}{place}-{digest(key)}"


def columns_of(summary: JsonValue, rows: Iterable[JsonValue]) -> list[PromptColumn]:
    """The columns in the order of promptfoo's table."""
    heads = _heads(summary)
    labels = _labels(heads)
    tests = Tests(_described(summary))
    columns: dict[tuple[int, str, str], PromptColumn] = {}
    for row in sorted(
        rows, key=lambda row: [row[at].count() or 0 for at in ("testIdx", "promptIdx")]
    ):
        provider, prompt, at = _provider(row["provider"]), _prompt(row), row["promptIdx"].count()
        key = (-1, provider, prompt) if at is None else (at, "", "")
        if key not in columns:
            head = _head(heads, at, provider, prompt)
            named = _provider(head["provider"]) if head else ""
            columns[key] = PromptColumn(named or provider, labels.get(prompt, ""), head)
        columns[key].rows.append((tests.name(row), row))
    ordered = [columns[key] for key in sorted(columns, key=lambda key: key[0])]
    _number_prompts(ordered)
    return ordered


def _number_prompts(columns: Iterable[PromptColumn]) -> None:
    """Name prompts without a label by their place within their provider."""
    counts: dict[str, int] = {}
    for column in columns:
        counts[column.provider] = counts.get(column.provider, 0) + 1
        column.prompt = column.prompt or f"prompt {counts[column.provider]}"


def _heads(summary: JsonValue) -> list[JsonValue]:
    """promptfoo's description of each column: its prompt, provider and metrics."""
    listed = summary["prompts"]
    return list((summary["table"]["head"]["prompts"] if listed.value is None else listed).items())


def _head(heads: list[JsonValue], at: int | None, provider: str, prompt: str) -> JsonValue | None:
    if at is not None:
        return heads[at] if at < len(heads) else None
    named = ((_provider(head["provider"]), _label(head)) for head in heads)
    fitting = (head for head, its in zip(heads, named, strict=True) if its == (provider, prompt))
    return next(fitting, None)


def _labels(heads: Iterable[JsonValue]) -> dict[str, str]:
    """The labels that people gave to prompts. Without a label, promptfoo repeats the prompt."""
    labels = {}
    for head in heads:
        label, raw = _label(head), head["raw"].value
        if _LABEL.fullmatch(label) and not (isinstance(raw, str) and raw.strip() in label):
            labels[label] = label
    return labels


def _label(prompt: JsonValue) -> str:
    texts = (prompt[key].value for key in ("label", "display", "raw"))
    return next((text for text in texts if isinstance(text, str)), "")


def _prompt(row: JsonValue) -> str:
    prompt = row["prompt"]
    return prompt.value if isinstance(prompt.value, str) else _label(prompt)


def _provider(part: JsonValue) -> str:
    if isinstance(part.value, str):
        return part.words()
    return part["label"].words() or part["id"].words()


def _described(summary: JsonValue) -> dict[str, str]:
    """Descriptions of tests by their variables, from the table of version 2."""
    descriptions = {}
    for row in summary["table"]["body"].items():
        text, test = row["description"].words(), row["test"]
        if text and "vars" in test:
            descriptions[_text(test["vars"].value)] = text
    return descriptions


def _text(value: Any) -> str:
    return json.dumps(value, sort_keys=True, default=str)
