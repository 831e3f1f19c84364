"""The documentation is right: its commands run, its links work, and nothing is missing."""

import html
import json
import re
import tempfile
from argparse import SUPPRESS
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from tests.full.stack import documented
from tests.helpers.newcomer import Newcomer
from tests.processes import ROOT, Site, eventually

pytestmark = pytest.mark.once

PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "scorers/README.md")
LINKED = [*PAGES, *(ROOT / name for name in BESIDE)]
FENCE = re.compile(r'^```(\w+)(?: title="(.+?)")?\n(.*?)^```$', re.DOTALL | re.MULTILINE)

ELSEWHERE = {
    r"make up": "the server that the other commands talk to",
    r"\.venv/bin/python manage\.py up --host 127\.0\.0\.1 --port 8000": "what `make up` runs",
    r"make test": "runs this test",
    r"make bench": "takes twenty minutes; tests/deployment runs it on a small scale",
    r".*-m tests\.faults": "takes ten minutes; `make test-all` runs the same tests",
    r"python3 ops/docker/.*": "no such file; tests/sandbox/isolation types it",
    r"docker compose .*": "there is no Docker here; tests/deployment checks the file",
    r"python3 -m venv \.venv": "the Makefile's own way, which .ci/run goes",
    r"make messages": "needs GNU gettext; tests/translation compares what it would write",
    r"make wheel|python3 -m venv ~/podium|~/podium/.*": "tests/deployment installs a wheel",
    r"\.venv/bin/pip install .*": "fetches packages; .ci/run installs from the same lock",
    r"psql .*podium\.sql": "tests/deployment types it into a database of its own",
    r"(useradd|install|systemctl|systemd-run|mv) .*": "changes the machine; see tests/deployment",
    r"(cd|ln) .*|.*manage\.py backup /.*": "tests/deployment types it in folders of its own",
    r".*manage\.py collectstatic .*--clear": "tests/deployment types it",
    r".*manage\.py restore .*": "no worker may live; tests/full/test_by_hand.py runs it",
    r"(export )?[A-Z_]+=\S+( \w+)*": "a setting; tests/deployment has them all",
    r"curl .*\$PROMETHEUS_TOKEN.*": "tests/deployment asks /metrics",
    r".*import_(results|registry) .*": "no such file; tests/management/test_imports.py has some",
    r"curl .*/imports/.*": "no such file; tests/api/attempts/test_imports.py has some",
    r"curl .*file=@predictions\.csv": "no such file; tests/api/attempts has some",
    r".*revoke_token pod_1a2b.*": "no such token; tests/management/test_tokens.py revokes one",
}
BY_HAND = ("migrate", "collectstatic", "check", "gunicorn", "worker", "beat", "redis-server")
FAILS_WHERE_SOMETHING_IS_OPEN = "leaderboard.sandbox report"


class Block(NamedTuple):
    language: str
    title: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(fence[1], fence[2] or "", fence[3]) for fence in FENCE.finditer(page.read_text())]


def commands(page: Path) -> list[str]:
    """Return each command of a page; continuation lines are joined."""
    texts = [block.text for block in blocks(page) if block.language == "sh"]
    lines = re.sub(r"\\\n\s*", "", "".join(texts)).splitlines()
    return [line.partition("  #")[0].strip() for line in lines if line.strip()]


def reason_not_to_run(command: str) -> str:
    for pattern, reason in ELSEWHERE.items():
        if re.fullmatch(pattern, command):
            return reason
    by_hand = {tuple(documented(word)[1:]) for word in BY_HAND}
    return (
        "tests/full runs it" if any(set(words) <= set(command.split()) for words in by_hand) else ""
    )


ALL = [(page, command) for page in PAGES for command in commands(page)]
TYPED = {command: page for page, command in ALL if not reason_not_to_run(command)}
"""Each command with the last page that has it."""


@pytest.fixture(scope="module")
def newcomer() -> Iterator[tuple[Newcomer, Site]]:
    # outside pytest's own folder, which the plugins' user cannot enter
    with tempfile.TemporaryDirectory(prefix="podium-newcomer-") as folder:
        Path(folder).chmod(0o755)
        someone = Newcomer(Path(folder))
        for page in PAGES:
            for block in blocks(page):
                if block.title:
                    someone.write(block.title, block.text)
        someone.write("facts.json", json.dumps({"succeeded": True}))
        with someone.server("make up") as site:
            someone.type(".venv/bin/python manage.py create_token alice --create --scope submit")
            token = someone.type(
                ".venv/bin/python manage.py create_token ada --create --scope submit"
            )
            someone.environment["TOKEN"] = token.stdout.strip()
            eventually(
                lambda: json.loads(site.page("/status.json"))["oldest_waiting_seconds"] is None
            )
            yield someone, site


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "page"),
    TYPED.items(),
    ids=lambda value: value.name if isinstance(value, Path) else None,
)
def test_each_command_runs(newcomer: tuple[Newcomer, Site], page: Path, command: str) -> None:
    someone, _ = newcomer
    ended = someone.type(command)
    allowed = (0, 1) if command.endswith(FAILS_WHERE_SOMETHING_IS_OPEN) else (0,)
    assert ended.returncode in allowed, ended.stdout + ended.stderr
    assert "Traceback" not in ended.stderr
    if "curl" in command and " -d " in command:
        assert json.loads(ended.stdout).get("status") == "queued", ended.stdout


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.journey
def test_the_readmes_attempt_is_scored_and_has_a_page(newcomer: tuple[Newcomer, Site]) -> None:
    someone, site = newcomer
    [curl] = [command for command in commands(ROOT / "README.md") if '"metrics"' in command]
    typed = someone.type(curl.replace("-sS", "-sS -w '%{stderr}%{http_code}'"))
    assert typed.stderr.endswith("202")
    body = json.loads(someone.type(curl).stdout)
    assert site.ended(body["id"])["score"] == 183.75
    assert "183.75" in html.unescape(site.page(body["html_url"]))


@pytest.mark.embedded
@pytest.mark.slow
def test_the_documents_of_an_evaluation_are_the_real_output(
    newcomer: tuple[Newcomer, Site],
) -> None:
    someone, _ = newcomer
    page = ROOT / "docs" / "evaluating.md"
    [command] = [command for command in commands(page) if "manage.py evaluate" in command]
    examples = {block.title: block.text for block in blocks(page)}
    assert someone.type(command).returncode == 0
    came = json.loads((someone.folder / "output.json").read_text())
    assert [len(came), came[0].keys()] == [2, {"id", "parameters", "score", "elapsed time"}]
    [wanted] = json.loads(examples["output.json"])
    assert wanted == {**came[0], "elapsed time": wanted["elapsed time"]}
    lines = (someone.folder / "log.jsonl").read_text().splitlines()
    assert [len(lines), json.loads(lines[0])] == [6, json.loads(examples["log.jsonl"])]


def test_commands_that_are_not_run_have_a_reason() -> None:
    for page, command in ALL:
        if command not in TYPED:
            print(f"{page.name}: {command}: {reason_not_to_run(command)}")
    for pattern in ELSEWHERE:
        assert [command for _, command in ALL if re.fullmatch(pattern, command)], pattern
    assert len(TYPED) > 10


def test_every_named_target_of_make_exists() -> None:
    targets = set(re.findall(r"^(\w+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in LINKED:
        named = re.findall(r"(?:`|^)(?:\w+=\w+ )?make (\w+)", page.read_text(), re.MULTILINE)
        assert set(named) <= targets, page


AS_DJANGOS = {"makemigrations", "migrate"}
"""Django's own commands, but for which changes of a model they see."""


def ours() -> list[str]:
    own = {name for name, app in get_commands().items() if app == "leaderboard"}
    return sorted(own - AS_DJANGOS)


def test_every_command_has_its_section() -> None:
    for name in ours():
        page = (ROOT / "docs" / "commands.md").read_text()
        section = page.partition(f"\n## {name}\n")[2].partition("\n## ")[0]
        assert section, name
        command = load_command_class("leaderboard", name)
        shared = {
            option
            for action in BaseCommand().create_parser("", "")._actions
            for option in action.option_strings
        }
        for action in command.create_parser("manage.py", name)._actions:
            own = [option for option in action.option_strings if option not in shared]
            if own and action.help is not SUPPRESS:
                assert any(option in section for option in own), own


def slug(heading: str) -> str:
    """Return the anchor that a heading gets on GitHub."""
    text = re.sub(r"[^\w\- ]", "", heading.replace("`", "").lower())
    return text.strip().replace(" ", "-")


@cache
def anchors(page: Path) -> set[str]:
    text = FENCE.sub("", page.read_text())
    return {slug(heading) for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE)}


def test_links_are_valid() -> None:
    for page in LINKED:
        text = re.sub(r"`[^`]*`", "", FENCE.sub("", page.read_text()))
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            if re.match(r"https?://", link):
                continue
            name, _, anchor = link.partition("#")
            target = (page.parent / name).resolve() if name else page
            assert target.exists(), link
            assert not anchor or anchor in anchors(target), link


def test_the_index_names_every_page() -> None:
    index = (ROOT / "docs" / "README.md").read_text()
    listed = set(re.findall(r"^- \[.*?\]\((.+?)\)", index, re.MULTILINE))
    own = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    elsewhere = {"decisions/README.md", "../scorers/README.md", "../client/README.md"}
    elsewhere |= {f"../{name}.md" for name in ("CHANGELOG", "CONTRIBUTING", "SECURITY")}
    assert listed == own | elsewhere
