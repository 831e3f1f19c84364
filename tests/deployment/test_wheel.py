"""The wheel is the whole product: in an empty environment, `podium-server up` serves it."""

import os
import re
import stat
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator
from email.parser import HeaderParser
from pathlib import Path
from typing import NamedTuple

import pytest

from leaderboard.version import VERSION
from tests.helpers.wheels import build_wheel, install
from tests.processes import ROOT, Site, eventually, running

pytestmark = [pytest.mark.once, pytest.mark.slow]


class Installed(NamedTuple):
    wheel: Path
    home: Path
    programs: Path

    def run(self, *arguments: str, **variables: str) -> str:
        """Return the output of `podium-server`, in an environment with only a home."""
        ended = subprocess.run(
            [self.programs / "podium-server", *arguments],
            cwd=self.home,
            env={"HOME": str(self.home)} | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stdout + ended.stderr
        return ended.stdout


@pytest.fixture(scope="module")
def installed() -> Iterator[Installed]:
    # outside pytest's own folder, which the plugins' user cannot enter
    with tempfile.TemporaryDirectory(prefix="podium-wheel-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        (folder / "home").mkdir(mode=0o755)
        wheel = build_wheel(folder)
        yield Installed(wheel, folder / "home", install(wheel, folder / "environment"))


def test_the_wheel_holds_every_file_of_the_product(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        inside = {name for name in archive.namelist() if ".dist-info/" not in name}
    packages = {path for name in ("leaderboard", "scorers") for path in files(name)}
    beside = {
        f"leaderboard/_files/{path}" for name in ("templates", "static") for path in files(name)
    }
    assert inside == packages | beside
    assert len(beside) > 50


def files(folder: str) -> set[str]:
    """Return the files below a folder of the project that git would track."""
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }


def test_the_wheel_has_its_metadata(installed: Installed) -> None:
    with zipfile.ZipFile(installed.wheel) as archive:
        [name] = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        metadata = HeaderParser().parsestr(archive.read(name).decode())
        names = archive.namelist()
    assert metadata["Version"] == VERSION
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata["Author"] == "The Podium authors"
    assert metadata.get_all("License-File") == ["LICENSE"]
    assert [name for name in names if name.endswith(".dist-info/licenses/LICENSE")]
    assert "Framework :: Django :: 5.2" in metadata.get_all("Classifier", [])


def test_the_console_script_has_the_commands_of_manage_py(installed: Installed) -> None:
    assert installed.run("version") == f"{VERSION}\n"
    assert "import_results" in installed.run("help")
    assert installed.run("import_results", "--help").startswith(
        "usage: podium-server import_results"
    )


def test_a_wrong_setting_is_one_line(installed: Installed) -> None:
    ended = subprocess.run(
        [installed.programs / "podium-server", "check"],
        env={"HOME": str(installed.home), "WEB_CONCURRENCY": "many"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 1
    assert re.fullmatch(r"error: WEB_CONCURRENCY='many' .*\n", ended.stderr)


def test_static_files_are_collected_from_the_wheel(installed: Installed) -> None:
    folder = installed.home / "collected"
    assert "static files copied" in installed.run("collectstatic", STATIC_ROOT=str(folder))
    assert (folder / "pages" / "pages.css").read_bytes() == (
        ROOT / "static" / "pages" / "pages.css"
    ).read_bytes()
    assert (folder / "staticfiles.json").is_file()


@pytest.mark.embedded
def test_the_server_of_the_wheel_works(installed: Installed) -> None:
    """In an environment with only HOME, which is not the tester's own."""
    output = installed.home / "output"
    command = [str(installed.programs / "podium-server"), "up", "--port", "0"]
    with running(command, {"HOME": str(installed.home)}, output, cwd=installed.home) as process:

        def ready() -> re.Match[str] | None:
            assert process.poll() is None, output.read_text()
            return re.search(r"^ready http://127\.0\.0\.1:(\d+)$", output.read_text(), re.MULTILINE)

        ready_line = eventually(ready)
        assert ready_line
        site = Site(int(ready_line[1]))
        assert "/c/prompt-escape/" in site.page("/")
        [first, *_] = eventually(lambda: site.board("prompt-escape"))
        assert first["rank"] == 1
        board = site.page("/c/prompt-escape/")
        assert f'href="/c/prompt-escape/p/{first["participant"]["slug"]}/"' in board
        [css] = set(re.findall(r'href="(/static/pages/pages\.[0-9a-f]{12}\.css)"', board))
        assert site.page(css) == (ROOT / "static" / "pages" / "pages.css").read_text()
        assert "WeightedScorer" in site.page("/plugins/")
        assert "openapi:" in site.page("/api/schema/")
    data = installed.home / ".local" / "share" / "podium"
    assert (data / "db.sqlite3").is_file()
    assert stat.S_IMODE(os.stat(data / "secret_key").st_mode) == 0o600
