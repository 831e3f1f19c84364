"""The instances of an attempt as a table: inputs, outputs, references and results.

The URL selects them: `?sort=BLEU_NLTK&order=worst&page=2`; `show` names the results to be shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from leaderboard.languages.translation import count_text
from leaderboard.models import Attempt, ScoringConfig
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.long_texts import ShownText, folded
from leaderboard.pages.shared.paging import Paging, counted, page_asked
from leaderboard.services.evaluation.tables import (
    InstanceRow,
    ResultKey,
    instance_page,
)
from leaderboard.services.wrong_parameter import WrongParameter

ROWS_PER_PAGE = 50
TEXTS_SHOWN = 10
"""The most outputs, and the most references, that are shown of an instance."""
RESULTS_SHOWN = 6
"""The most results that are shown of an instance, unless the URL names them."""
ORDERS = {"worst": gettext_lazy("Worst first"), "best": gettext_lazy("Best first")}


class ShownTexts(NamedTuple):
    """An instance's texts of one kind. `more`: the number of texts not shown, as text."""

    texts: list[ShownText]
    more: str


class ResultCell(NamedTuple):
    """One result. `further`: the part of its label after the colon, where a line may break."""

    label: str
    further: str
    text: str
    is_empty: bool
    is_sorted: bool


@dataclass(frozen=True, slots=True)
class InstanceLine:
    """One instance. `failed`: the model did not answer."""

    id: str
    input: ShownText
    outputs: ShownTexts
    references: ShownTexts
    failed: bool
    results: list[ResultCell]
    warnings: list[tuple[str, str]]


class SortChoice(NamedTuple):
    """A result that the table can be sorted by, or that can be shown."""

    key: str
    label: str
    description: str
    is_sorted: bool
    is_shown: bool


@dataclass(frozen=True, slots=True)
class InstanceTable:
    """A page of the instances. `sort` and `order` are as in the URL, "" for the given order."""

    lines: list[InstanceLine]
    choices: list[SortChoice]
    sort: str
    sort_label: str
    order: str
    orders: list[tuple[str, str]]
    has_inputs: bool
    summary: str
    count_text: str
    paging: Paging


def instance_table(
    request: HttpRequest, attempt: Attempt, config: ScoringConfig, keys: Sequence[ResultKey]
) -> InstanceTable:
    """The page of instances that the URL requests. Raises WrongParameter."""
    sort = _sort_asked(request, keys)
    order = request.GET.get("order", "worst") if sort else ""
    if sort and order not in ORDERS:
        raise WrongParameter.one_of("order", order, ORDERS)
    chosen_keys = _chosen_keys(request, keys, sort)
    number = page_asked(request)
    page = instance_page(
        attempt,
        config,
        chosen_keys,
        start=(number - 1) * ROWS_PER_PAGE,
        limit=ROWS_PER_PAGE,
        sort=sort,
        worst_first=order == "worst",
    )
    return InstanceTable(
        lines=[_line(row, chosen_keys, sort) for row in page.rows],
        choices=[_choice(key, sort, chosen_keys) for key in keys],
        sort=sort.key if sort else "",
        sort_label=sort.column.label if sort else "",
        order=order,
        orders=[(key, str(label)) for key, label in ORDERS.items()],
        has_inputs=any(row.instance.input for row in page.rows),
        summary=row_labels.count(page.total, "instance"),
        count_text=_("{shown} of {total}").format(shown=len(chosen_keys), total=len(keys))
        if len(keys) > RESULTS_SHOWN
        else "",
        paging=counted(number, page.total, ROWS_PER_PAGE),
    )


def _sort_asked(request: HttpRequest, keys: Sequence[ResultKey]) -> ResultKey | None:
    asked = request.GET.get("sort", "")
    if not asked:
        return None
    sort = next((key for key in keys if key.key == asked), None)
    if sort is None:
        raise WrongParameter.one_of("sort", asked, [key.key for key in keys])
    return sort


def _chosen_keys(
    request: HttpRequest, keys: Sequence[ResultKey], sort: ResultKey | None
) -> list[ResultKey]:
    """The results that the URL names; otherwise the first of each metric, up to a limit."""
    all_keys = {key.key for key in keys}
    asked = all_keys.intersection(request.GET.getlist("show")) or all_keys
    if asked == all_keys and len(keys) > RESULTS_SHOWN:
        first = [key.key for key in keys if key.key == key.run.key]
        asked = set(first[:RESULTS_SHOWN])
    return [key for key in keys if key.key in asked or key is sort]


def _choice(key: ResultKey, sort: ResultKey | None, chosen_keys: Sequence[ResultKey]) -> SortChoice:
    better = row_labels.description(key.column)
    return SortChoice(key.key, key.column.label, better, key is sort, key in chosen_keys)


def _line(
    row: InstanceRow, chosen_keys: Sequence[ResultKey], sort: ResultKey | None
) -> InstanceLine:
    instance = row.instance
    return InstanceLine(
        id=str(instance.id),
        input=folded(instance.input),
        outputs=_texts(instance.outputs),
        references=_texts(instance.references),
        failed=not instance.outputs,
        results=[_cell(key, row.results.get(key.key), sort) for key in chosen_keys],
        warnings=list(row.warnings.items()),
    )


def _texts(texts: Sequence[str]) -> ShownTexts:
    more = len(texts) - TEXTS_SHOWN
    return ShownTexts(
        [folded(text) for text in texts[:TEXTS_SHOWN]], count_text(more) if more > 0 else ""
    )


def _cell(key: ResultKey, value: float | None, sort: ResultKey | None) -> ResultCell:
    column = key.column
    label, colon, further = column.label.partition(":")
    return ResultCell(
        label + colon, further, row_labels.value_text(column, value), value is None, key is sort
    )
