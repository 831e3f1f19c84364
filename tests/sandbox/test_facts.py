"""The metrics that a scorer reads: a dict in which null means absent."""

from __future__ import annotations

import copy
import json
import pickle

import pytest

from leaderboard.sandbox import Sandbox
from leaderboard.sandbox.child.facts import AttemptFacts, facts_of
from tests.sandbox.watching import score

GIVEN = {"succeeded": True, "rating": None, "tokens_total": 0, "values": {"a": 1.5, "b": None}}


@pytest.fixture
def facts() -> AttemptFacts:
    return facts_of(GIVEN)


@pytest.mark.parametrize("name", ["rating", "elapsed_ms"])
def test_null_and_absent_facts_read_alike(facts: AttemptFacts, name: str) -> None:
    assert facts.get(name, 0) == 0
    assert facts.get(name) is None
    assert facts[name] is None
    assert (facts.get(name) or 0) == 0


def test_a_known_fact_is_returned_unchanged(facts: AttemptFacts) -> None:
    assert facts.get("tokens_total", 7) == 0
    assert facts.get("succeeded", False) is True
    assert facts["succeeded"] is True


def test_an_unknown_name_raises_an_error(facts: AttemptFacts) -> None:
    with pytest.raises(KeyError):
        facts["ratnig"]
    with pytest.raises(KeyError):
        facts["values"]["c"]
    assert facts_of({})["values"] == {}


def test_reported_values_are_read_in_the_same_way(facts: AttemptFacts) -> None:
    assert (facts["values"].get("b", 2.0), facts["values"]["b"]) == (2.0, None)
    assert sum(value or 0 for value in facts["values"].values()) == 1.5


def test_everything_else_behaves_like_a_plain_dict(facts: AttemptFacts) -> None:
    assert facts == GIVEN
    assert (list(facts), len(facts)) == (list(GIVEN), len(GIVEN))
    assert "rating" in facts
    assert "elapsed_ms" not in facts
    assert dict(facts)["rating"] is None
    assert {**facts} == GIVEN
    assert json.loads(json.dumps(facts)) == GIVEN
    assert isinstance(facts, dict)


def test_pop_and_setdefault_treat_null_as_absent(facts: AttemptFacts) -> None:
    assert facts.pop("rating", 5) == 5
    assert facts.pop("succeeded") is True
    with pytest.raises(KeyError):
        facts.pop("rating")
    facts["rating"] = None
    assert facts.setdefault("rating", 3) == 3
    assert facts["rating"] == 3


def test_copies_are_read_in_the_same_way(facts: AttemptFacts) -> None:
    for other in (facts.copy(), copy.copy(facts), copy.deepcopy(facts), facts | {"more": 1}):
        assert other.get("rating", 0) == 0
        assert other["values"].get("b", 0) == 0
    deep = copy.deepcopy(facts)
    deep["values"]["a"] = 2.0
    assert facts["values"]["a"] == 1.5


def test_it_pickles_as_a_plain_dict(facts: AttemptFacts) -> None:
    again = pickle.loads(pickle.dumps(facts))
    assert (type(again), again) == (dict, GIVEN)


def test_a_scorer_may_return_the_metrics(sandbox: Sandbox) -> None:
    assert (score(sandbox, "hostile.good:Echoes").details or {})["metrics"] == {"rating": 8}
    outcome = score(sandbox, "hostile.facts:Same")
    assert (outcome.value, outcome.details) == (8.0, {"rating": 8, "score": 8}), outcome
    assert score(sandbox, "hostile.facts:Pickled").value == 8.0
