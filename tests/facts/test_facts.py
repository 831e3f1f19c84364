"""Facts: each describes itself, and scorers get the facts that their protocol documents."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, get_type_hints

import pytest

import leaderboard.facts
from leaderboard.facts import (
    COUNT_LIMIT,
    Fact,
    facts_on_pages,
    get_fact,
    known_facts,
    rankable_facts,
    rankable_keys,
    scored_facts,
    usage_facts,
)
from scorers.protocol import AttemptMetrics

OURS = {
    *("succeeded", "tokens_total", "elapsed_ms", "rating", "created_at", "cost_usd"),
    *("input_tokens", "output_tokens"),
}
"""The facts that come with Podium. Whoever adds one need not change these tests."""
TYPES: dict[str, Any] = {
    "flag": bool | None,
    "count": int | None,
    "moment": int | None,
    "number": float | None,
}


def test_every_fact_describes_itself() -> None:
    for key, fact in known_facts().items():
        assert key == fact.key
        assert key.isidentifier()
        assert len(key) <= 40
        assert fact.label.strip() == fact.label != "", key
        assert 0 < fact.most <= COUNT_LIMIT, key
        assert fact.direction is None or fact.kind in ("count", "number"), key
        if fact.kind == "flag":
            assert isinstance(fact.example, bool | None), key
        elif fact.example is not None:
            assert 0 <= fact.example <= fact.most, key
            assert not fact.is_whole or isinstance(fact.example, int), key


def test_facts_are_ordered_by_their_place() -> None:
    """Of the facts that come with Podium; a new one may stand anywhere between them."""

    def ours(facts: Iterable[Fact]) -> list[str]:
        return [fact.key for fact in facts if fact.key in OURS]

    first = ["succeeded", "tokens_total", "elapsed_ms"]
    assert ours(known_facts().values())[:3] == first
    assert ours(facts_on_pages())[:3] == ["succeeded", "elapsed_ms", "tokens_total"]
    assert ours(usage_facts())[-1] == "cost_usd"


def test_a_fact_may_rank_if_it_has_a_better_direction() -> None:
    keys = {fact.key for fact in rankable_facts()}
    assert keys & OURS == {"tokens_total", "elapsed_ms", "rating", "cost_usd"}
    assert all(fact.direction for fact in rankable_facts())
    assert set(rankable_keys()) == {"score", "submitted_at", *keys}
    assert (rankable_keys()[0], rankable_keys()[-1]) == ("score", "submitted_at")


def test_a_fact_describes_what_it_accepts() -> None:
    cases: list[tuple[str, str]] = [
        ("succeeded", "true or false"),
        ("tokens_total", "a whole number from 0 to 10^15"),
        ("cost_usd", "a number from 0 to 10^15"),
        ("rating", "a number from 0 to 10"),
        ("created_at", "a whole number from 0 to 253402300799999"),
    ]
    for key, accepted in cases:
        assert get_fact(key).accepted == accepted, key


def test_the_types_for_scorers_match_the_facts() -> None:
    promised = get_type_hints(AttemptMetrics)
    del promised["values"]
    given = {fact.key: TYPES[fact.kind] for fact in scored_facts() if fact.for_scorers}
    assert promised == given, "python -m tests.tables writes scorers/protocol.py anew"


def test_two_files_cannot_describe_one_fact(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "zz_again.py").write_text(
        "from leaderboard.facts import Fact\n"
        "FACT = Fact(key='rating', label='Mine', kind='number', description='Mine')\n"
    )
    monkeypatch.setattr(leaderboard.facts, "__path__", [*leaderboard.facts.__path__, str(tmp_path)])
    known_facts.cache_clear()
    try:
        with pytest.raises(RuntimeError, match=r"zz_again: .*'rating'"):
            known_facts()
    finally:
        monkeypatch.undo()
        known_facts.cache_clear()
