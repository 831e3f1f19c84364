"""A challenge as a folder: `podium challenge …`."""

from __future__ import annotations

import difflib
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import click

from podium.commands.output import common, say, server_of, show
from podium.errors import PodiumError, Refused, WrongUse
from podium.folders import (
    SETTINGS,
    Lock,
    packed,
    read_document,
    read_lock,
    slug_of,
    unpacked,
    write_document,
    write_lock,
)
from podium.http import Session
from podium.yaml_files import yaml_text

TEMPLATES: Final = ("class", "shared-task", "agents", "predictions", "gate")
TRUTH: Final = "id,price,usage\n1,10,Public\n2,12,Public\n3,9,Private\n4,15,Private\n"
ZIP: Final = {"Content-Type": "application/zip"}

in_folder = click.argument("folder", type=click.Path(path_type=Path), default=Path())


@click.group()
def challenge() -> None:
    """Keep a challenge as a folder.

    A folder has the rules of a challenge: settings, phases, pages, announcements, tasks and
    references. People, attempts and whether it is published stay on the server.
    """


@challenge.command()
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--template", type=click.Choice(TEMPLATES), default="class", help="What for.")
@common
def init(context: click.Context, folder: Path, template: str) -> None:
    """Make FOLDER, from a template."""
    if (folder / SETTINGS).exists():
        raise WrongUse(f"folder: must have no {SETTINGS}; {folder} has one")
    text = files("podium").joinpath("templates", f"{template}.yaml").read_text("utf-8")
    slug = "".join(c if c.isalnum() else "-" for c in folder.resolve().name.lower()).strip("-")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SETTINGS).write_text(text.replace("SLUG", slug or "challenge"), "utf-8")
    if template == "predictions":
        truth = folder / "files" / "truth" / "truth.csv"
        truth.parent.mkdir(parents=True, exist_ok=True)
        truth.write_text(TRUTH, "utf-8")
    pages = folder / "pages"
    pages.mkdir(exist_ok=True)
    (pages / "description.md").write_text("What this challenge is about.\n", "utf-8")
    (pages / "goal.md").write_text("What counts as success.\n", "utf-8")
    show({"folder": str(folder), "slug": slug or "challenge"}, "")
    say(f"Wrote {folder / SETTINGS}. Edit it, then run: podium challenge lint {folder}")


@challenge.command()
@in_folder
@common
def lint(context: click.Context, folder: Path) -> None:
    """Let the server check FOLDER; nothing is kept."""
    slug, session = slug_of(folder), server_of(context).session
    answer = _put(session, slug, packed(folder), dry_run=True)
    say(f"{slug} is valid.")
    show(answer, "")


@challenge.command()
@in_folder
@common
def diff(context: click.Context, folder: Path) -> None:
    """Say what a push of FOLDER would change. Exit code 1 if it would change something."""
    slug, session = slug_of(folder), server_of(context).session
    answer = _put(session, slug, packed(folder), dry_run=True)
    stored = {} if answer["created"] else unpacked(_get(session, slug)[0])[0]
    local = read_document(folder)
    lines: list[str] = []
    for name in answer["changed"]:
        lines += _lines(name, stored.get(name), local.get(name))
    show(answer, "\n".join(lines))
    if not answer["changed"]:
        return
    say(_consequence(answer))
    context.exit(1)


@challenge.command()
@in_folder
@click.option("--dry-run", is_flag=True, help="Say what would change, and change nothing.")
@click.option("--force", is_flag=True, help="Even if the challenge has changed since the pull.")
@click.option("--tenant", default="", help="Of a new challenge, if you organise several.")
@common
def push(context: click.Context, folder: Path, dry_run: bool, force: bool, tenant: str) -> None:
    """Make the challenge what FOLDER says; a new one is a draft.

    Refused if someone else has changed the challenge since your last pull or push.
    """
    slug, session = slug_of(folder), server_of(context).session
    lock = read_lock(folder)
    etag = lock.etag if lock and (lock.server, lock.slug) == (session.url, slug) else ""
    if not (etag or force) and _exists(session, slug):
        raise PodiumError(f"{slug} exists at {session.url}: pull it first, or push with --force.")
    answer = _put(
        session, slug, packed(folder), etag="" if force else etag, dry_run=dry_run, tenant=tenant
    )
    if not dry_run:
        write_lock(folder, Lock(session.url, slug, answer["etag"]))
    say(", ".join(answer["changed"]) or "Nothing changes.")
    say(_consequence(answer))
    show(answer, "")
    say(session.absolute(answer["html_url"]))


@challenge.command()
@in_folder
@common
def pull(context: click.Context, folder: Path) -> None:
    """Make FOLDER what the challenge is at the server. Files that say the same stay."""
    _pull(server_of(context).session, slug_of(folder), folder)


@challenge.command()
@click.argument("slug")
@click.argument("folder", type=click.Path(path_type=Path), required=False)
@common
def clone(context: click.Context, slug: str, folder: Path | None) -> None:
    """Make a folder of the challenge SLUG, which you organise."""
    folder = folder or Path(slug)
    if (folder / SETTINGS).exists():
        raise WrongUse(f"folder: must have no {SETTINGS}; {folder} has one: use pull")
    _pull(server_of(context).session, slug, folder)


@challenge.command()
@in_folder
@click.option("--dry-run", is_flag=True, help="Say whether it can be published, and do not.")
@common
def publish(context: click.Context, folder: Path, dry_run: bool) -> None:
    """Publish the draft, for good."""
    slug, session = slug_of(folder), server_of(context).session
    params = {"dry_run": "1"} if dry_run else {}
    answer = session.json("POST", f"challenges/{slug}/publish/", params=params)
    if dry_run:
        show(answer, "")
        say("This would be published.")
        return
    _content, etag = _get(session, slug)
    if read_lock(folder):
        write_lock(folder, Lock(session.url, slug, etag))
    show(answer, "")
    say(f"Published: {session.absolute(answer['html_url'])}")


def _pull(session: Session, slug: str, folder: Path) -> None:
    content, etag = _get(session, slug)
    if not _says_so(session, slug, folder):
        document, files = unpacked(content)
        write_document(folder, slug, document, files)
    write_lock(folder, Lock(session.url, slug, etag))
    show({"folder": str(folder), "slug": slug, "server": session.url, "etag": etag}, "")
    say(f"{folder} is {slug} of {session.url}.")


def _says_so(session: Session, slug: str, folder: Path) -> bool:
    """Whether a folder says what the challenge is, though perhaps in other words."""
    try:
        return not _put(session, slug, packed(folder), dry_run=True)["changed"]
    except (Refused, WrongUse):  # no folder yet, or a wrong one
        return False


def _get(session: Session, slug: str) -> tuple[bytes, str]:
    """The zip file of a challenge, and its ETag."""
    answer = session.request("GET", f"challenges/{slug}/folder/")
    return answer.content, answer.headers["ETag"]


def _exists(session: Session, slug: str) -> bool:
    try:
        session.request("GET", f"challenges/{slug}/")
    except Refused as refused:
        if refused.status == 404:
            return False
        raise
    return True


def _put(
    session: Session,
    slug: str,
    content: bytes,
    *,
    etag: str = "",
    dry_run: bool = False,
    tenant: str = "",
) -> dict[str, Any]:
    """Send a folder: what it changes, and under `etag` the new ETag."""
    params = {"dry_run": "1" if dry_run else "", "tenant": tenant}
    answer = session.request(
        "PUT",
        f"challenges/{slug}/folder/",
        content=content,
        headers={**ZIP, **({"If-Match": etag} if etag else {})},
        params={name: value for name, value in params.items() if value},
    )
    return {**answer.json(), "etag": answer.headers["ETag"]}


def _lines(name: str, stored: Any, local: Any) -> list[str]:
    """The difference of a field, line by line."""
    before, after = (
        [] if value is None else yaml_text({name: value}).splitlines() for value in (stored, local)
    )
    return [
        line
        for line in difflib.unified_diff(before, after, lineterm="", n=2)
        if not line.startswith(("---", "+++", "@@"))
    ] or [f"  {name}"]


def _consequence(answer: dict[str, Any]) -> str:
    """What follows from a change, in a sentence."""
    if answer["created"]:
        return "The challenge is new, and a draft."
    if answer["attempts"]:
        version, count = answer["scoring_version"], answer["attempts"]
        return f"Scoring version {version}: {count} attempts wait for a rescore."
    return f"Scoring version {answer['scoring_version']}."
