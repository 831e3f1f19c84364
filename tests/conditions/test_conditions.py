"""Each kind of rule, by a table of samples and what it says of them."""

from __future__ import annotations

from typing import Any

import pytest

from leaderboard.conditions import JudgedAttempt, judged, known_conditions, parse_rules
from leaderboard.rules.admission.prints import Owner, prints_of
from leaderboard.rules.admission.verdicts import of_json, worst
from leaderboard.rules.rewards.samples import Sample
from leaderboard.schemas.errors import SchemaError

ME, SAME_ACCOUNT, STRANGER = Owner("9", 9, 1), Owner("1", 8, 1), Owner("1", 7, 2)
OWN = ME._replace(attempt="1")
SET: dict[str, Any] = {"allow": {"timeout": [None, 1.0]}}


def sample(task: str, number: int = 0, reward: float | None = 1.0, **run: Any) -> Sample:
    usage = {"elapsed_ms": run.pop("ms")} if "ms" in run else None
    rewards = None if reward is None else {"reward": reward}
    return Sample(task, number, rewards, usage, "", run or None)  # type: ignore[arg-type]


TELLING = [sample("a", 0, 0.25), sample("b", 0, 0.5)]
CASES: list[tuple[str, dict[str, Any], list[Sample], dict[str, Any], list[tuple[str, int]]]] = [
    (
        "samples_per_task",
        {"least": 2},
        [sample("a"), sample("b"), sample("b", 1, None)],
        {},
        [("refused", 1)],
    ),
    ("all_tasks", {}, [sample("a")], {"tasks": ["a", "b", "c"]}, [("refused", 2)]),
    ("all_tasks", {}, [sample("a", 0, None)], {"tasks": ["a"]}, []),
    ("unique_sample_ids", {}, [sample("a", id="x"), sample("b", id="x")], {}, [("refused", 2)]),
    ("unique_sample_ids", {}, [sample("a", id="x"), sample("b")], {}, [("refused", 1)]),
    ("unique_sample_ids", {"unknown": "ok"}, [sample("a")], {}, []),
    ("unique_sample_ids", {}, [sample("a", id="x")], {"before": SAME_ACCOUNT}, [("refused", 1)]),
    ("unique_sample_ids", {}, [sample("a", id="x")], {"before": ME._replace(attempt="1")}, []),
    (
        "task_versions",
        {"accept": {"a": ["d1"]}},
        [sample("a", task_digest="d2")],
        {},
        [("refused", 1)],
    ),
    ("task_versions", {"accept": {"a": ["c1"]}}, [sample("a", task_checksum="c1")], {}, []),
    (
        "task_versions",
        {"unknown": "flagged"},
        [sample("a", task_checksum="c")],
        {},
        [("flagged", 1)],
    ),
    ("run_conditions", SET, [sample("a", conditions={"timeout": 2})], {}, [("refused", 1)]),
    ("run_conditions", SET, [sample("a", conditions={"timeout": 1})], {}, []),
    ("run_conditions", SET, [sample("a", conditions={"timeout": True})], {}, [("refused", 1)]),
    ("run_conditions", {"allow": {"x": [False]}}, [sample("a")], {}, [("refused", 1)]),
    ("run_conditions", SET, [sample("a", contradicting={"timeout": 9})], {}, [("refused", 1)]),
    (
        "run_conditions",
        SET,
        [sample("a")],
        {"run": {"conditions": {"timeout": 3}}},
        [("refused", 1)],
    ),
    (
        "run_conditions",
        SET,
        [sample("a", conditions={"timeout": 1})],
        {"run": {"conditions": {"timeout": 3}}},
        [("refused", 1)],
    ),
    (
        "run_conditions",
        {**SET, "unless_unused": {"*": 10}},
        [
            sample(
                "a",
                conditions={"timeout": 2},
                started_at="2026-11-20T08:00:05Z",
                finished_at="2026-11-20T08:00:00Z",
            )
        ],
        {},
        [("refused", 1)],
    ),
    (
        "run_conditions",
        {**SET, "unless_unused": {"*": 10}},
        [sample("a", conditions={"timeout": 2}, ms=9_000), sample("b", conditions={"timeout": 2})],
        {},
        [("refused", 1)],
    ),
    ("evidence_of_passes", {}, [sample("a"), sample("b", 0, 0.0)], {}, [("refused", 1)]),
    ("evidence_of_passes", {"kind": "log"}, [sample("a", evidence=["log"])], {}, []),
    (
        "token_sums",
        {},
        [sample("a", tokens={"input": 9}, trajectory_tokens={"input": 5})],
        {},
        [("flagged", 1)],
    ),
    (
        "token_sums",
        {},
        [sample("a", tokens={"input": 99}, trajectory_tokens={"input": 100})],
        {},
        [],
    ),
    ("token_sums", {"unknown": "refused"}, [sample("a")], {}, [("refused", 1)]),
    ("duplicate_results", {}, TELLING, {"before": STRANGER}, [("flagged", 2)]),
    ("duplicate_results", {}, TELLING, {"before": SAME_ACCOUNT}, []),
    (
        "duplicate_results",
        {"of": "participants"},
        TELLING,
        {"before": SAME_ACCOUNT},
        [("flagged", 2)],
    ),
    ("duplicate_results", {}, TELLING, {"before": OWN}, []),
    ("duplicate_results", {}, TELLING, {"before": OWN._replace(is_decided=True)}, [("flagged", 2)]),
    ("duplicate_results", {}, [sample("a")], {"before": STRANGER}, []),
    (
        "duplicate_results",
        {},
        [sample("a", number, float(number % 3 == 0)) for number in range(20)],
        {"before": STRANGER},
        [("flagged", 0)],
    ),
    (
        "duplicate_outputs",
        {},
        [sample("a", output_digest="d")],
        {"before": STRANGER},
        [("flagged", 1)],
    ),
    ("declared", {"fields": ["agent", "licence"]}, [], {"run": {"agent": "x"}}, [("refused", 0)]),
    ("declared", {"fields": ["licence"]}, [], {"meta": {"licence": "MIT"}}, []),
    (
        "declared",
        {"fields": ["run.agent", "run.model", "agent"]},
        [],
        {"run": {"agent": "x", "model": "y"}, "meta": {"agent": ""}},
        [],
    ),
    (
        "declared",
        {"fields": ["run.model"]},
        [],
        {"run": {"agent": "x"}, "meta": {"model": "y"}},
        [("refused", 0)],
    ),
    ("tool_version", {"tool": "harbor"}, [], {"run": {"tool": "other"}}, [("refused", 0)]),
    (
        "tool_version",
        {"tool": "harbor", "least_version": "0.24"},
        [],
        {"run": {"tool": "harbor", "tool_version": "0.9.7"}},
        [("refused", 0)],
    ),
    ("tool_version", {"tool": "harbor", "unknown": "flagged"}, [], {}, [("flagged", 0)]),
    (
        "sample_time",
        {"least_ms": 100},
        [sample("a", ms=99), sample("b", ms=100)],
        {},
        [("refused", 1)],
    ),
    ("sample_time", {"most_ms": 100}, [sample("a")], {}, []),
]


@pytest.mark.parametrize(("rule", "settings", "samples", "context", "expected"), CASES)
def test_what_a_rule_says_of_an_attempt(
    rule: str,
    settings: dict[str, Any],
    samples: list[Sample],
    context: dict[str, Any],
    expected: list[tuple[str, int]],
) -> None:
    rules = parse_rules([{"rule": rule, **settings}])
    prints = prints_of(samples, (), rules[0].prints)
    fields = {name: value for name, value in context.items() if name != "before"}
    before = context.get("before")
    earlier = {(print_.kind, print_.digest): [before] for print_ in prints} if before else {}
    attempt = JudgedAttempt(samples, prints=prints, earlier=earlier, me=ME, **fields)
    findings = judged(rules, attempt)
    assert [(finding.verdict, finding.total) for finding in findings] == expected
    assert [of_json(finding.as_json()) for finding in findings] == findings
    assert rules[0].sentence()


@pytest.mark.parametrize(
    ("version", "least", "is_new_enough"),
    [
        ("0.20", "0.20", True),
        ("v0.20.0", "0.20", True),
        ("0.20rc1", "0.20", False),
        ("0.20.dev3", "0.20", False),
        ("0.20rc2", "0.20rc1", True),
        ("0.20.post1", "0.20", True),
        ("0.20+cuda", "0.20", True),
        ("0.9", "0.20", False),
        ("1!0.1", "0.20", True),
        # no versions of PEP 440: their numbers are compared
        ("0.20-nightly-2", "0.20", True),
        ("build 7", "build 6", True),
        ("nightly", "0.20", False),
        ("nightly", "", True),
    ],
)
def test_versions_are_compared_as_pep_440_says(
    version: str, least: str, is_new_enough: bool
) -> None:
    rules = parse_rules([{"rule": "tool_version", "tool": "harbor", "least_version": least}])
    attempt = JudgedAttempt(run={"tool": "harbor", "tool_version": version})
    assert (judged(rules, attempt) == []) is is_new_enough


def test_every_kind_is_in_the_table_and_names_its_settings() -> None:
    assert {rule for rule, *_ in CASES} == set(known_conditions())
    with pytest.raises(SchemaError, match=r"rules\.0\.least"):
        parse_rules([{"rule": "samples_per_task", "least": 0}])
    with pytest.raises(SchemaError, match="rule is one of"):
        parse_rules([{"rule": "unheard"}])
    assert worst(["ok", "refused", "flagged"]) == "refused"
