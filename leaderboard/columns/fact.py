"""The column of a fact that boards can rank by, made from the fact's description."""

from leaderboard.columns.column import Column
from leaderboard.facts import Fact


def fact_column(fact: Fact, kind: type[Column] = Column) -> Column:
    """The column of a fact. kind: the class that formats its values.

    Raises ValueError for a fact without a better end.
    """
    if fact.direction is None:
        raise ValueError(f"{fact.key}: a column needs a direction")
    return kind(
        key=fact.key,
        label=fact.label,
        direction=fact.direction,
        unit=fact.unit,
        decimals=fact.decimals,
        description=fact.tooltip or fact.description,
        level="reported",
        place=fact.page_place,
        unit_is_fixed=bool(fact.unit),
    )
