"""Reading boards, and files."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any, Final

import click

from podium.commands.output import (
    challenge_of,
    common,
    in_challenge,
    in_phase,
    say,
    server_of,
    show,
    table,
)

FORMATS: Final = ("table", "json", "csv", "md")
FILES: Final = {
    "board.csv": "leaderboard.csv",
    "board.json": "leaderboard.json",
    "board.md": "leaderboard.md",
    "board.parquet": "leaderboard.parquet",
    "instances": "instances.jsonl",
    "example": "example.json",
    "grades": "grades.csv",
    "attempts": "attempts.zip",
}
"""What can be downloaded of a challenge, and its address."""


@click.command()
@in_challenge
@in_phase
@click.option("--format", "shape", type=click.Choice(FORMATS), default="table", help="Its form.")
@common
def leaderboard(context: click.Context, slug: str, phase: str, shape: str) -> None:
    """Show the board, the best first."""
    challenge = challenge_of(context, slug)
    if shape != "table" or context.obj["json"]:
        ending = "json" if context.obj["json"] else shape
        sys.stdout.write(challenge.board_file(ending, phase).decode())
        return
    rows = challenge.leaderboard(phase)
    names = [name for name in (rows[0] if rows else {}) if name not in ("slug", "attempt")]
    filled = [name for name in names if any(row.get(name) is not None for row in rows)]
    show(rows, table(rows, filled) if rows else "")


@click.command()
@click.argument("what", type=click.Choice([*FILES]))
@in_challenge
@in_phase
@click.option("-o", "--output", default="", help="The file to write; `-` for the standard output.")
@common
def download(context: click.Context, what: str, slug: str, phase: str, output: str) -> None:
    """Download WHAT of a challenge."""
    challenge = challenge_of(context, slug)
    name = FILES[what]
    params = {"phase": phase} if phase else {}
    path = f"challenges/{slug}/{name}"
    content = challenge.session.request("GET", path, params=params).content
    _write(content, output, f"{slug}-{name}")


@click.command()
@click.argument("first")
@click.argument("second")
@in_challenge
@common
def compare(context: click.Context, first: str, second: str, slug: str) -> None:
    """Compare the attempts FIRST and SECOND, by their ids, on the tasks that both have."""
    answer = challenge_of(context, slug).compare(first, second)
    names = ("key", "first", "second", "shared", "difference", "low", "high", "p", "better")
    rows: list[dict[str, Any]] = []
    for metric in answer["metrics"]:
        low, high = metric["interval"] or (None, None)
        rows.append({**metric, "low": low, "high": high})
    show(answer, table(rows, names))


@click.command()
@click.argument("name", metavar="FORMAT", default="")
@in_challenge
@in_phase
@click.option("-o", "--output", default="", help="The file to write; `-` for the standard output.")
@common
def export(context: click.Context, name: str, slug: str, phase: str, output: str) -> None:
    """Write the board in FORMAT; without it, list the formats, and why one cannot be used."""
    session, params = server_of(context).session, {"phase": phase} if phase else {}
    path = f"challenges/{slug}/exports/"
    if not name:
        formats = session.json("GET", path, params=params)
        show(formats, table(formats, ("key", "label", "problem")))
        return
    answer = session.request("GET", f"{path}{name}/", params=params)
    _, _, sent = answer.headers.get("Content-Disposition", "").partition('filename="')
    _write(answer.content, output, Path(sent.rstrip('"') or f"{slug}-{name}").name)


def _write(content: bytes, output: str, otherwise: str) -> None:
    """Write a file. output: its name, `-` for the standard output, "" for `otherwise`."""
    if output == "-":
        sys.stdout.buffer.write(content)
        return
    target = Path(output or otherwise)
    target.write_bytes(content)
    say(f"Wrote {target}, {len(content)} bytes.")
    show({"file": str(target), "bytes": len(content)}, "")
