"""Lists of tasks as people write them."""

from __future__ import annotations

import pytest

from leaderboard.rules.texts.task_lists import ListedTask, as_cell, as_table, names_in, read_tasks


def test_tasks_are_read_from_lists_and_tables() -> None:
    cases: list[tuple[str, list[ListedTask]]] = [
        ("", []),
        ("\n \n", []),
        ("lock\nkey\n", [ListedTask("lock"), ListedTask("key")]),
        ("lock: solved, style\n", [ListedTask("lock", "solved, style")]),
        ("a:b\n", [ListedTask("a:b")]),
        ("name\nlock\n", [ListedTask("lock")]),
        ("lock, door\n", [ListedTask("lock, door")]),
        (
            'name,rewards,group,weight\r\nlock,"solved, style",easy,2\r\nkey,,,\r\n',
            [ListedTask("lock", "solved, style", "easy", "2"), ListedTask("key")],
        ),
        ("Name;Group\nlock;easy\n;\n", [ListedTask("lock", group="easy")]),
        ("\ufeffname\tweight\nlock\t0.5\n", [ListedTask("lock", weight="0.5")]),
        ("group,name\neasy\n", [ListedTask("", group="easy")]),
    ]
    for text, tasks in cases:
        assert read_tasks(text) == tasks, text


def test_other_headers_are_refused() -> None:
    for header in ("name,colour", "name,name"):
        with pytest.raises(ValueError, match=r"columns \(name, rewards"):
            read_tasks(f"{header}\nlock,red\n")


def test_a_table_is_read_as_it_was_written() -> None:
    tasks = [
        ListedTask("lock", as_cell(["solved", "a, b", 'a "c"']), "easy", "2"),
        ListedTask('the "key", bent'),
    ]
    assert read_tasks(as_table(tasks)) == tasks
    assert names_in(tasks[0].rewards) == ["solved", "a, b", 'a "c"']


def test_an_empty_cell_has_no_names() -> None:
    assert names_in("") == []
    assert names_in(" , solved ,") == ["solved"]
