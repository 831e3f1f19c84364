"""What is told about documents of instances."""

from __future__ import annotations

from leaderboard.rules.rewards.documents import told_further
from leaderboard.rules.rewards.instances import Instance


def instance(*names: str) -> Instance:
    return Instance("1", "", (), (), dict.fromkeys(names, "x"))


def test_further_fields_are_named_and_counted() -> None:
    (few,) = told_further([instance("level"), instance("level", "who")])
    assert ": level, who;" in few
    names = [f"f{number}" for number in range(12)]
    (many,) = told_further([instance(*names)])
    assert f": {', '.join(names[:10])} and 2 more;" in many
    assert list(told_further([instance()])) == []
