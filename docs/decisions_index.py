"""Writes docs/decisions/README.md, the index of the decisions: `python docs/decisions_index.py`.

`make format` does it too.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "decisions"
INDEX = FOLDER / "README.md"
TITLE = re.compile(r"# (?:\d{4}(?: ·)? )?(.+)")
HEAD = """# Decisions

Each page gives a question that had several good answers, the choice, its reason, and what was
given up. `make format` writes this list.

"""


def index() -> str:
    """The text that the index must have: a line per decision, by number."""
    pages = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)
    return HEAD + "".join(f"- {page.name[:4]} [{title(page)}]({page.name})\n" for page in pages)


def title(page: Path) -> str:
    """The heading of a decision without its number. ValueError if the page has none."""
    found = TITLE.match(page.read_text())
    if found is None:
        raise ValueError(f"{page.name}: a first line such as '# 0140 A wheel' is needed")
    return found[1]


if __name__ == "__main__":
    INDEX.write_text(index())
