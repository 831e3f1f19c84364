"""Conditions of a run, from the settings that a tool stores."""

from leaderboard.importers.reading.json_place import JsonValue
from leaderboard.importers.reading.run_facts import conditions_of


def test_conditions_are_values_at_dotted_paths_without_what_may_be_secret() -> None:
    settings = {
        "timeout": 2.5,
        "agent": {"name": "script\x00", "env": {"KEY": "hunter2"}, "kwargs": {"key": "hunter2"}},
        "servers": [{"url": "http://a", "token": "hunter2"}, ["hunter2"]],
        "names": ["a", 1, None],
        "a\x00b": 1,
        "": 1,
        "task": "left out",
    }
    assert conditions_of(JsonValue(settings, "config.json"), frozenset({"task"})) == {
        "timeout": 2.5,
        "agent.name": "script ",
        "servers": ["{…}", "{…}"],
        "names": ["a", "1", "None"],
    }
