"""Output documents have the keys that HarpIA Lab's documents have, and no others."""

from __future__ import annotations

import json
from typing import Any

from leaderboard.rules.rewards.output_documents import Ended, error_line, log_lines, output_entry

GIVEN: Any = {
    "id": "bleu_nltk",
    "enable": True,
    "parameters": {"auto_reweigh": True},
    "colour": "red",
}
ERROR = {"code": "timeout", "message": "too long"}


def test_an_entry_has_the_given_id_and_parameters() -> None:
    assert output_entry(Ended(GIVEN, {"mean": 0.5}, 1.23456789)) == {
        "id": "bleu_nltk",
        "parameters": {"auto_reweigh": True},
        "score": {"mean": 0.5},
        "elapsed time": 1.234568,
    }
    assert output_entry(Ended({"id": "F1"}, {}, 0.0))["parameters"] == {}


def test_the_entry_of_a_failed_metric_has_its_error() -> None:
    ended = Ended(GIVEN, None, 2.0, {"code": "timeout", "message": "too long"})
    assert output_entry(ended)["score"] is None
    assert output_entry(ended)["error"] == ERROR
    line = json.loads(error_line(ended))
    assert (line["instance_id"], line["result"], line["error"]) == (None, None, ERROR)


def test_the_log_has_a_line_for_each_instance() -> None:
    lines = list(log_lines(GIVEN, [1, "zwei"], [0.5, {"a": None}], [None, "short ü"]))
    assert [line[-1] for line in lines] == ["\n", "\n"]
    first, second = map(json.loads, lines)
    assert list(first) == ["instance_id", "id", "parameters", "result"]
    assert (first["instance_id"], first["result"]) == (1, 0.5)
    assert (second["instance_id"], second["result"]) == ("zwei", {"a": None})
    assert second["warning"] == "short ü"
    assert "ü" in lines[1]
