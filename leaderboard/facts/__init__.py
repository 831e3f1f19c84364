"""Facts of an attempt, as participants and files report them. One fact per file.

A new fact is one file with a `FACT`, and the migration that `makemigrations` writes for its column;
no list of them has to be edited. Imported by everything above the rules; imports `rules` alone.

From a `FACT` the rest is generated: the column and constraint of `Attempt`, serializers, forms,
importers, columns of boards, the types for scorers. A fact with a better direction can be ranked by
and has a column; one with a hint is asked for in the form; one with an example is in the admin's
form for trying a scorer. Services refuse a new metric with the name of a fact; stored challenges
are not checked again, so a later fact cannot make an older challenge unreadable. Type checkers do
not know `attempt.cost_usd`: code reads `Attempt.fact(key)` or `Attempt.metrics()`.
"""

from leaderboard.facts.fact import (
    COUNT_LIMIT,
    Fact,
    FactValue,
    facts_on_pages,
    get_fact,
    known_facts,
    rankable_facts,
    rankable_keys,
    scored_facts,
    usage_facts,
)

__all__ = [
    "COUNT_LIMIT",
    "Fact",
    "FactValue",
    "facts_on_pages",
    "get_fact",
    "known_facts",
    "rankable_facts",
    "rankable_keys",
    "scored_facts",
    "usage_facts",
]
