"""Tasks of a form: the rows, the pasted list or file, and what they say by the names of the API."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from django.core.files.uploadedfile import UploadedFile
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict

from leaderboard.languages.translation import translated
from leaderboard.pages.manage.forms.sparse_rows import next_numbers, row_numbers
from leaderboard.rules.json.stored import StoredTask
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.statistics.clustering import suggested_clusters
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.quoting import sent
from leaderboard.rules.texts.task_lists import (
    COLUMNS,
    ListedTask,
    as_cell,
    as_table,
    names_in,
    read_tasks,
)
from leaderboard.services.errors import invalid

MOST_ROWS: Final = 150
"""Tasks that a form shows as rows. More are a table in one field."""
MOST_BYTES: Final = 8 * 2**20

TypedTask = tuple[int, ListedTask, float | None]
"""The number of the row, its texts, and its weight."""


class SentList(NamedTuple):
    """What was typed or uploaded as a list: its tasks, or why it cannot be read."""

    tasks: Sequence[ListedTask] = ()
    field: str = ""
    wrong: str = ""


def sent_list(
    data: QueryDict | None, files: MultiValueDict[str, UploadedFile[bytes]] | None
) -> SentList:
    """The tasks of the file, or of the pasted list if there is no file."""
    upload = files.get("file") if files else None
    if data is None or (upload is None and not data.get("pasted", "").strip()):
        return SentList()
    try:
        return SentList(read_tasks(str(data["pasted"]) if upload is None else _text_of(upload)))
    except ValueError as error:
        return SentList(field="pasted" if upload is None else "file", wrong=error.args[0])


def with_list(data: QueryDict, sent_list: SentList, stored: int) -> QueryDict:
    """The data with the tasks of the list as rows, or as a table if they are many.

    stored: how many tasks the challenge has; new rows have numbers behind theirs.
    """
    if not sent_list.tasks:
        return data
    data["pasted"] = ""
    if data.get("into") == "replace":
        _drop_tasks(data)
    numbers, before = row_numbers(data, "tasks"), _sent_tasks(data)
    if "table" in data or len(before) + len(sent_list.tasks) > MOST_ROWS:
        _drop_tasks(data)
        data["table"] = as_table([*before, *sent_list.tasks])
        return data
    _drop_empty(data, numbers)
    free = next_numbers(numbers, len(sent_list.tasks), stored)
    for number, row in zip(free, sent_list.tasks, strict=True):
        for name, text in named_row(number, row).items():
            data[name] = text
    return data


def with_suggested_clusters(data: QueryDict) -> None:
    """Fill in the clusters that the names of the sent tasks suggest."""
    tasks = _sent_tasks(data)
    clusters = suggested_clusters([row.name for row in tasks])
    if "table" in data:
        data["table"] = as_table(
            row._replace(cluster=clusters.get(row.name, row.cluster)) for row in tasks
        )
    for number in row_numbers(data, "tasks"):
        name = data.get(f"tasks.{number}.name", "")
        if name in clusters:
            data[f"tasks.{number}.cluster"] = clusters[name]


def entries_of(rows: Sequence[TypedTask], stored: Sequence[StoredTask]) -> list[JsonObject]:
    """The tasks by the names of the API.

    What rows do not say stays as it is stored, such as where a task comes from.
    """
    stored_by_name = {task["name"]: task for task in stored}
    typed = {row.name for _number, row, _weight in rows}
    entries: list[JsonObject] = []
    for number, row, weight in rows:
        name = row.name if row.name in stored_by_name else row.name.strip()
        before: Mapping[str, object] = stored_by_name.get(name, {})
        if not before and number < len(stored) and stored[number]["name"] not in typed:
            before = stored[number]  # the task gets another name
        kept = {part: value for part, value in before.items() if part not in COLUMNS}
        rewards = names_in(row.rewards)
        own = {
            "rewards": rewards,
            "group": row.group.strip(),
            "weight": weight,
            "cluster": row.cluster.strip(),
        }
        filled = {part: value for part, value in own.items() if value not in ("", None, [])}
        entries.append({"name": name, **filled, **kept})
    return entries


def listed_tasks(text: str, stored: Sequence[StoredTask] = ()) -> list[JsonObject]:
    """The tasks of a list or a table by the names of the API. Raises ServiceError."""
    try:
        rows = enumerate(read_tasks(text))
        return entries_of([(at, row, weight_of(row)) for at, row in rows], stored)
    except ValueError as error:
        raise invalid("tasks", translated(error.args[0])) from None


def row_of(task: StoredTask) -> ListedTask:
    """A stored task as texts."""
    weight = task.get("weight")
    return ListedTask(
        task["name"],
        as_cell(task.get("rewards", ())),
        task.get("group", ""),
        "" if weight is None else f"{weight:.17g}",
        task.get("cluster", ""),
    )


def weight_of(row: ListedTask) -> float | None:
    """The weight of a task, None for none. Raises ValueError."""
    try:
        return float(row.weight) if row.weight else None
    except ValueError:
        raise ValueError(
            message(
                "{task}: weight: must be a number; got {got}",
                task=row.name,
                got=sent(row.weight),
            )
        ) from None


def named_row(number: int, row: ListedTask) -> dict[str, str]:
    """The texts of a row by the names of its fields."""
    return {f"tasks.{number}.{part}": text for part, text in zip(COLUMNS, row, strict=True)}


def _drop_tasks(data: QueryDict) -> None:
    for name in [name for name in data if name == "table" or name.startswith("tasks.")]:
        del data[name]


def _drop_empty(data: QueryDict, numbers: Sequence[int]) -> None:
    for number in numbers:
        names = [f"tasks.{number}.{part}" for part in COLUMNS]
        if not any(data.get(name) for name in names):
            for name in names:
                data.pop(name, None)


def _sent_tasks(data: QueryDict) -> list[ListedTask]:
    """The tasks of the rows, or of the table, that a form sent."""
    if "table" in data:
        try:
            return read_tasks(str(data["table"]))
        except ValueError:
            return []
    rows = (
        ListedTask(*(str(data.get(f"tasks.{number}.{part}", "")) for part in COLUMNS))
        for number in row_numbers(data, "tasks")
    )
    return [row for row in rows if any(row)]


def _text_of(upload: UploadedFile[bytes]) -> str:
    """The text of a file. Raises ValueError."""
    if (upload.size or 0) > MOST_BYTES:
        raise ValueError(message("must have at most {most} MiB; got more", most=MOST_BYTES >> 20))
    upload.seek(0)
    try:
        return str(upload.read(), "utf-8")
    except UnicodeDecodeError:
        raise ValueError(message("must be a text in UTF-8; got another encoding")) from None
