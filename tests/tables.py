"""Tables in the documentation that follow from the files of the code.

`python -m tests.tables` writes them into the pages, each between two comments that name it.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

from leaderboard.strategies import Strategy, known_strategies

DOCS = Path(__file__).parents[1] / "docs"
PAGES = {"strategies": "scoring.md"}


def rendered(name: str) -> str:
    """The table of that name as Markdown, without a line break at its end."""
    header, rows = TABLES[name]
    lines = [header, tuple("---" for _ in header), *rows()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def in_page(name: str) -> str:
    """The table as it stands in its page."""
    page = (DOCS / PAGES[name]).read_text()
    _, _, rest = page.partition(f"<!-- table: {name} -->\n\n")
    table, end, _ = rest.partition("\n\n<!-- end -->")
    if not end:
        raise ValueError(f"{PAGES[name]} has no place for the table {name}")
    return table


def write() -> None:
    for name, page in PAGES.items():
        path, table = DOCS / page, rendered(name)
        path.write_text(path.read_text().replace(in_page(name), table))


def _strategies() -> Iterator[tuple[str, ...]]:
    for each in known_strategies().values():
        yield f"`{each.key}`", _who(each), _order(each)


def _who(strategy: Strategy) -> str:
    if strategy.runs_scorer:
        return "those that the scorer gave a score"
    if not strategy.keys:
        return "those with a value for the first key of `rank_by`"
    first = strategy.keys[0].key
    who = "those that succeeded" if strategy.only_succeeded else "those"
    if first == "submitted_at":
        return who
    return f"{who}{' and' if strategy.only_succeeded else ' that'} have a value for `{first}`"


def _order(strategy: Strategy) -> str:
    if not strategy.keys:
        return "the keys of `rank_by`, one after the other"
    ends = {"asc": "lowest", "desc": "highest"}
    said = (
        "the earliest arrival first"
        if (key.key, key.direction) == ("submitted_at", "asc")
        else f"the {ends[key.direction]} `{key.key}` first"
        for key in strategy.keys
    )
    return ", then ".join(said)


TABLES: dict[str, tuple[tuple[str, ...], Callable[[], Iterator[tuple[str, ...]]]]] = {
    "strategies": (("strategy", "ranked attempts", "order"), _strategies),
}

if __name__ == "__main__":
    write()
