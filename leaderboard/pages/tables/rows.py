"""What the URL of a board asks for: its rows, their order, its columns and its page."""

from __future__ import annotations

from typing import Final, NamedTuple, Self

from django.http import HttpRequest

from leaderboard.columns import Column
from leaderboard.models import Challenge, Participant
from leaderboard.pages.shared.paging import (
    Paging,
    after_the_end,
    counted,
    notes_asked,
    page_asked,
    uncounted,
)
from leaderboard.pages.tables.row_kinds import kinds_asked
from leaderboard.rules.visibility.meta_values import MetaField, fields_of
from leaderboard.services.board.reading.meta_query import meta_tests
from leaderboard.services.board.reading.ranking import columns_of
from leaderboard.services.board.reading.row_filter import RowFilter, RowsAsked
from leaderboard.services.competition.visible import board_contents
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.board_contents import BoardContents, meta_fields_of
from leaderboard.services.errors import ServiceError
from leaderboard.services.wrong_parameter import UnknownParameter, WrongParameter

MOST_ROWS: Final = 1000
"""The most rows of a page for printing; a longer board has several such pages."""
MAX_SEARCH: Final = 120
FAMILIES: Final = ("", "best", "all")
"""What the URL says of families: nothing, only their best rows, all of their rows."""
PAST: Final = "at"
"""A parameter that would ask for the board of a moment, which no page shows."""


class BoardParameters(NamedTuple):
    """What the URL of a board asks for.

    columns: the keys of those that the reader has chosen; none for the usual ones. sort: the key of
    a column, with `-` before it for its highest values first. notes: whether intervals and reasons
    stand below the values.
    """

    rows: RowsAsked
    sort: str
    columns: tuple[str, ...]
    number: int
    size: int
    notes: bool
    phase: str

    @property
    def wanted(self) -> RowFilter:
        return self.rows.wanted

    @property
    def search(self) -> str:
        return self.wanted.text

    @property
    def key(self) -> str:
        return self.rows.key

    @property
    def is_plain(self) -> bool:
        """Whether it asks for ranked rows in the order of ranks, and leaves none of them out."""
        return self.rows.is_whole and self.rows.has_ranked

    @property
    def is_first(self) -> bool:
        """Whether it asks for the first page of all rows in the order of ranks."""
        return self.is_plain and self.number == 1

    @property
    def begins(self) -> bool:
        """Whether it asks for the first page of the board, perhaps with families folded."""
        return self.is_first or (self.only_folds and not self.key and self.number == 1)

    @property
    def only_folds(self) -> bool:
        """Whether it leaves out no other rows than those behind the best ones of families."""
        return self.wanted.only_folds and self.rows.has_ranked

    def for_reader(self, board: VisibleBoard, families: str) -> Self:
        """The same with all rows where the challenge folds families, and the reader may not know
        them. families: what the URL says of them.
        """
        if families or board.lists_families or not self.wanted.folds:
            return self
        return self._replace(rows=self.rows._replace(wanted=self.wanted._replace(folds=False)))

    def template_context(self) -> dict[str, object]:
        """What the form and the links of the page need of it, for the template."""
        return {
            "phase": self.phase,
            "search": self.search,
            "sort": self.sort,
            "notes": self.notes,
            "is_filtered": self.wanted._replace(folds=False).narrows,
            "folds": self.wanted.folds,
            "shows_all": self.size == MOST_ROWS,
            "most_rows": MOST_ROWS,
        }


def board_parameters(request: HttpRequest, challenge: Challenge) -> BoardParameters:
    """The view that a URL asks for. Raises WrongParameter for one that no board has."""
    refuse_the_past(request)
    asked, sort = request.GET, request.GET.get("sort", "")
    kind = asked.get("participant_kind", "")
    if kind not in ("", *Participant.Kind.values):
        raise WrongParameter.one_of("participant_kind", kind, Participant.Kind.values)
    families, family = asked.get("families", ""), asked.get("family", "").strip()
    if families not in FAMILIES:
        raise WrongParameter.one_of("families", families, FAMILIES[1:])
    fields = fields_of(challenge.meta_fields)
    wanted = RowFilter(
        text=asked.get("q", "").strip()[:MAX_SEARCH],
        kind=kind,
        bracket=asked.get("bracket", ""),
        verified=asked.get("verified") == "1",
        meta=meta_tests(asked, fields),
        complete=_complete_asked(request, challenge),
        family=family,
        folds=families == "best" or (not families and not family and challenge.folds_families),
    )
    rows = RowsAsked.sorted(kinds_asked(request), wanted, sort, fields)
    return BoardParameters(
        rows._replace(with_meta=bool(fields)),
        sort,
        tuple(filter(None, ",".join(asked.getlist("columns")).split(","))),
        page_asked(request),
        MOST_ROWS if asked.get("rows") == "all" else board_contents.ROWS_PER_PAGE,
        notes_asked(request),
        asked.get("phase", ""),
    )


def _complete_asked(request: HttpRequest, challenge: Challenge) -> tuple[str, ...]:
    """The columns in which rows must be complete. Raises WrongParameter for an unknown one."""
    columns = [column.key for column in columns_of(challenge) if column.is_kept]
    keys = tuple(filter(None, ",".join(request.GET.getlist("complete")).split(",")))
    if wrong := [key for key in keys if key not in columns]:
        raise WrongParameter.one_of("complete", wrong[0], columns)
    return keys


def refuse_the_past(request: HttpRequest) -> None:
    """Raises UnknownParameter if the URL asks for the board of a moment, which no page shows."""
    if PAST in request.GET:
        raise UnknownParameter(PAST, ())


def contents_of(board: VisibleBoard, asked: BoardParameters) -> BoardContents:
    """What the page is drawn from. Raises WrongParameter for an order that the reader cannot
    have."""
    try:
        return board_contents.read_contents(board, asked.rows, number=asked.number, size=asked.size)
    except ServiceError as error:
        sorts = [column.key for column in columns_of(board.challenge)]
        sorts += [field.key for field in meta_fields_of(board)]
        raise WrongParameter.refused(error, {"search": "q"}, {"sort": sorts}) from None


def paging_of(contents: BoardContents, asked: BoardParameters) -> Paging:
    """The position of a page. Raises WrongParameter for one after the end."""
    if not asked.rows.has_ranked:
        return uncounted(1, has_next=False)
    if asked.number > 1 and not contents.rows and not asked.is_plain:
        raise after_the_end(asked.number)
    if contents.length is None:
        return uncounted(asked.number, has_next=contents.has_next)
    return counted(asked.number, contents.length, asked.size)


def chosen_columns(
    asked: BoardParameters, all_columns: list[Column], fields: list[MetaField]
) -> tuple[list[Column], list[MetaField]]:
    """The columns of a page. all_columns, fields: all that the board may show.

    Columns that the board ranks by are always shown. Raises WrongParameter for an unknown key.
    """
    if not asked.columns:
        return all_columns, [field for field in fields if field.shown]
    keys = [*(column.key for column in all_columns), *(field.key for field in fields)]
    for key in asked.columns:
        if key not in keys:
            raise WrongParameter.one_of("columns", key, keys)
    columns = [column for column in all_columns if column.ranked or column.key in asked.columns]
    return columns, [field for field in fields if field.key in asked.columns]
