"""Tables in the documentation that are generated from the code.

`python -m tests.tables` writes them into the pages, each between two comments that name it. The
facts in scorers/protocol.py are generated in the same way: that file may not import their source.
"""

import ast
import inspect
from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

from pydantic.fields import FieldInfo

from leaderboard.environment.reading import Variables
from leaderboard.facts import Fact, get_fact, known_facts, rankable_keys, scored_facts
from leaderboard.predictions.layouts import KINDS as PREDICTION_KINDS
from leaderboard.sandbox.child.configs import schema_of
from leaderboard.schemas.accepted import accepted
from leaderboard.schemas.challenges import NEW_CHALLENGE, NewChallenge
from leaderboard.schemas.fields import grouped
from leaderboard.schemas.phase_fields import PHASE, PhaseFields
from leaderboard.schemas.places import layers_at
from leaderboard.schemas.scoring import SCORING_ROWS
from leaderboard.strategies import Strategy, known_strategies
from tests.client import type_module
from tests.predictions.comparing import metric_class

ROOT = Path(__file__).parents[1]
PAGES = {
    "strategies": "docs/scoring.md",
    "rank keys": "docs/scoring.md",
    "facts": "docs/api.md",
    "settings": "docs/deploy.md",
    "challenge fields": "docs/api.md",
    "phase fields": "docs/api.md",
    "scorer facts": "scorers/README.md",
    "prediction metrics": "docs/predictions.md",
    "protocol": "scorers/protocol.py",
}
MARKS = {
    ".md": ("<!-- table: {} -->\n\n", "\n\n<!-- end -->"),
    ".py": ("    # table: {}\n", "\n    # end"),
}


def rendered(name: str) -> str:
    """Return the generated table of that name, without a final line break."""
    if name == "protocol":
        return "\n".join(_protocol())
    header, rows = TABLES[name]
    lines = [header, tuple("---" for _ in header), *rows()]
    return "\n".join(f"| {' | '.join(cells)} |" for cells in lines)


def in_page(name: str) -> str:
    """Return the table as it is in its page."""
    return _parts(name)[1]


def write() -> None:
    for name, page in PAGES.items():
        before, _, after = _parts(name)
        (ROOT / page).write_text(before + rendered(name) + after)


def _parts(name: str) -> tuple[str, str, str]:
    """Return the page up to the table, the table, and the rest of the page."""
    path = ROOT / PAGES[name]
    start, stop = MARKS[path.suffix]
    before, mark, rest = path.read_text().partition(start.format(name))
    table, end, after = rest.partition(stop)
    if not end:
        raise ValueError(f"{PAGES[name]} has no place for the table {name}")
    return before + mark, table, end + after


def _strategies() -> Iterator[tuple[str, ...]]:
    for strategy in known_strategies().values():
        yield f"`{strategy.key}`", _who(strategy), _order(strategy)


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
    phrases = (
        "the earliest arrival first"
        if (key.key, key.direction) == ("submitted_at", "asc")
        else f"the {ends[key.direction]} `{key.key}` first"
        for key in strategy.keys
    )
    return ", then ".join(phrases)


def _rank_keys() -> Iterator[tuple[str, ...]]:
    described = {
        "score": "what the scorer gave, never below 0",
        "submitted_at": "when the attempt arrived",
    }
    for key in rankable_keys():
        yield f"`{key}`", described.get(key) or _described(get_fact(key))


def _facts() -> Iterator[tuple[str, ...]]:
    for key, fact in known_facts().items():
        yield f"`metrics.{key}`", fact.accepted, _described(fact), "yes" if fact.of_samples else "–"


def _scorer_facts() -> Iterator[tuple[str, ...]]:
    for fact in _for_scorers():
        yield f"`{fact.key}`", TYPES[fact.kind].replace("float", "number"), _described(fact)
    yield "`values`", "dict", "metric values by name"


def _protocol() -> Iterator[str]:
    for fact in _for_scorers():
        yield f"    {fact.key}: {TYPES[fact.kind]} | None"
        yield f'    """{fact.description}."""'


def _challenge_fields() -> Iterator[tuple[str, ...]]:
    for name, field in grouped(NewChallenge):
        takes = accepted(layers_at(NEW_CHALLENGE.core_schema, [name])) or ""
        newer = "yes" if name in SCORING_ROWS else "–"
        yield f"`{name}`", takes.removeprefix("must be "), _meaning(field), newer


def _phase_fields() -> Iterator[tuple[str, ...]]:
    for name, field in grouped(PhaseFields):
        takes = accepted(layers_at(PHASE.core_schema, [name])) or "a time, or null"
        yield f"`{name}`", takes.removeprefix("must be "), _meaning(field)


def _meaning(field: FieldInfo) -> str:
    return f"{field.title}. {field.description or ''}".strip()


def _settings() -> Iterator[tuple[str, ...]]:
    """The variables of the environment; the texts below them are their help."""
    [model] = ast.parse(inspect.getsource(Variables)).body
    assert isinstance(model, ast.ClassDef)
    for field, text in pairwise(model.body):
        if isinstance(field, ast.AnnAssign):
            name = ast.unparse(field.target)
            help_text = " ".join(ast.literal_eval(ast.unparse(text)).split())
            yield f"`{name}`", _default(name), help_text.replace("|", "\\|")


def _default(name: str) -> str:
    field = Variables.model_fields[name]
    more = field.json_schema_extra
    assert isinstance(more, dict)
    if more["shown"]:
        return str(more["shown"])
    return f"`{field.default}`" if field.default else "empty"


def _for_scorers() -> list[Fact]:
    return [fact for fact in scored_facts() if fact.for_scorers]


def _described(fact: Fact) -> str:
    return fact.description[0].lower() + fact.description[1:]


def _prediction_metrics() -> Iterator[tuple[str, ...]]:
    files = (ROOT / "scorers" / "predictions").glob("*/[a-z]*.py")
    plugins = [metric_class(path.stem) for path in files]
    kinds: list[str] = [*PREDICTION_KINDS]
    for plugin in sorted(plugins, key=lambda plugin: (kinds.index(_rows(plugin)), plugin.id)):
        first = " ".join((plugin.__doc__ or "").split("\n\n")[0].split()).replace("|", r"\|")
        better = "lower" if getattr(plugin, "direction", "desc") == "asc" else "higher"
        defaults = schema_of(plugin)[1] or {}
        parameters = ", ".join(f"`{name}` {value}" for name, value in defaults.items())
        yield f"`{plugin.id}`", _rows(plugin), first, parameters or "–", better


def _rows(plugin: type[Any]) -> str:
    return getattr(plugin, "kind", "values")


TYPES = {"flag": "bool", "count": "int", "moment": "int", "number": "float"}

TABLES: dict[str, tuple[tuple[str, ...], Callable[[], Iterator[tuple[str, ...]]]]] = {
    "strategies": (("strategy", "ranked attempts", "order"), _strategies),
    "rank keys": (("key", "what it is"), _rank_keys),
    "challenge fields": (
        ("field", "accepted", "what it is", "a change makes a new version"),
        _challenge_fields,
    ),
    "facts": (("fact", "accepted", "what it is", "in `usage` of a sample"), _facts),
    "phase fields": (("field", "accepted", "what it is"), _phase_fields),
    "settings": (("variable", "default", "meaning"), _settings),
    "scorer facts": (("`metrics`", "type", "what it is"), _scorer_facts),
    "prediction metrics": (
        ("metric", "rows", "what it is", "parameters", "better"),
        _prediction_metrics,
    ),
}

if __name__ == "__main__":
    write()
    type_module.write()
