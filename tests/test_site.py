"""The documentation builds into a site: every link works, and nothing is loaded from elsewhere."""

import re
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.processes import ROOT

pytestmark = [pytest.mark.once, pytest.mark.slow]

LOADS = {"audio", "embed", "iframe", "img", "link", "object", "script", "source", "video"}


def build(folder: Path, source: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """Build the site as `make docs` does, into another folder."""
    makefile = (ROOT / "Makefile").read_text()
    [options] = re.findall(r"-m sphinx (--quiet.*?)\. build/docs", makefile, re.DOTALL)
    words = options.replace("\\\n", " ").split()
    return subprocess.run(
        [sys.executable, "-m", "sphinx", *words, str(source), str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    built = build(folder)
    assert built.returncode == 0, built.stdout + built.stderr
    return folder


class Page(HTMLParser):
    """The URLs that a page loads, the URLs that it links, and the ids that links may name."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.loaded: list[str] = []
        self.linked: list[str] = []
        self.ids: set[str] = set()
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.ids.add(values.get("id", ""))
        address = values.get("src") or values.get("href") or values.get("data")
        if address and tag in LOADS:
            self.loaded.append(address)
        elif address:
            self.linked.append(address)


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in site.rglob("*.html") if path.name != "genindex.html"}


def test_the_site_has_every_page(site: Path) -> None:
    wanted = [*(ROOT / "docs").rglob("*.md")]
    wanted += [ROOT / f"{name}.md" for name in ("README", "CHANGELOG", "CONTRIBUTING", "SECURITY")]
    for page in wanted:
        assert (site / page.relative_to(ROOT)).with_suffix(".html").is_file(), page
    assert (site / "index.html").read_text() == (site / "README.html").read_text()


def test_links_of_the_site_are_valid(pages: dict[Path, Page]) -> None:
    checked = 0
    for path, page in pages.items():
        for link in {*page.linked, *page.loaded}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            assert target.is_file(), f"{path.name}: {link}"
            if parts.fragment and target in pages:
                assert unquote(parts.fragment) in pages[target].ids, f"{path.name}: {link}"
            checked += 1
    assert checked > 1000


def test_nothing_is_loaded_from_elsewhere(site: Path, pages: dict[Path, Page]) -> None:
    for path, page in pages.items():
        assert not [link for link in page.loaded if urlsplit(link).netloc], path
    for sheet in site.rglob("*.css"):
        assert not re.search(r"(@import|url\()\s*['\"]?(https?:)?//", sheet.read_text()), sheet


@pytest.mark.parametrize("line", ["[gone](docs/gone.md)", "[gone](docs/deploy.md#gone)"])
def test_a_broken_link_stops_the_build(tmp_path: Path, line: str) -> None:
    for name in copied():
        (tmp_path / "source" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "source" / name).write_text((ROOT / name).read_text())
    (tmp_path / "source" / "README.md").write_text(f"# Podium\n\n{line}\n")
    built = build(tmp_path / "site", tmp_path / "source")
    assert built.returncode == 1
    assert "README.md:3: WARNING" in built.stderr


def copied() -> Iterator[str]:
    """Yield the paths of the smallest source: every file that the table of contents needs."""
    yield "README.md"
    yield "docs/deploy.md"
