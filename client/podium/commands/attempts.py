"""Submitting, and reading attempts."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from podium.commands.output import (
    challenge_of,
    common,
    in_challenge,
    in_phase,
    progress,
    say,
    server_of,
    show,
    table,
)
from podium.errors import Undecided, WrongUse

if TYPE_CHECKING:
    from podium.types import Attempt

FIRST: Final = ("id", "participant", "phase", "status")
LAST: Final = ("rank", "submitted_at")
MOST_METRICS: Final = 4
KINDS: Final = ("attempt", "attempts", "outputs", "evaluation", "file", "predictions")


def _evidence(command: Any) -> Any:
    """The options that say what is submitted."""
    options = (
        click.option("-p", "--participant", default="", help="Who takes part."),
        click.option("-m", "--note", default="", help="A note about the attempt."),
        click.option("--name", default="", help="How a new participant is shown."),
        click.option("--fact", "facts", multiple=True, help="NAME=VALUE, such as succeeded=true."),
        click.option("--value", "values", multiple=True, help="NAME=NUMBER: a reported value."),
        click.option("--meta", multiple=True, help="NAME=TEXT, such as model=atlas-2."),
        click.option("--as", "kind", type=click.Choice(KINDS), help="What the file holds."),
        in_phase,
        in_challenge,
    )
    for option in options:
        command = option(command)
    return command


@click.command()
@click.argument("file", default="")
@_evidence
@click.option("--again", is_flag=True, help="Submit the same once more.")
@click.option("--dry-run", is_flag=True, help="Check it, and keep nothing.")
@click.option("--wait", is_flag=True, help="Wait until it is scored.")
@click.option("--timeout", default=600.0, help="How many seconds to wait.")
@common
def submit(
    context: click.Context,
    file: str,
    slug: str,
    again: bool,
    dry_run: bool,
    wait: bool,
    timeout: float,
    **options: Any,
) -> None:
    """Submit FILE: an attempt as JSON, outputs of a model, attempts one a line, predictions, or a
    result file or folder of a tool. `-` reads an attempt from the standard input; without FILE,
    --fact and --value describe the attempt.

    The same command again submits nothing new, unless --again.
    """
    source: Any = file or None
    if file == "-":
        source = _json(sys.stdin.read(), "file")
    made = challenge_of(context, slug).submit(
        source,
        kind=options.pop("kind"),
        again=again,
        dry_run=dry_run,
        wait=wait,
        timeout=timeout,
        progress=progress,
        **_details(**options),
    )
    if dry_run:
        _show_dry_run(made)
        return
    _show(context, made)


@click.command()
@click.argument("file")
@_evidence
@common
def check(context: click.Context, file: str, slug: str, **options: Any) -> None:
    """Let the server check FILE as if it were submitted; nothing is kept."""
    kind = options.pop("kind")
    checked = challenge_of(context, slug).submit(
        file, kind=kind, dry_run=True, progress=progress, **_details(**options)
    )
    _show_dry_run(checked)


@click.command()
@in_challenge
@in_phase
@click.option("-p", "--participant", default="", help="Only this participant's.")
@click.option("--status", default="", help="Only queued, scoring, scored or failed ones.")
@click.option("--mine", is_flag=True, help="Only those that you have submitted.")
@click.option("--limit", default=50, type=click.IntRange(min=1), help="How many, at most.")
@common
def attempts(
    context: click.Context,
    slug: str,
    phase: str,
    participant: str,
    status: str,
    mine: bool,
    limit: int,
) -> None:
    """List attempts, the newest first."""
    filters = {"participant": participant, "status": status, "phase": phase, "mine": "1" * mine}
    rows = challenge_of(context, slug).attempts(
        most=limit, **{name: value for name, value in filters.items() if value}
    )
    show(rows, attempts_table(rows))


@click.command()
@click.argument("attempt_id")
@common
def attempt(context: click.Context, attempt_id: str) -> None:
    """Show the attempt with this id."""
    attempt = server_of(context).challenge("").attempt(attempt_id)
    _show(context, [attempt])


@click.command()
@in_challenge
@in_phase
@common
def quota(context: click.Context, slug: str, phase: str) -> None:
    """Say which phase is open, and how many attempts are left."""
    answer = challenge_of(context, slug).quota(phase)
    rows = [
        {"participant": own["participant"], **limit}
        for own in answer["participants"]
        for limit in own["quotas"]
    ]
    say(f"{answer['phase']}: {answer['state']}")
    show(answer, table(rows, ("participant", "quota", "used", "limit", "next_at")) if rows else "")


def attempts_table(attempts: Sequence[Attempt]) -> str:
    """A line for each attempt, with its score; where there are none, with its first metrics."""
    values = [
        {name: metric["value"] for name, metric in attempt["metric_values"].items()}
        for attempt in attempts
    ]
    names = list(dict.fromkeys(name for row in values for name in row))[:MOST_METRICS]
    if not names or any(attempt["score"] is not None for attempt in attempts):
        return table(attempts, (*FIRST, "score", *LAST))
    rows = [{**row, **attempt} for row, attempt in zip(values, attempts, strict=True)]
    return table(rows, (*FIRST, *names, *LAST))


def _show(context: click.Context, made: Sequence[Attempt]) -> None:
    """Write attempts; exit with 4 if one has failed."""
    show(made, attempts_table(made))
    session = server_of(context).session
    failed = [attempt for attempt in made if attempt["status"] == "failed"]
    for attempt in failed:
        error = attempt["error"]
        say(f"{attempt['id']}: {error['message'] if error else 'no score'}")
    if len(made) == 1:
        say(session.absolute(made[0]["html_url"]))
    if failed:
        raise Undecided(f"{len(failed)} of {len(made)} attempts have no score.")


def _show_dry_run(answers: Sequence[Any]) -> None:
    """Say what would be accepted, and what the rules of admission have against it."""
    verdicts: set[str | None] = set()
    for answer in answers:
        verdicts.update(answer.get("verdicts") or ())  # of all attempts of a large file
        for text in answer.get("warnings") or ():  # of a result file
            say(text)
        for row in answer.get("rows") or answer.get("admission") or [answer]:
            verdicts.add(row.get("verdict"))
            who = row.get("participant") or f"line {row.get('line')}"
            for finding in row.get("findings") or ():
                say(f"{who}: {finding['verdict']} by {finding['rule']}: {finding['text']}")
    refused = "refused" in verdicts
    say("This would be sent, but would not count." if refused else "This would be accepted.")
    show(answers, "")


def _details(
    facts: Iterable[str], values: Iterable[str], meta: Iterable[str], **texts: str
) -> Mapping[str, Any]:
    """The fields of an attempt that options describe."""
    numbers = {name: _json(text, name) for name, text in _pairs(values, "value")}
    metrics = {name: _json(text, name) for name, text in _pairs(facts, "fact")}
    fields = {"metrics": metrics, "values": numbers, "meta": dict(_pairs(meta, "meta")), **texts}
    return {name: value for name, value in fields.items() if value}


def _pairs(texts: Iterable[str], option: str) -> Iterable[tuple[str, str]]:
    for text in texts:
        name, equals, value = text.partition("=")
        if not (name and equals):
            raise WrongUse(f"--{option}: must be NAME=VALUE; got {text}")
        yield name, value


def _json(text: str, name: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise WrongUse(f"{name}: must be JSON, such as 7 or true; got {text[:80]}") from None
