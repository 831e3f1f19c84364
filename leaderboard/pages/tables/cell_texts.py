"""The texts of a board's cells. Texts that the values of a column share are translated once."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import NamedTuple

from django.utils.translation import gettext as _

from leaderboard.columns import Column
from leaderboard.languages.translation import number_writer
from leaderboard.pages.labels import judged, metric_labels, row_labels
from leaderboard.pages.labels.metric_labels import NO_BREAK, DescribedValue


class Said(NamedTuple):
    """A fact about a value as it stands below the value, and as a sentence."""

    note: str = ""
    sentence: str = ""


class CellTexts:
    """Makes the texts of the values of one column, in the language that is active when it is made.

    A state has the facts about a value besides its number, see `metric_labels`.
    """

    def __init__(self, column: Column) -> None:
        self.column = column
        self._local = number_writer()
        self._failures: dict[int, Said] = {}
        self._reasons: dict[str | None, Said] = {}

    @cached_property
    def label(self) -> str:
        """The label of the column, marked if participants report its values."""
        return row_labels.marked(self.column)

    def value(self, value: float | None) -> str:
        """A value in the reader's number format, `–` for None."""
        return self._local(self.column.text(value))

    def spread(self, state: DescribedValue, value: float) -> str:
        """`± 3.4`, half of the 95% interval, as precise as the value; or `58.9–73.1`."""
        return metric_labels.spread(self.column, state, value)

    def level(self, state: DescribedValue) -> str:
        """`reported` for a metric's value that the participant reports."""
        return metric_labels.level(self.column, state)

    def interval(self, state: DescribedValue) -> str:
        """`58.9% to 73.1%`; "" if there is none."""
        ends = state.get("interval")
        if not ends:
            return ""
        low, high = (self._local(self.column.written(end)) for end in ends)
        return self._from_to.format(low=low, high=high)

    def note(self, state: DescribedValue, interval: str) -> str:
        """A value's uncertainty: `58.9% to 73.1%`, `no interval: fewer than 5 tasks`."""
        certainty = interval or self._no_interval(state).note
        # A number stays with what it counts; the verb may go to the next line of a narrow cell.
        failures = self._failed(state.get("failed") or 0).note.replace(" ", NO_BREAK, 1)
        if not (certainty and failures):
            return certainty or failures
        return self._certainty_and_failures.format(certainty=certainty, failures=failures)

    def hint(self, state: DescribedValue, interval: str) -> str:
        """The tooltip of a cell: a sentence for each known fact about its value."""
        texts = (
            self._reported if self.level(state) else "",
            self._with_interval.format(interval=interval) if interval else "",
            self._no_interval(state).sentence,
            self._part_of(state),
            self._failed(state.get("failed") or 0).sentence,
            metric_labels.beside(self.column, state),
            metric_labels.not_ranked(self.column, state) if state.get("not_ranked") else "",
            judged.about(self.column, state),
        )
        return " ".join(filter(None, texts))

    def _part_of(self, state: DescribedValue) -> str:
        total = state.get("total")
        return self._over.format(defined=state["defined"], total=total) if total else ""

    def _no_interval(self, state: DescribedValue) -> Said:
        """`no interval: fewer than 5 tasks`; nothing if there is one, or no value."""
        reason = state.get("interval_reason")
        if reason not in self._reasons:
            why = metric_labels.no_interval(self.column, state)
            texts = (_("no interval: {reason}"), _("No interval: {reason}.")) if why else ()
            self._reasons[reason] = Said(*(text.format(reason=why) for text in texts))
        return self._reasons[reason]

    def _failed(self, count: int) -> Said:
        """`3 samples failed`; nothing for none."""
        if count not in self._failures:
            self._failures[count] = Said(*metric_labels.failed(self.column, count))
        return self._failures[count]

    @cached_property
    def _from_to(self) -> str:
        return _("{low} to {high}")

    @cached_property
    def _certainty_and_failures(self) -> str:
        return _("{certainty}, {failures}")

    @cached_property
    def _with_interval(self) -> str:
        return _("95% interval {interval}.")

    @cached_property
    def _reported(self) -> str:
        return _("Reported by the participant.")

    @cached_property
    def _over(self) -> str:
        return metric_labels.part_of(self.column)


def texts_of(columns: Iterable[Column]) -> list[CellTexts]:
    """The texts of each column, for all rows of a table."""
    return [CellTexts(column) for column in columns]
