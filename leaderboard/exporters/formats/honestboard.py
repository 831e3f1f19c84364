"""The board file of honestboard, for a second opinion about ranks.

It holds how often each system solved each task. Tasks of one cluster are not independent.
"""

from __future__ import annotations

import json
from typing import Final

from leaderboard.exporters.board import BoardOutline, ExportedBoard
from leaderboard.exporters.exporter import CannotExport, Exporter
from leaderboard.rules.texts.messages import message

NO_RATES: Final = message("The format needs the results of tasks, and you see none on this board.")


def problem(board: BoardOutline) -> str:
    return "" if board.has_task_rates else NO_RATES


def write(board: ExportedBoard) -> bytes:
    """One JSON document: tasks, systems with their rate for each task, clusters of tasks."""
    rates = board.rates()
    rows = [row for row in board.ranked_rows if rates.get(row.attempt or "")]
    if not rows:
        raise CannotExport(NO_RATES)
    if any(not 0 <= rate <= 1 for row in rows for rate in rates[row.attempt or ""].values()):
        raise CannotExport(
            message(
                "The format needs rates from 0 to 1; the tasks of this board have other values."
            )
        )
    tasks = sorted({task for row in rows for task in rates[row.attempt or ""]})
    document = {
        "tasks": tasks,
        "systems": [
            {
                "name": row.name,
                "date": f"{row.reached_at:%Y-%m-%d}",
                "rates": dict(sorted(rates[row.attempt or ""].items())),
            }
            for row in rows
        ],
        **({"clusters": dict(board.clusters)} if board.clusters else {}),
    }
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode()


EXPORTER = Exporter(
    "honestboard",
    message("honestboard"),
    message("How often each entry solved each task, for a second opinion about the ranks."),
    "honestboard.json",
    "application/json",
    write,
    problem,
)
