"""What commands write: data to the standard output, words to the standard error."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import wraps
from typing import Any, TypeVar

import click

from podium.challenges import Challenge
from podium.errors import PodiumError, Refused, Unreachable, WrongUse
from podium.servers import Server, connect

Command = TypeVar("Command", bound=Callable[..., Any])


def say(text: str) -> None:
    """Write a sentence for people."""
    click.echo(text, err=True)


def show(data: Any, text: str | None = None) -> None:
    """Write data: as JSON with `--json`, else the text; JSON as well without one."""
    if text is None or click.get_current_context().obj["json"]:
        click.echo(json.dumps(data, indent=2, ensure_ascii=False))
    elif text:
        click.echo(text)


def table(rows: Iterable[Mapping[str, Any]], names: Sequence[str]) -> str:
    """Rows as an aligned table; numbers to the right, nothing for None."""
    cells = [[_cell(row.get(name)) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(names, *cells, strict=True)]
    are_numbers = [
        all(_is_number(line[at]) for line in cells if line[at]) for at in range(len(names))
    ]
    return "\n".join(
        "  ".join(
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(line, widths, are_numbers, strict=True)
        ).rstrip()
        for line in [list(names), *cells]
    )


def progress(what: str, done: int, total: int) -> None:
    """Show how far something is, on a terminal."""
    if sys.stderr.isatty():
        end = "\n" if done >= total else ""
        sys.stderr.write(f"\r{what}: {done} of {total}{end}")
        sys.stderr.flush()


def server_of(context: click.Context) -> Server:
    """The server that the command is for."""
    return connect(server=context.obj["server"])


def challenge_of(context: click.Context, slug: str) -> Challenge:
    """The challenge that the command is for."""
    return server_of(context).challenge(slug)


def common(command: Command) -> Command:
    """The options of every command, and the exit codes of its errors."""

    @click.option("--server", default=None, help="A server of `podium login`, by its name.")
    @click.option("--json", "as_json", is_flag=True, help="Write the answer as JSON.")
    @wraps(command)
    def run(server: str | None, as_json: bool, **options: Any) -> Any:
        context = click.get_current_context()
        context.obj = {"server": server or "", "json": as_json}
        try:
            return command(context, **options)
        except PodiumError as error:
            say(f"Error: {error}")
            if isinstance(error, Refused):
                for place, texts in error.fields.items():
                    for text in texts:
                        if f"{place}: {text}" not in str(error):
                            say(f"  {place}: {text}")
            context.exit(error.exit_code)
        except BrokenPipeError:
            raise  # click ends without a word
        except OSError as error:
            say(f"Error: {error.filename or 'file'}: {error.strerror or error}")
            context.exit(WrongUse.exit_code)
        except (AttributeError, KeyError, TypeError) as error:
            say(f"Error: The server answers what this version does not understand: {error!r}")
            context.exit(Unreachable.exit_code)

    return run  # type: ignore[return-value]


in_challenge = click.option(
    "-c",
    "--challenge",
    "slug",
    required=True,
    envvar="PODIUM_CHALLENGE",
    help="The challenge: the last part of its address.",
)
in_phase = click.option("--phase", default="", help="The phase, by its slug.")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
