"""Call `score` of a Kaggle metric with the rows of one part.

Arguments: the metric's file, the solution, the submission, the program's root, the folder for the
answer, and a JSON object with the columns, the part and the settings.
"""

import contextlib
import json
import sys

import pandas as pd
from podium_common import answer, is_visible, load, show

file, solution_path, submission_path, root, out, order = sys.argv[1:]
order = json.loads(order)
with contextlib.suppress(KeyError):  # an older pandas has no such option
    # Texts are objects, as on Kaggle; pandas 3 would make them of a type of its own.
    pd.set_option("future.infer_string", False)
usage, column = order["usage_column"], order["id_column"]


def read(path):
    if path.endswith(".parquet"):
        return pd.read_parquet(path)
    return pd.read_csv(path)


def ids_of(path, frame):
    """The ids as texts: what pandas makes of `001` or `NA` is for the metric alone."""
    if path.endswith(".parquet"):
        return frame[column].astype(str)
    return pd.read_csv(path, usecols=[column], dtype=str, keep_default_na=False)[column]


def matched(solution, submission):
    """The submission in the order of the solution; tells the participant what is missing."""
    wanted, ids = ids_of(solution_path, solution), ids_of(submission_path, submission)
    if ids.duplicated().any():
        show(out, f"The column {column} has the id {ids[ids.duplicated()].iloc[0]} twice.")
    missing = wanted[~wanted.isin(ids)]
    if len(missing):
        show(out, f"The id {missing.iloc[0]} is missing; {len(missing)} ids are.")
    further = ids[~ids.isin(wanted)]
    if len(further):
        show(
            out, f"The id {further.iloc[0]} does not belong to the task; {len(further)} ids do not."
        )
    places = pd.Index(ids).get_indexer(wanted)
    return submission.iloc[places].reset_index(drop=True)


solution, submission = read(solution_path), read(submission_path)
if column not in submission.columns:
    show(out, f"The submission must have the column {column}.")
if order["rows_match"]:
    submission = matched(solution, submission)
if usage:
    part = solution[usage].astype(str).str.lower()
    keep = part.isin(["public", "private"]) if order["part"] == "all" else part == order["part"]
    if order["rows_match"]:
        submission = submission[keep.to_numpy()].reset_index(drop=True)
    solution = solution[keep].drop(columns=[usage]).reset_index(drop=True)
metric = load(file, root)
try:
    score = metric.score(solution.copy(), submission.copy(), column, **order["settings"])
except Exception as error:
    if is_visible(error):
        show(out, str(error)[:280])
    raise
answer(out, {"score": float(score)})
