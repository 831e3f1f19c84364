"""The local models of text metrics: folders below the operator's folders of models.

The parameter `model_path` of a text metric names a model by its path below such a folder or by its
absolute path. The metric always gets the absolute path. Models are never downloaded, so that
scoring waits for no network. The files must be readable by every user, because children run as
another one.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.import_paths import contains
from leaderboard.rules.texts.messages import Message, message
from leaderboard.rules.texts.quoting import sent

PARAMETER = "model_path"
MARK = "config.json"
"""The file that makes a folder a model."""

_MOST_NAMES = 20


class UnknownModel(ValueError):
    """There is no such model below the operator's folders. Its argument says so to everyone."""


def with_model(parameters: Mapping[str, object], folders: Sequence[str]) -> JsonObject:
    """The parameters, with the absolute path of the model if they name one.

    Raises UnknownModel, whose argument says what is accepted.
    """
    named = parameters.get(PARAMETER)
    if named is None:
        return dict(parameters)
    return {**parameters, PARAMETER: _find(named, folders)}


def _find(named: object, folders: Sequence[str]) -> str:
    if isinstance(named, str) and named and "\0" not in named:
        for folder in folders:
            path = os.path.realpath(os.path.join(folder, named))
            if _is_below(folder, path) and os.path.exists(path):
                return path
    raise UnknownModel(_refusal(folders, sent(named)))


def _is_below(folder: str, path: str) -> bool:
    return contains(folder, path) and os.path.realpath(path) != os.path.realpath(folder)


def _refusal(folders: Sequence[str], got: str) -> Message:
    if not folders:
        return message(
            "must be absent, because MODEL_PATH names no folder of models; got {got}", got=got
        )
    names = sorted(set(_names(folders)))
    if not names:
        return message(
            "must be the absolute path of a model in MODEL_PATH, which has none yet; got {got}",
            got=got,
        )
    listed_names = ", ".join(names[:_MOST_NAMES]) + (", …" if len(names) > _MOST_NAMES else "")
    return message(
        "must be the name of a model in MODEL_PATH, or the absolute path of one there ({names}); "
        "got {got}",
        names=listed_names,
        got=got,
    )


def _names(folders: Iterable[str]) -> Iterator[str]:
    """`name` or `owner/name` of each model."""
    for folder in folders:
        for name in _subfolders(folder):
            if _is_model(folder, name):
                yield name
            for inner in _subfolders(os.path.join(folder, name)):
                if _is_model(folder, name, inner):
                    yield f"{name}/{inner}"


def _subfolders(folder: str) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir())
    except OSError:
        return []


def _is_model(folder: str, *names: str) -> bool:
    path = os.path.join(folder, *names)
    return _is_below(folder, path) and os.path.isfile(os.path.join(path, MARK))
