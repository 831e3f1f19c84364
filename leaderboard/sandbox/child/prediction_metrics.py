"""Reads a prediction metric's description of itself from its optional class attributes."""

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.texts.plugin_output import cut
from leaderboard.sandbox.child.text_metrics import bound_of, bounds_of, install_of, not_installed

ROWS = ("values", "labels", "probabilities", "scores", "rankings", "masks")


def described(plugin: type) -> JsonObject:
    """The fields of a description that only metrics of predictions have.

    They include an `error` if the metric is not installed, or if its `kind` is unknown.
    """
    rows = str(getattr(plugin, "kind", ROWS[0]))
    fields: JsonObject = {
        "rows": rows if rows in ROWS else "",
        "bounds": bounds_of(getattr(plugin, "bounds", None)),
        "above": bound_of(getattr(plugin, "above", None)),
        "install": install_of(plugin),
    }
    if rows not in ROWS:
        text = f"Its kind must be one of {', '.join(ROWS)}; got {cut(rows, 40)}."
        return fields | {"error": ["load_error", text, ""]}
    error = not_installed(plugin)
    return fields if error is None else fields | {"error": list(error)}
