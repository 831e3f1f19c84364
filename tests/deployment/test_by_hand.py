"""The manual installation of docs/deploy.md, its upgrade and the way back, by an ordinary user."""

from __future__ import annotations

import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path

import psycopg
import pytest

from tests.full.stack import PAGE
from tests.helpers.by_hand import (
    Units,
    as_ordinary_user,
    environment,
    home,
    is_well,
    postgres,
    units,
)
from tests.processes import ROOT, eventually, once

__all__ = ["environment", "home", "postgres", "units"]

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]

IN_THE_IMAGE = (ROOT / ".dockerignore").read_text()
STYLES = Path("pages", "pages.css")
PLANTED = """from django.db import migrations


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "{newest}")]
    operations = [migrations.RunSQL("CREATE TABLE planted (id integer)")]
"""


def test_an_ordinary_user_can_follow_the_page(
    home: Path, environment: dict[str, str], units: Units
) -> None:
    units.stop("podium-beat.service")  # optional
    is_well(environment)
    units.start("podium-beat.service")
    assert "superuser privileges" not in (home / "worker.log").read_text()
    key = home / "data" / "web" / "secret_key"
    assert stat.S_IMODE(key.stat().st_mode) == 0o600
    assert not (home / "data" / "secret_key").exists()


class Operator:
    """Types the page's commands, in the folders that it names."""

    def __init__(self, units: Units) -> None:
        self.units = units
        self.folder = units.link
        self.places = {
            "/srv/": f"{units.link.parent}/",
            "/var/lib/podium/": f"{units.environment['DATA_DIR']}/",
        }

    def type(self, line: str) -> str:
        """Run a command of the page; return what it was."""
        for place, ours in self.places.items():
            line = line.replace(place, ours)
        program, *words = line.split()
        if program == "systemctl":
            self.units.systemctl(*words)
        elif program == "ln":
            subprocess.run([program, *words], check=True)
        elif program == "cd":
            self.folder = Path(words[0])
        elif program in ("python3", ".venv/bin/pip"):
            assert self.folder.name == "podium-1.1", "the packages of the old version stay"
            assert words == ["-m", "venv", ".venv"] or (self.folder / words[-1]).is_file()
        else:
            assert program == ".venv/bin/python"
            # on a busy machine a worker may be stopped before it has told that it ends
            eventually(lambda: self.run(words).returncode == 0, every=2)
            return words[0]
        return program

    def run(self, words: list[str]) -> subprocess.CompletedProcess[str]:
        command, variables = as_ordinary_user([sys.executable, *words]), self.units.environment
        return subprocess.run(
            command, cwd=self.folder, env=variables, capture_output=True, text=True, check=False
        )


def put_new_version_beside(old: Path) -> Path:
    """Copy the code, with one more migration and another style sheet; return its folder."""
    new = old.parent / "podium-1.1"
    for name in re.findall(r"^!(.+?)/?$", IN_THE_IMAGE, re.MULTILINE):
        copied = new / name
        copied.parent.mkdir(exist_ok=True)
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, copied)
        else:
            shutil.copy2(ROOT / name, copied)
    migrations = new / "leaderboard" / "migrations"
    newest = max(path.stem for path in migrations.glob("[0-9]*.py"))
    (migrations / "9999_planted.py").write_text(PLANTED.format(newest=newest))
    with (new / "static" / STYLES).open("a") as styles:
        styles.write("\n.planted { color: inherit }\n")
    return new


def test_an_ordinary_user_can_upgrade_and_go_back(
    environment: dict[str, str], units: Units
) -> None:
    """Each command of the page runs in its order; the new version has one more migration."""
    upgrade, back = map(commands, sections())
    new = put_new_version_beside(units.link)
    operator = Operator(units)
    is_well(environment)
    create_user("before", environment)
    operator.folder = new
    too_early = operator.run(["manage.py", "backup", str(units.home / "early.backup")])
    assert "the database is not up to date" in too_early.stderr

    assert list(map(operator.type, upgrade)).count("manage.py") == 5
    is_well(environment)
    assert units.folders() == {new}
    assert (has_planted_table(environment), has_planted_style(environment)) == (True, True)
    create_user("after", environment)

    without = [line for line in back if "restore" not in line]
    assert list(map(operator.type, without)).count("manage.py") == 1
    is_well(environment)
    assert units.folders() == {ROOT}
    assert (has_planted_table(environment), has_planted_style(environment)) == (True, False)
    assert people(environment) == {"before", "after"}

    assert list(map(operator.type, back)).count("manage.py") == 2
    is_well(environment)
    assert (has_planted_table(environment), people(environment)) == (False, {"before"})
    assert units.commands == [
        "start podium.target",
        *(f"restart podium-{name}.service" for name in ("worker", "web", "beat")),
        *["stop podium.target", "start podium.target"] * 2,
    ]


def sections() -> tuple[str, str]:
    """Return the sections about an upgrade and the way back."""
    section = PAGE.partition("\n## Upgrade\n")[2].partition("\n## ")[0]
    upgrade, _, back = section.partition("\n### Going back\n")
    return upgrade, back


def commands(section: str) -> list[str]:
    """Return the commands of a section."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", section, re.DOTALL | re.MULTILINE)
    return "".join(blocks).splitlines()


def create_user(name: str, environment: dict[str, str]) -> None:
    words = ["manage.py", "create_token", name, "--create", "--scope", "submit"]
    once(as_ordinary_user([sys.executable, *words]), environment)


def people(environment: dict[str, str]) -> set[str]:
    return stored("SELECT username FROM leaderboard_user", environment)


def has_planted_table(environment: dict[str, str]) -> bool:
    return "planted" in stored("SELECT tablename FROM pg_tables", environment)


def stored(query: str, environment: dict[str, str]) -> set[str]:
    """Return a column of the database."""
    with psycopg.connect(environment["DATABASE_URL"], client_encoding="utf8") as connection:
        return {value for (value,) in connection.execute(query)}


def has_planted_style(environment: dict[str, str]) -> bool:
    """Return whether the collected style sheet is that of the new version."""
    return ".planted" in Path(environment["STATIC_ROOT"], STYLES).read_text()
