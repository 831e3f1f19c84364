"""Files of predictions and the hidden truth that they are compared with; no framework.

Needs the extra `predictions`; `is_installed` says whether it is there. Every function that reads a
file is in a child of the sandbox in production, so services call the methods of `Sandbox` with the
same names (`services.plugins.predictions`), and pass the results on:

1. `preview_table(content)` gives the first rows of a table, for the organiser's form.
2. `read_truth(content, TruthSettings(...))` gives a `Truth`: store `form` (ids and columns, not
   secret) and `key` (answers and parts, secret), offer `sample` for download.
   `metric_kinds(kind)` are the kinds of metrics that fit (`PluginDescription.rows`). Ask each
   metric for a perfect file, `measure_predictions(..., files=[None])`, for each part: a `reason`
   says why this truth cannot be used with it (a 0 for MAPE, one class in a part).
3. `check_predictions(content, form)` gives `Predictions`: store `packed`, ordered as the truth.
4. `measure_predictions(entrypoint, parameters, key, [packed, ...], part="public")` gives a
   `Measured` for each file: the values by name, the first is the metric's value, None with a reason
   if it is undefined; its interval. `compare_predictions` compares such files row by row, and
   `picture_predictions` gives the numbers of pictures of their rows.

Files that are not accepted raise `BadTable` with the first problems by line. A `Failure` is
returned for what went wrong otherwise: no memory, no time, a broken metric.

`layouts` says what is in the columns, `tables` reads files (`delimited`, `headers`), `cells`
converts columns, `truths` and `checking` read truths and predictions, `packing` stores them,
`scoring` measures them, `comparing` compares them, `pictures` shows them beside the truth.
"""

from importlib.util import find_spec
from typing import Final

NOT_INSTALLED: Final = "python -m pip install 'podium[predictions]'"
"""The command that installs what predictions need."""

_NEEDED: Final = ("pyarrow", "sklearn", "scipy", "pandas")


def is_installed() -> bool:
    """Whether the extra `predictions` is installed."""
    return all(find_spec(name) for name in _NEEDED)
