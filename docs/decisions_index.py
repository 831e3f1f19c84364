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
    """The text that the index must have: a line per decision, by number.

    Raises ValueError for a page whose file name is not made from its title.
    """
    pages = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)
    for page in pages:
        if page.stem[5:] != slug(title(page)):
            raise ValueError(f"rename {page.name} to {page.name[:4]}-{slug(title(page))}.md")
    return HEAD + "".join(f"- {page.name[:4]} [{title(page)}]({page.name})\n" for page in pages)


def title(page: Path) -> str:
    """The heading of a decision without its number. ValueError if the page has none."""
    found = TITLE.match(page.read_text())
    if found is None:
        raise ValueError(f"{page.name}: a first line such as '# 0140 A wheel' is needed")
    return found[1]


def slug(text: str) -> str:
    """The words of a title with hyphens between them."""
    plain = text.lower().replace("±", "plus minus ").replace("%", "percent")
    return "-".join(re.findall(r"[a-z0-9]+", re.sub("['’]", "", plain)))


if __name__ == "__main__":
    INDEX.write_text(index())
