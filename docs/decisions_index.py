"""Writes docs/decisions/README.md, the index of the decisions: `python docs/decisions_index.py`.

`make format` does it too.
"""

import re
from pathlib import Path

FOLDER = Path(__file__).parent / "decisions"
INDEX = FOLDER / "README.md"
TITLE = re.compile(r"# \d{4} (.+)\n\n\*Status:\* (.+) · \*Subject:\* (.+)\n")
SUBJECTS = (
    "Development",
    "Queue and workers",
    "Sandbox and plugins",
    "Scoring",
    "Boards and ranks",
    "Statistics",
    "Competition",
    "Who sees what",
    "Accounts",
    "Importing",
    "API and server",
    "Pages",
    "Speed",
)
HEAD = """# Decisions

Each page gives a question that had several good answers, the choice, its reason, what was given up,
and its status. Smaller reasons are in the docstrings of the code that they explain. Numbers are
never used twice, so some are missing. `make format` writes this list.
"""


def index() -> str:
    """The text that the index must have: the pages by subject, each subject by number.

    Raises ValueError for a page without a status and a known subject, or whose file name is not
    made from its title.
    """
    pages = sorted(path for path in FOLDER.glob("*.md") if path != INDEX)
    lines: dict[str, list[str]] = {subject: [] for subject in SUBJECTS}
    for page in pages:
        title, status, subject = heading(page)
        if page.stem[5:] != slug(title):
            raise ValueError(f"rename {page.name} to {page.name[:4]}-{slug(title)}.md")
        if subject not in lines:
            raise ValueError(f"{page.name}: {subject} is none of {', '.join(SUBJECTS)}")
        note = "" if status == "accepted" else f" ({status})"
        lines[subject].append(f"- {page.name[:4]} [{title}]({page.name}){note}\n")
    return HEAD + "".join(f"\n## {subject}\n\n{''.join(lines[subject])}" for subject in SUBJECTS)


def heading(page: Path) -> tuple[str, str, str]:
    """The title of a decision without its number, its status and its subject.

    Raises ValueError if the page does not begin with them.
    """
    match = TITLE.match(page.read_text())
    if match is None:
        raise ValueError(
            f"{page.name}: '# 0140 A wheel', an empty line and"
            " '*Status:* accepted · *Subject:* Development' must come first"
        )
    return match[1], match[2], match[3]


def slug(text: str) -> str:
    """The words of a title with hyphens between them."""
    plain = text.lower().replace("±", "plus minus ").replace("%", "percent")
    return "-".join(re.findall(r"[a-z0-9]+", re.sub("['’]", "", plain)))


if __name__ == "__main__":
    INDEX.write_text(index())
