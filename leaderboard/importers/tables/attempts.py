"""Attempts from the rows of a table, once it is known what its columns are for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final

from leaderboard.importers.errors import ImportFailed, shown
from leaderboard.importers.imports import ImportedAttempt
from leaderboard.importers.naming import participant_name, source_id
from leaderboard.importers.packed import ABSENT, PackedSamples
from leaderboard.importers.part import MAX_COUNT, MAX_NAME
from leaderboard.importers.samples import facts, sample
from leaderboard.importers.tables.cells import (
    NO_NAME,
    SIMPLE,
    date_in,
    is_nothing,
    moment_of,
    number_in,
    plain,
    seen,
    switch_in,
    value_of,
)
from leaderboard.importers.tables.grid import Grid
from leaderboard.importers.tables.guessing import USAGE, word
from leaderboard.importers.tables.profiles import Profile
from leaderboard.importers.tables.uses import Use, wrong
from leaderboard.rules.names import name_key

KEY: Final = "table"
TOTALS: Final = (
    "total totals average avg mean median sum overall min max std stdev gesamt summe "
    "durchschnitt mittelwert moyenne promedio media average(all) averages"
).split()
"""What the first cell of a row says that sums up the others."""
MAX_TOLD: Final = 3
MAX_META: Final = 255
MAX_RATING: Final = 10.0
_KINDS: Final = ("system", "person", "team")


@dataclass
class Reader:
    """The columns of a table with their uses. warnings: what a reader of the preview is told."""

    grid: Grid
    profiles: Sequence[Profile]
    uses: Mapping[str, Use]
    file: str
    warnings: list[str] = field(default_factory=list)
    _odd: dict[str, Counter[str]] = field(default_factory=dict)

    def attempts(self, participant: str) -> list[ImportedAttempt]:
        """The attempts. participant: whose they all are, "" as the table says.

        Raises ImportFailed with line and column.
        """
        self._check_columns()
        read = self._of_samples if self._at("task") else self._of_rows
        found = list(read(participant))
        self._tell_odd()
        if not any(one.values or one.samples or one.metrics or one.submitted_at for one in found):
            raise ImportFailed("holds no row with a number", file=self.file)
        return found

    def _at(self, *kinds: str) -> list[int]:
        """The places of the columns with one of these uses."""
        return [at for at, each in enumerate(self.profiles) if self._use(at).kind in kinds]

    def _use(self, at: int) -> Use:
        return self.uses[self.profiles[at].label]

    def _check_columns(self) -> None:
        numeric = [at for at in self._at("value", "reward", *USAGE, "rating")]
        for at in numeric:
            each = self.profiles[at]
            if not each.counts["number"] and not each.counts["switch"] and each.filled:
                text = f"the column {shown(each.label)!r} holds no numbers, such as"
                raise wrong(f"{text} {shown(each.examples[0])!r}; it cannot be {self._use(at)}")

    # Rows as attempts.

    def _of_rows(self, participant: str) -> Iterator[ImportedAttempt]:
        whose = self._at("participant")
        left_out = self._summing_up(whose)
        given: Counter[str] = Counter()
        empty: list[str] = []
        for number, cells in enumerate(self.grid.rows()):
            if number in left_out:
                continue
            name = self._participant(whose, cells)
            if not self._has_numbers(cells):
                empty.append(f"{shown(name or cells[0])!r} in line {self.grid.lines[number]}")
                continue
            if not name and not participant:
                raise self._fail(number, whose[0], "must name the participant; got nothing")
            yield self._row(number, cells, participant or name, given)
        if empty:
            self.warnings.append(f"left out, as there is no number in them: {_some(empty)}")

    def _row(
        self, number: int, cells: Sequence[str], participant: str, given: Counter[str]
    ) -> ImportedAttempt:
        values = self._numbers("value", cells)
        samples = [
            {**sample(self.profiles[at].label, {self._reward(at): value}), "sample": 0}
            for at in self._at("reward")
            if (value := self._number(at, cells[at])) is not None
        ]
        metrics = self._facts(number, cells)
        meta = self._meta(cells)
        moment = self._moment(cells)
        fields = self._fields(cells)
        parts = [values, samples, metrics, meta, moment.isoformat() if moment else None]
        identity = source_id(KEY, name_key(participant), *parts)
        given[identity] += 1
        return ImportedAttempt(
            participant=participant,
            source_id=f"{identity}:{given[identity]}",
            meta=meta,
            samples=samples,
            values=values,
            metrics=metrics,
            submitted_at=moment,
            fields=fields,
        )

    def _reward(self, at: int) -> str:
        """Of a column that is a task: its reward is called `reward` unless somebody says a name."""
        use = self._use(at)
        return "reward" if use.name == self.profiles[at].label else use.name or "reward"

    def _has_numbers(self, cells: Sequence[str]) -> bool:
        """Whether a row says more than a name: footnotes and headings do not."""
        useful = self._at("value", "reward", "submitted_at", "succeeded", "rating", *USAGE)
        return any(not is_nothing(cells[at]) for at in useful)

    def _summing_up(self, whose: Sequence[int]) -> set[int]:
        """The first and the last rows, where they are totals and averages of the others."""
        names = [
            " ".join(plain(cell) for cell in each)
            for each in zip(*(self.grid.columns[at] for at in whose), strict=True)
        ]
        found = []
        for order in (range(len(names)), range(len(names) - 1, -1, -1)):
            for number in order:
                if word(names[number]) not in TOTALS and (names[number] or order.step > 0):
                    break
                found.append(number)
        if whose and 0 < len(set(found)) < len(names):
            told = [f"{names[at] or 'a row without a name'!s} in line {self.grid.lines[at]}"
                    for at in sorted(set(found))]
            self.warnings.append(f"left out, as they sum up the others: {_some(told)}")
            return set(found)
        return set()

    # Rows as samples.

    def _of_samples(self, participant: str) -> Iterator[ImportedAttempt]:
        whose, (task,) = self._at("participant"), self._at("task")
        number_at, error_at = self._at("sample"), self._at("error")
        rewards = self._at("reward")
        if not rewards:
            raise wrong("a table with a task in each row needs a column that is a reward")
        usage = self._at(*USAGE)
        columns: dict[str, PackedSamples] = {}
        moments: dict[str, datetime] = {}
        meta: dict[str, dict[int, str | None]] = {}
        names: dict[tuple[str, ...], str] = {}
        meta_at, time_at = self._at("meta"), self._at("submitted_at")
        for number, cells in enumerate(self.grid.rows()):
            key = tuple(cells[at] for at in whose)
            if key not in names:
                names[key] = self._participant(whose, cells)
            name = names[key]
            if not name and not participant:
                raise self._fail(number, (whose or [task])[0], "must name the participant")
            packed = columns.get(name)
            if packed is None:
                packed = columns[name] = self._packed(rewards, usage)
            added = packed.add(
                self._task(number, task, cells),
                self._count(number, number_at[0], cells) if number_at else None,
                [self._sampled(at, cells[at]) for at in rewards],
                [self._used(number, at, cells) for at in usage],
                seen(cells[error_at[0]])[:200] if error_at else "",
            )
            if not added:
                raise self._fail(number, task, "has this sample a second time")
            for at in meta_at:
                _keep_constant(meta.setdefault(name, {}), at, cells[at])
            if time_at and (moment := self._moment(cells)):
                moments[name] = max(moments.get(name, moment), moment)
        for name, packed in columns.items():
            yield self._sampled_attempt(participant or name, packed, meta.get(name, {}), moments.get(name))

    def _packed(self, rewards: Sequence[int], usage: Sequence[int]) -> PackedSamples:
        kinds = [self._use(at).kind for at in usage]
        whole = [kind for kind in kinds if kind != "cost_usd"]
        return PackedSamples([self._use(at).name for at in rewards], kinds, whole)

    def _sampled_attempt(
        self,
        name: str,
        packed: PackedSamples,
        meta: Mapping[int, str | None],
        moment: datetime | None,
    ) -> ImportedAttempt:
        return ImportedAttempt(
            participant=name,
            source_id=source_id(KEY, name_key(name), packed.digest()),
            meta={
                self._use(at).name: seen(plain(text))[:MAX_META]
                for at, text in meta.items()
                if text is not None and not is_nothing(text)
            },
            samples=packed,
            metrics=facts(packed) if packed.usage else {},
            submitted_at=moment,
        )

    def _task(self, number: int, at: int, cells: Sequence[str]) -> str:
        text = seen(cells[at])
        if not 1 <= len(text) <= MAX_NAME:
            raise self._fail(number, at, f"must have 1 to {MAX_NAME} characters; got {len(text)}")
        return text

    def _sampled(self, at: int, text: str) -> float | None:
        if text.casefold() == "null":
            return None
        value = self._number(at, text)
        return ABSENT if value is None else value

    def _used(self, number: int, at: int, cells: Sequence[str]) -> float:
        value = self._number(at, cells[at])
        return ABSENT if value is None else float(self._amount(number, at, value))

    def _count(self, number: int, at: int, cells: Sequence[str]) -> int | None:
        text = cells[at]
        if text.isdecimal() and len(text) < 16:
            return int(text)
        value = self._number(at, text)
        if value is None:
            return None
        if not 0 <= value <= MAX_COUNT or value != int(value):
            raise self._fail(number, at, f"must be a whole number from 0; got {shown(text)!r}")
        return int(value)

    # Cells.

    def _participant(self, whose: Sequence[int], cells: Sequence[str]) -> str:
        texts = [seen(plain(cells[at])) for at in whose]
        texts = [each for each in texts if each.casefold() not in NO_NAME]
        if not texts:
            return ""
        if len(whose) == 2:
            kinds = {word(self.profiles[at].label): cells[at] for at in whose}
            if set(kinds) == {"agent", "model"}:
                return participant_name(plain(kinds["agent"]), plain(kinds["model"]))
        return participant_name("", " ".join(texts))

    def _number(self, at: int, text: str) -> float | None:
        """The number in a cell; a cell that holds something else is told of, and is no number."""
        profile = self.profiles[at]
        if SIMPLE.fullmatch(text) and (profile.decimal == "." or "." not in text):
            return float(text)
        if is_nothing(text):
            return None
        number = number_in(text)
        value = value_of(number, profile.decimal) if number else None
        if value is None and (switch := switch_in(text)) is not None:
            return float(switch)
        if value is None:
            self._odd.setdefault(profile.label, Counter())[shown(text)[:40]] += 1
        return value

    def _numbers(self, kind: str, cells: Sequence[str]) -> dict[str, float]:
        found = {self._use(at).name: self._number(at, cells[at]) for at in self._at(kind)}
        return {name: value for name, value in found.items() if value is not None}

    def _facts(self, number: int, cells: Sequence[str]) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for at in self._at(*USAGE, "rating", "created_at"):
            value = self._number(at, cells[at])
            if value is not None:
                found[self._use(at).kind] = self._amount(number, at, value)
        for at in self._at("succeeded"):
            if not is_nothing(cells[at]):
                found["succeeded"] = self._switch(number, at, cells[at])
        return found

    def _switch(self, number: int, at: int, text: str) -> bool:
        said = {"1": True, "0": False}.get(text.removesuffix(".0"), switch_in(text))
        if said is None:
            raise self._fail(number, at, f"must be true or false; got {shown(text)!r}")
        return said

    def _amount(self, number: int, at: int, value: float) -> float | int:
        kind = self._use(at).kind
        if kind == "rating" and not 0 <= value <= MAX_RATING:
            raise self._fail(number, at, f"must be a number from 0 to 10; got {value:g}")
        if not 0 <= value <= MAX_COUNT:
            raise self._fail(number, at, f"must be from 0 to 10^15; got {value:g}")
        if kind in ("rating", "cost_usd"):
            return value
        if value != int(value):
            raise self._fail(number, at, f"must be a whole number; got {value:g}")
        return int(value)

    def _meta(self, cells: Sequence[str]) -> dict[str, str]:
        return {
            self._use(at).name: seen(plain(cells[at]))[:MAX_META]
            for at in self._at("meta")
            if not is_nothing(cells[at]) and seen(plain(cells[at]))
        }

    def _fields(self, cells: Sequence[str]) -> dict[str, Any]:
        found = {
            self._use(at).kind: seen(plain(cells[at]))
            for at in self._at("name", "kind", "note")
            if cells[at]
        }
        if found.get("kind", "system") not in _KINDS:
            raise wrong(f"kind: must be one of {', '.join(_KINDS)}; got {shown(found['kind'])!r}")
        return found

    def _moment(self, cells: Sequence[str]) -> datetime | None:
        for at in self._at("submitted_at"):
            found = date_in(cells[at])
            if found is not None:
                return moment_of(found, self.profiles[at].order)
            if (number := number_in(cells[at])) and (value := value_of(number, ".")):
                return _since_1970(value)
            if not is_nothing(cells[at]):
                self._odd.setdefault(self.profiles[at].label, Counter())[shown(cells[at])[:40]] += 1
        return None

    def _tell_odd(self) -> None:
        for label, texts in self._odd.items():
            told = [repr(text) for text in texts]
            count = sum(texts.values())
            cells = "1 cell that is" if count == 1 else f"{count} cells that are"
            self.warnings.append(f"{shown(label)}: {cells} not read: {_some(told)}")

    def _fail(self, number: int, at: int, message: str) -> ImportFailed:
        line = self.grid.lines[number]
        place = shown(self.profiles[at].label)
        return ImportFailed(message, file=self.file, line=line, place=place)


def _keep_constant(meta: dict[int, str | None], at: int, text: str) -> None:
    """Keep a text that all rows of a participant share; None once two differ."""
    if meta.setdefault(at, text) != text:
        meta[at] = None


def _since_1970(value: float) -> datetime | None:
    """Seconds or milliseconds since 1970, by how many there are."""
    seconds = value / 1000 if value > 1e11 else value
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (ValueError, OverflowError, OSError):
        return None


def _some(texts: Sequence[str]) -> str:
    """The first few of them, and how many more there are."""
    more = len(texts) - MAX_TOLD
    return ", ".join(texts[:MAX_TOLD]) + (f" and {more} more" if more > 0 else "")
