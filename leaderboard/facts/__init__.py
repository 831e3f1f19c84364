"""Facts of an attempt, as participants and files report them. One fact per file.

A new fact is one file with a `FACT`, and the migration that `makemigrations` writes for its column;
no list of them has to be edited. Imported by everything above the rules; imports `rules` alone.
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
