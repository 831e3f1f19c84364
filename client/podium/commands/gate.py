"""A gate for CI: is a candidate good enough beside a baseline?"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import click

from podium.commands.output import challenge_of, common, in_challenge, say, show

STATES: Final = {"pass": 0, "fail": 1, "unclear": 4}
WORDS: Final = {"pass": "passes", "fail": "fails", "unclear": "cannot be decided"}


@click.command()
@in_challenge
@click.option("--candidate", required=True, help="A file or a folder, as for submit.")
@click.option("--baseline", required=True, help="The id of an attempt, or a participant's slug.")
@click.option(
    "--require",
    type=click.Choice(("not-worse", "non-inferior", "better")),
    default="not-worse",
    help="What lets the candidate pass.",
)
@click.option("--margin", type=float, help="How much worse it may be, for non-inferior.")
@click.option("--metric", default="", help="What decides; by default what the board ranks by.")
@click.option("--unclear", type=click.Choice(("pass", "fail")), help="What unclear counts as.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Also write a report there.")
@common
def gate(
    context: click.Context,
    slug: str,
    candidate: str,
    baseline: str,
    require: str,
    margin: float | None,
    metric: str,
    unclear: str | None,
    markdown: Path | None,
) -> None:
    """Compare a candidate with a baseline on the server, task by task. Nothing is kept there.

    Exit codes: 0 it passes, 1 it fails, 4 the tasks cannot decide (see --unclear).
    """
    challenge = challenge_of(context, slug)
    answer = challenge.gate(candidate, baseline, require=require, margin=margin, metric=metric)
    text = report(answer, challenge.session.absolute(answer["baseline"]["html_url"]))
    if markdown is not None:
        markdown.write_text(text, "utf-8")
    show(answer, text)
    say(f"The gate {WORDS[answer['state']]}: {answer['reason']}")
    state = answer["state"]
    context.exit(STATES[unclear if state == "unclear" and unclear else state])


def report(answer: Any, baseline_url: str) -> str:
    """The answer as Markdown, for a pull request."""
    lines = [
        f"**The gate {WORDS[answer['state']]}** ({answer['require']}): {answer['reason']}",
        "",
        f"Baseline: [{_plain(answer['baseline']['participant'])}]({baseline_url})",
        "",
        "| metric | candidate | baseline | difference | 95 % | tasks |",
        "|---|---:|---:|---:|---|---:|",
    ]
    for metric in answer["metrics"]:
        name = f"**{_plain(metric['label'])}**" if metric["key"] == answer["metric"] else None
        low, high = metric["interval"] or (None, None)
        interval = "" if low is None else f"{_number(low)} to {_number(high)}"
        cells = [
            name or _plain(metric["label"]),
            *(_number(metric[key]) for key in ("first", "second", "difference")),
            interval,
            str(metric["shared"]),
        ]
        lines.append(f"| {' | '.join(cells)} |")
    decisive = next(metric for metric in answer["metrics"] if metric["key"] == answer["metric"])
    if decisive["tasks"]:
        count, listed = decisive["differing"], decisive["tasks"]
        lines += ["", f"<details><summary>{count} tasks differ</summary>", ""]
        lines += ["| task | candidate | baseline |", "|---|---:|---:|"]
        lines += [
            f"| {_plain(row['task'])} | {_number(row['first'])} | {_number(row['second'])} |"
            for row in listed
        ]
        lines += ["", "</details>"]
    return "\n".join(lines)


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.4g}"


def _plain(text: str) -> str:
    """A text without what Markdown or HTML would read in it."""
    escaped = text.replace("&", "&amp;").replace("<", "&lt;").replace("\n", " ")
    for mark in "\\`*_[]|@#":
        escaped = escaped.replace(mark, f"\\{mark}")
    return escaped
