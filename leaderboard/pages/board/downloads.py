"""Files of the view of a board that a page shows: its rows, their order and its columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.exporters import known_exporters
from leaderboard.languages.translation import translated
from leaderboard.models import Challenge
from leaderboard.pages.tables.rows import BoardParameters
from leaderboard.services.board.reading.meta_query import meta_json
from leaderboard.services.board.reading.row_filter import ALL_KINDS


class Download(NamedTuple):
    """A file, and where it is."""

    label: str
    url: str


def downloads(
    challenge: Challenge, view: BoardParameters, columns: Sequence[str]
) -> Sequence[Download]:
    """The files of a view, which hold its rows of all pages. columns: the keys of its columns."""
    query = _query(view, columns)
    formats: list[tuple[str, str, tuple[tuple[str, str], ...]]] = [
        (_("CSV"), "csv", ()),
        (_("CSV for Excel"), "csv", (("for", "excel"),)),
        (_("JSON"), "json", ()),
        (_("JSON Lines"), "jsonl", ()),
        (_("Markdown"), "markdown", ()),
        (_("Parquet"), "parquet", ()),
    ]
    exchange = [
        Download(translated(exporter.label), _exchanged(challenge, key, query))
        for key, exporter in known_exporters().items()
    ]
    return [
        *(
            Download(label, _address(challenge, name, [*more, *query]))
            for label, name, more in formats
        ),
        *exchange,
    ]


def _query(view: BoardParameters, columns: Sequence[str]) -> list[tuple[str, str]]:
    """The view by the names of the API."""
    wanted, kinds = view.wanted, view.rows.kinds
    asked = {
        "phase": view.phase,
        "search": wanted.text,
        "participant_kind": wanted.kind,
        "bracket": wanted.bracket,
        "meta": json.dumps(meta_json(wanted.meta), ensure_ascii=False) if wanted.meta else "",
        "verified": "1" if wanted.verified else "",
        "complete": ",".join(wanted.complete),
        "family": wanted.family,
        "families": "best" if wanted.folds else "",
        "kinds": "" if set(kinds) == set(ALL_KINDS) else ",".join(kinds),
        "sort": view.sort,
        "columns": ",".join(columns),
    }
    return [(name, value) for name, value in asked.items() if value]


def _address(challenge: Challenge, name: str, query: list[tuple[str, str]]) -> str:
    return _asking(reverse(f"api:{name}", args=[challenge.slug]), query)


def _exchanged(challenge: Challenge, key: str, query: list[tuple[str, str]]) -> str:
    return _asking(reverse("api:exchange", args=[challenge.slug, key]), query)


def _asking(address: str, query: list[tuple[str, str]]) -> str:
    return f"{address}?{urlencode(query)}" if query else address
