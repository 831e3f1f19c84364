"""The kinds of plugins: how a class of each kind is recognised, and where it is found."""

from typing import NamedTuple


class PluginKind(NamedTuple):
    """How a class of a kind of plugin is recognised, and where it is found.

    groups: entry-point groups through which installed packages announce theirs. folder: the part of
    each package that is searched, "" for all of it. named: the attribute by which a class must name
    itself, "" for none. owns_folder: whether that folder has no plugins of other kinds.
    """

    method: str
    groups: tuple[str, ...]
    folder: str = ""
    named: str = ""
    owns_folder: bool = False


KINDS = {
    "scorer": PluginKind("score", ("podium.scorers",)),
    "metric": PluginKind("compute", ("podium.metrics", "evsys_sdk.metrics"), "metrics", "name"),
    "text_metric": PluginKind("evaluate", ("podium.text_metrics",), "text", "id"),
    "prediction_metric": PluginKind(
        "evaluate", ("podium.prediction_metrics",), "predictions", "id", owns_folder=True
    ),
}


CONFIGS = {
    "scorer": "config",
    "metric": "config",
    "text_metric": "parameters",
    "prediction_metric": "parameters",
}
"""What a kind calls its config."""


def is_searched(module_name: str, kind: str) -> bool:
    """Whether plugins of a kind are searched for in a module of a package."""
    folder, parts = KINDS[kind].folder, module_name.split(".")[1:2]
    if folder:
        return folder in parts
    return not any(other.owns_folder and other.folder in parts for other in KINDS.values())


def is_in_folder_of_others(module_name: str, kind: str) -> bool:
    """Whether a module is in the folder of another kind of plugin."""
    folders = {other.folder for other in KINDS.values()} - {KINDS[kind].folder}
    return not folders.isdisjoint(module_name.split(".")[1:2])
