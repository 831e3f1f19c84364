"""The part of a board's page that all readers share who see the same.

It is rendered once for each version of the board and each view, without what belongs to the reader:
own rows, which go into its slots, and everything around it. Its template gets a request without a
user, a session and cookies.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from secrets import token_hex
from sys import getsizeof
from typing import Final

from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe

from leaderboard.models import Board
from leaderboard.pages.board.live import BoardVersion
from leaderboard.pages.board.own_rows import RowsAround, Slots
from leaderboard.pages.shared.kept_parts import KeptParts
from leaderboard.pages.shared.reader_parts import reader_key, without_reader
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.competition.visible.board import VisibleBoard

SIZE: Final = 24_000_000
"""The most bytes of sections that a process keeps: some hundred pages of 50 rows."""
SHARE: Final = "share"
"""The slot below the table, where the page has what its reader may share."""


@dataclass(frozen=True, slots=True)
class BoardSection:
    """HTML with slots: each is a text, the name of the slot behind it, and what it has for readers
    without rows of their own. has_totals: whether the reader sees all rows. state: HTML of how
    many rows there are, for the head of the page. verdict: as plain text, "" without one."""

    pieces: Sequence[tuple[str, str, str]]
    around: RowsAround
    has_totals: bool
    state: SafeString
    verdict: str

    @property
    def size(self) -> int:
        """Bytes, about."""
        texts = sum(getsizeof(text) for piece in self.pieces for text in piece)
        return texts + sum(map(getsizeof, self.around.sort_keys)) + 5000

    def with_slots(self, slots: Slots) -> tuple[SafeString, SafeString]:
        """The HTML above and below the slot `SHARE`."""
        above: list[str] = []
        below: list[str] = []
        side = above
        for text, name, default in self.pieces:
            side.append(text)
            if name == SHARE:
                side = below
            else:
                side.append(_held(slots, name, default))
        return mark_safe("".join(above)), mark_safe("".join(below))  # noqa: S308 - rendered


KEPT: Final = KeptParts[BoardSection](SIZE)


def section_key(
    request: HttpRequest,
    boards: Sequence[Board],
    board: VisibleBoard,
    asked: BoardParameters,
    live: BoardVersion,
) -> Hashable | None:
    """What the section depends on; None for one that is not kept.

    boards: those of the challenge. Searches and filters are not kept: they depend on registrations
    and verifications too.
    """
    is_kept = asked.wanted.is_empty or asked.only_folds
    if board.challenge.is_draft or not is_kept or not board.board.is_complete:
        return None
    return (reader_key(request, boards, board), board.board.pk, live)


def made_section(
    request: HttpRequest, context: PageContext, around: RowsAround, *, has_totals: bool
) -> BoardSection:
    """Render the section. context: nothing in it may depend on the reader beyond the key.

    A slot is `cut`, its name, `cut`, what it has for readers without own rows, and `cut`. The slots
    of a row have the row's own name behind theirs.
    """
    cut = f"<!-- {token_hex(16)} -->"
    slot = {name: mark_safe(f"{cut}{name}{cut}") for name in ("links", "pinned", SHARE)}  # noqa: S308 - comments of ours
    slot |= {name: mark_safe(f"{cut}{name}:") for name in ("row", "tag")}  # noqa: S308
    marked = {**context, "cut": mark_safe(cut), "slot": slot}  # noqa: S308
    html = render_to_string("pages/board_section.html", marked, without_reader(request))
    parts = [*html.split(cut), "", ""]
    pieces = list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))
    state = render_to_string("pages/board_state.html", context, without_reader(request))
    verdict = context["verdict"]
    return BoardSection(pieces, around, has_totals, state, verdict.text if verdict else "")


def _held(slots: Slots, name: str, default: str) -> str:
    """What a slot has for a reader: by its name, or by its name without the attempt of a row."""
    if not slots or not name:
        return default
    return slots.get(name) or slots.get(name.rpartition(":")[0]) or default
