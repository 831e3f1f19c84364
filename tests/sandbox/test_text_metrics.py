"""Text metrics in the sandbox: their descriptions, their inputs, and how results are combined."""

import json
import math
from typing import Any

import pytest

from leaderboard.sandbox import Evaluated, Sandbox
from leaderboard.sandbox.contract import PluginDescription, Rows
from leaderboard.sandbox.host.descriptions import _with_text_metric
from leaderboard.sandbox.host.outcomes import NoAnswer
from tests.sandbox.asking import LONG_MS, ask, evaluated, failure, row

PLAIN, BROKEN = "hostile.text.plain", "hostile.text.broken"


def test_text_metrics_are_found_by_their_ids(sandbox: Sandbox) -> None:
    metrics = {metric.name: metric for metric in sandbox.discover("text_metric")}
    assert {"LENGTH", "DISTANCE", "TOTAL", "NEEDY", "EXACT_MATCH"} <= set(metrics)
    assert "Nameless" not in metrics
    length = metrics["LENGTH"]
    assert length.entrypoint == f"{PLAIN}:Length"
    assert length.doc.startswith("Characters")
    assert (length.bounds, length.unit, length.direction) == ((0.0, None), "characters", "desc")
    assert (length.averaged, length.combines, length.supervised) == (True, False, True)
    assert length.defaults == {"times": 1}
    assert length.error is None
    distance = metrics["DISTANCE"]
    assert (distance.direction, distance.bounds) == ("asc", (0.0, 9.0))
    assert distance.directions == {"nearness": "desc", "further": "asc"}
    assert distance.ranges == {"nearness": (0.0, 1.0)}
    assert distance.bounds_of("distance", is_first=True) == (0.0, 9.0)
    assert distance.bounds_of("nearness", is_first=False) == (0.0, 1.0)
    assert distance.bounds_of("further", is_first=False) == (0.0, 9.0), "its end is the same"
    assert length.bounds_of("length", is_first=True) == (0.0, math.inf)
    assert metrics["UNSUPERVISED"].bounds_of("x", is_first=True) == (-math.inf, math.inf)
    assert (metrics["TOTAL"].averaged, metrics["TOTAL"].combines) == (False, True)
    assert not metrics["UNSUPERVISED"].supervised


def test_a_metric_that_is_not_installed_is_described(sandbox: Sandbox) -> None:
    (needy,) = [metric for metric in sandbox.discover("text_metric") if metric.name == "NEEDY"]
    assert needy.error is not None
    assert needy.error.code == "not_installed"
    message = "NEEDY is not installed here: python -m pip install no-such-library"
    assert needy.error.message == message
    assert needy.doc
    assert needy.install == message.partition(": ")[2]
    assert failure(ask(sandbox, "plain:Needy"))[:2] == ("not_installed", message)


def test_a_missing_library_may_be_found_during_evaluation(sandbox: Sandbox) -> None:
    for module, part in (("json.nothing", "pip install json"), ("nothing", "package nothing")):
        error = failure(ask(sandbox, "plain:Late", module=module))
        assert error.code == "not_installed"
        assert part in error.message
        assert "ModuleNotFoundError" in error.detail


def test_wrong_parameters_are_refused_by_name(sandbox: Sandbox) -> None:
    check = sandbox.check_config(f"{PLAIN}:Length", {"times": "3", "tims": 1}, kind="text_metric")
    assert check.failure is None
    assert check.errors.keys() == {"times", "tims"}
    assert "got a text" in check.errors["times"][0]
    assert '(times); got "tims"' in check.errors["tims"][0]
    assert sandbox.check_config(f"{PLAIN}:Length", {}, kind="text_metric").config == {"times": 1}
    error = failure(ask(sandbox, "plain:Length", times="3"))
    assert error.code == "load_error"
    assert "parameters: times" in error.message


def test_an_unavailable_metric_reports_why(sandbox: Sandbox) -> None:
    for name, code, reason in (
        ("plain:Nothing", "load_error", "method `evaluate`"),
        ("plain:Nameless", "load_error", "attribute `id`"),
        ("nowhere:Nothing", "load_error", "no such module"),
        ("no entry point", "load_error", "package.module:Class"),
        ("broken:Unbuildable", "exception", "ValueError"),
    ):
        error = failure(ask(sandbox, name))
        assert error.code == code, name
        assert reason in error.message


def test_an_instance_is_passed_unchanged(sandbox: Sandbox) -> None:
    rows = [row("a", "out\ud800", asked="in\0", refs=["one", "two"]), row(2, "ö", asked="?")]
    assert evaluated(ask(sandbox, "plain:Length", rows)).results == [4.0, 1.0]
    with sandbox.evaluating(f"{PLAIN}:Echo", {"given": [1]}) as line:
        for _ in range(2):  # the next block has the parameters even if a metric changes its own
            received, parameters, _ = evaluated(
                line.evaluate(rows[1:], timeout_ms=LONG_MS)
            ).statistics
            assert received == [["2", "?", "ö", ["ref"]]]
            assert parameters == {"given": [1]}


def test_a_comparing_metric_does_not_see_instances_without_references(sandbox: Sandbox) -> None:
    rows = [row(1, "a"), row(2, "bb", refs=[]), row(3, "1234567"), row(4, refs=[])]
    evaluation = evaluated(ask(sandbox, "plain:Length", rows))
    assert evaluation.results == [1.0, None, 7.0, None]
    assert evaluation.warnings == [None, None, "long 3", None]
    assert evaluation.score == {"how": "counted", "length": 4.0}
    assert evaluated(ask(sandbox, "plain:Whole", rows)).statistics == ["a", "1234567"]
    evaluation = evaluated(ask(sandbox, "plain:Unsupervised", rows))
    assert evaluation.statistics == ["a", "bb", "1234567", ""]


def test_a_metric_is_not_called_if_it_applies_to_no_instance(sandbox: Sandbox) -> None:
    rows = [row(1, "a", refs=[]), row(2, refs=[])]
    nothing = Evaluated(None, None, {}, None, 0.0, 0, 0)
    assert ask(sandbox, "plain:Length", rows) == nothing._replace(failed=1)
    assert ask(sandbox, "broken:Attacks", [row(1, "deaths:OsExit", refs=[])]) == nothing
    assert ask(sandbox, "plain:Length", []) == nothing


def test_instances_may_come_as_they_are_stored(sandbox: Sandbox) -> None:
    """Rows are stored without trailing nulls."""
    stored = [["1", "asked", ["a"], ["b"], {"more": 1}], [2, "", ["bb"]], ["3"], [4, "", [], ["c"]]]
    blocks = [Rows(json.dumps(some).encode(), len(some)) for some in (stored[:3], stored[3:])]
    with sandbox.evaluating(f"{PLAIN}:Length", {}) as line:
        evaluation = evaluated(line.evaluate(*blocks, [row(5, "12345")], timeout_ms=LONG_MS))
        assert evaluation.results == [1.0, None, None, 0.0, 5.0]
        assert (evaluation.instances, evaluation.failed) == (3, 2)
    with sandbox.evaluating(f"{PLAIN}:Unsupervised", {}) as line:
        evaluation = evaluated(line.evaluate(*blocks, timeout_ms=LONG_MS))
        assert evaluation.statistics == ["a", "bb", "", ""]


def test_the_best_of_several_outputs_counts(sandbox: Sandbox) -> None:
    rows = [row(1, "a", "abc", "xyz"), row(2, "ab"), row(3, "1234567", "1234568", "1")]
    evaluation = evaluated(ask(sandbox, "plain:Length", rows))
    assert evaluation.results == [3.0, 2.0, 7.0]
    assert evaluation.warnings == [None, None, "long 3"]
    assert evaluation.score == {"how": "counted", "length": 4.0}
    evaluation = evaluated(ask(sandbox, "plain:Total", rows))
    assert evaluation.results == [3.0, 2.0, 7.0]
    assert evaluation.statistics == {"seen": ["abc", "ab", "1234567"], "total": 12}
    evaluation = evaluated(ask(sandbox, "plain:Whole", rows))
    # results of single outputs are unknown here, so the first output is taken
    assert evaluation.statistics == ["a", "ab", "1234567"]


def test_the_best_output_may_have_the_lowest_value(sandbox: Sandbox) -> None:
    rows = [row(1, "a", "abc", "xyz", "four"), row(2, "abcdefghijklm", "abcdefghijklmn")]
    evaluation = evaluated(ask(sandbox, "plain:Distance", rows))
    assert evaluation.results == [
        {"nearness": 1.0, "distance": 0.0, "further": 0.0},
        {"nearness": pytest.approx(1 / 11), "distance": 10.0, "further": 20.0},
    ]
    assert list(evaluation.score) == ["distance", "nearness", "further"]
    assert evaluation.score == {"distance": 5.0, "nearness": pytest.approx(6 / 11), "further": 10.0}


def test_an_undefined_candidate_is_worse_than_any(sandbox: Sandbox) -> None:
    what = "{'score': {'v': 1}, 'results': [None if len(i.output) > 2 else -1 for i in x]}"
    rows = [row(1, "long", "a", "b"), row(2, "long", "longer")]
    evaluation = evaluated(ask(sandbox, "broken:Averages", rows, what=what))
    assert evaluation.results == [-1.0, None]
    assert evaluation.score == {"v": -1.0}


def test_a_missing_output_counts_as_the_worst(sandbox: Sandbox) -> None:
    evaluation = evaluated(
        ask(sandbox, "plain:Distance", [row(1, refs=[""]), row(2, "", refs=[""])])
    )
    assert evaluation.results == [
        {"nearness": 1.0, "distance": 9.0, "further": 9.0},
        {"nearness": 1.0, "distance": 0.0, "further": 0.0},
    ]
    evaluation = evaluated(ask(sandbox, "plain:Length", [row(1), row(2, "abc")]))
    assert (evaluation.results, evaluation.score["length"]) == ([0.0, 3.0], 1.5)
    assert evaluated(ask(sandbox, "plain:Whole", [row(1)])).statistics == [""]


def test_blocks_are_combined(sandbox: Sandbox) -> None:
    with sandbox.evaluating(f"{PLAIN}:Total", {}) as line:
        parts = [
            evaluated(line.evaluate(rows, timeout_ms=LONG_MS)).statistics
            for rows in ([row(1, "abc")], [row(2, "a", refs=[])], [row(3, "abcd")])
        ]
        assert parts[1] is None
        assert line.combine(parts, timeout_ms=LONG_MS) == {"total": 7.0, "blocks": 2.0}
        assert line.combine([None, None], timeout_ms=LONG_MS) == {}
        assert line.seconds > 0


WRONG = {
    "None": "None, not a dict with a 'score'",
    "{}": "type dict, not a dict with a 'score'",
    "{'score': 1}": "score is not a dict of numbers",
    "{'score': {}}": "score is not a dict of numbers",
    "{'score': {'how': 'so'}}": "score holds no number",
    "{'score': {'v': nan}}": "nan, not a finite number",
    "{'score': {'v': 10 ** 400}}": "inf, not a finite number",
    "{'score': {'v': True}}": "type bool in place of a number",
    "{'score': {1: 1}}": "name in the text metric's score",
    "{'score': {'a\\nb': 1}}": "name in the text metric's score",
    "{'score': {'n' * 81: 1}}": "1 to 80 printable",
    "{'score': {str(i): i for i in range(41)}}": "more than 40 names",
    "{'score': {'v': 1}, 'results': [1]}": "1 results for 2 instances",
    "{'score': {'v': 1}, 'results': 1}": "no sequence",
    "{'score': {'v': 1}, 'results': 'ab'}": "type str in place of a number",
    "{'score': {'v': 1}, 'results': [1, inf]}": "inf, not a finite number",
    "{'score': {'v': 1}, 'results': [1, {'a': x[0].output}]}": "type str in place of a number",
    "{'score': {'v': 1}, 'results': [1, {'': 1}]}": "name in the text metric's result",
    "{'score': {'v': 1}, 'statistics': {1, 2}}": "not plain JSON: TypeError",
    "{'score': {'v': 1}, 'statistics': [nan]}": "not plain JSON: ValueError",
    "{'score': {'v': 1}, 'statistics': '\\ud800'}": "not plain JSON: UnicodeEncodeError",
    f"{{'score': {{'v': 1}}, 'statistics': {'[' * 51 + ']' * 51}}}": "deeper than 50 levels",
    "{'score': {'v': 1}, 'warnings': ['a', 'b']}": "no texts by position",
    "{'score': {'v': 1}, 'warnings': {'1': 'a'}}": "not by position",
    "{'score': {'v': 1}, 'warnings': {2: 'a'}}": "an instance that it was not given",
    "{'score': {'v': 1}, 'statistics': 'x' * (65 << 20)}": "more than 64 MiB",
}


def test_an_invalid_result_is_refused(sandbox: Sandbox) -> None:
    rows = [row(1, "secret output"), row(2, "secret output")]
    for what, reason in WRONG.items():
        error = failure(ask(sandbox, "broken:Returns", rows, what=what))
        assert error.code == "invalid_result", what[:80]
        assert reason in error.message, what[:80]
        assert "secret" not in error.message


def test_a_mean_needs_results(sandbox: Sandbox) -> None:
    for what in ("{'score': {'v': 1}}", "{'score': {'v': 1}, 'results': None}"):
        error = failure(ask(sandbox, "broken:Averages", what=what))
        assert (error.code, "no results" in error.message) == ("invalid_result", True)


def test_other_number_types_are_accepted(sandbox: Sandbox) -> None:
    what = "{'score': {'v': numpy.float32(0.5)}, 'results': numpy.array([1, 2]) / 4}"
    evaluation = evaluated(ask(sandbox, "broken:Averages", [row(1, "a"), row(2, "b")], what=what))
    assert evaluation.results == [0.25, 0.5]
    assert [type(result) for result in evaluation.results or ()] == [float, float]
    assert evaluation.score == {"v": 0.375}


def test_texts_are_made_storable_in_every_database(sandbox: Sandbox) -> None:
    what = "{'score': {'v': None, 'how': 'a\\0b\\ud800'}, 'warnings': {numpy.int64(0): 'é' * 999}}"
    evaluation = evaluated(ask(sandbox, "broken:Returns", what=what))
    assert evaluation.score == {"v": None, "how": "a\ufffdb?"}
    assert evaluation.warnings == ["é" * 250]


def test_a_combined_score_is_checked_too(sandbox: Sandbox) -> None:
    for combined, reason in (
        ("1", "not a dict"),
        ("{'v': '1'}", "no number"),
        ("{'v': 1e999}", "inf"),
    ):
        with sandbox.evaluating(f"{BROKEN}:Returns", {"combined": combined}) as line:
            error = failure(line.combine([1], timeout_ms=LONG_MS))
        assert error.code == "invalid_result", combined
        assert reason in error.message


def _answer(**changed: str) -> str:
    """Return a child's answer for one instance, with some fields changed."""
    fields = {"score": '{"v": 1}', "results": "null", "warnings": "null", "statistics": "1"}
    numbers = {"seconds": "1", "instances": "1", "failed": "0"}
    members = (f'"{name}": {value}' for name, value in {**fields, **numbers, **changed}.items())
    return "{" + ", ".join(members) + "}"


FORGED = [
    "",
    "nonsense",
    '{"score": {"v": NaN}}',
    '{"score": {"v": 1}, "results": null, "warnings": null, "statistics": 1}',
    _answer(score='{"v": 1e999}'),
    _answer(score='{"v\\u0000": 1}'),
    _answer(results="[1, 2]"),
    _answer(results='[{"\\u0000": 1}]'),
    _answer(results='["1"]'),
    _answer(warnings="[]"),
    _answer(statistics='["\\ud800"]'),
    _answer(statistics="[" * 51 + "]" * 51),
    _answer(statistics="[" * 900 + "]" * 900),
    _answer(statistics="[" * 90_000 + "]" * 90_000),
    _answer(seconds='"1"'),
    _answer(seconds="1" + "0" * 400),
    _answer(instances="2"),
    _answer(instances="0.5"),
    _answer(failed="-1"),
    '{"failure": ["no such code", "", ""]}',
    '{"failure": ["timeout", 1, ""]}',
]


def test_a_forged_invalid_answer_is_refused(sandbox: Sandbox) -> None:
    for forged in FORGED:
        error = failure(ask(sandbox, "broken:Lies", said=forged))
        assert error.code == "crashed", forged[:80]
        assert "the channel" in error.message, forged[:80]


def test_reported_seconds_are_limited_to_the_timeout(sandbox: Sandbox) -> None:
    answer = ask(sandbox, "broken:Lies", timeout_ms=9000, said=_answer(seconds="1e308"))
    assert evaluated(answer).seconds == 9.0


def test_a_forged_valid_answer_is_sanitised(sandbox: Sandbox) -> None:
    deep = json.loads("[" * 50 + "]" * 50)
    answer = ask(sandbox, "broken:Lies", said=_answer(statistics=json.dumps(deep)))
    assert evaluated(answer).statistics == deep
    assert ask(sandbox, "broken:Lies", said=_answer()) == (None, None, {"v": 1.0}, 1, 1.0, 1, 0)
    forged = '{"failure": ["timeout", "a\\u0000b", "\\ud800"]}'
    assert ask(sandbox, "broken:Lies", said=forged) == ("timeout", "a\ufffdb", "?")


def test_a_forged_description_with_invalid_ranges_is_refused() -> None:
    answer = {"averaged": True, "combines": False, "supervised": True, "parallel": True}
    texts: dict[str, Any] = {
        "bounds": None,
        "directions": {},
        "notes": {},
        "variants": {},
        "install": "",
    }
    for wrong in (3, [0], [0, "1"], "01"):
        forged: dict[str, Any] = answer | texts | {"ranges": {"n": wrong}}
        with pytest.raises(NoAnswer):
            _with_text_metric(PluginDescription("broken:Lies"), forged)
