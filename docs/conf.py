"""How Sphinx builds the documentation into a site: `make docs` writes it to build/docs.

The source folder is the whole project, so that a link between pages is the same here and in a
checkout. The order of the pages is that of docs/README.md.
"""

import re
import shutil
import sys
from pathlib import Path

from sphinx.application import Sphinx

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from leaderboard.version import VERSION  # noqa: E402

project = "Podium"
author = "The Podium authors"
copyright = f"2026 {author}"  # noqa: A001 - Sphinx names it so
version = release = VERSION
language = "en"

extensions = ["myst_parser"]
root_doc = "README"
include_patterns = ["*.md", "docs/**.md", "scorers/README.md", "client/README.md"]
exclude_patterns = [".*", "build", "dist", "var", "**/__pycache__"]
nitpicky = True
suppress_warnings = ["misc.highlighting_failure"]  # JSON with "…" in it
myst_heading_anchors = 4  # links name headings as code hosts do

html_theme = "furo"
html_title = f"Podium {VERSION}"
html_show_sphinx = False
html_copy_source = False
html_search_scorer = str(Path(__file__).parent / "search_order.js")  # guides before decisions

SECTION = re.compile(r"^## (.+)$", re.MULTILINE)
DECISION = re.compile(r"docs/decisions/[0-9]")
LINK = re.compile(r"^- \[.*?\]\(([^)#]+)\.md\)", re.MULTILINE)


def setup(app: Sphinx) -> None:
    app.connect("source-read", add_contents)
    app.connect("build-finished", add_index)


def add_contents(app: Sphinx, name: str, source: list[str]) -> None:
    """Give pages that code hosts show as well a table of contents, which only the site needs."""
    if name == root_doc:
        source[0] += contents((ROOT / "docs" / "README.md").read_text())
    # The index links each decision. In the navigation, all of them would be on every page.
    if name == "docs/README" or DECISION.match(name):
        source[0] = f"---\norphan: true\n---\n\n{source[0]}"


def contents(index: str) -> str:
    """A table of contents for each section of the index, with the pages that its items link."""
    _, *parts = SECTION.split(index)
    return "".join(
        f"\n```{{toctree}}\n:hidden:\n:caption: {caption}\n\n"
        + "".join(f"{_from_root(link)}\n" for link in LINK.findall(text))
        + "```\n"
        for caption, text in zip(parts[::2], parts[1::2], strict=True)
    )


def _from_root(link: str) -> str:
    return (ROOT / "docs" / link).resolve().relative_to(ROOT).as_posix()


def add_index(app: Sphinx, error: Exception | None) -> None:
    """A site begins with index.html, a project with README.md."""
    if error is None and app.builder.format == "html":
        shutil.copy(Path(app.outdir, "README.html"), Path(app.outdir, "index.html"))
