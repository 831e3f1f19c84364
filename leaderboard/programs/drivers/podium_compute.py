"""Call `compute` with the predictions and references of one part, in the order of the references.

Arguments: the program's file, the references, the predictions, its root, the folder for the answer,
and a JSON object with the columns, the part and the settings. Files are CSV, JSON or JSON lines.
"""

import csv
import json
import sys

from podium_common import answer, is_visible, load, show

file, references_path, predictions_path, root, out, order = sys.argv[1:]
order = json.loads(order)


def plain(text):
    try:
        return int(text)
    except ValueError:
        try:
            return float(text)
        except ValueError:
            return text


def rows_of(path):
    with open(path, encoding="utf-8-sig", newline="") as file:
        if path.endswith(".jsonl"):
            return [json.loads(line) for line in file if line.strip()]
        if path.endswith(".json"):
            return json.load(file)
        return list(csv.DictReader(file))


def target_in(row):
    skipped = (order["id_column"], order["usage_column"])
    return order["target_column"] or next(name for name in row if name not in skipped)


references, predictions = rows_of(references_path), rows_of(predictions_path)
column, usage = order["id_column"], order["usage_column"]
if references and isinstance(references[0], dict) and column:
    if usage and order["part"] != "all":
        references = [row for row in references if row[usage].lower() == order["part"]]
    elif usage:
        references = [row for row in references if row[usage].lower() != "ignored"]
    by_id = {row.get(column): row for row in predictions}
    missing = [row[column] for row in references if row[column] not in by_id]
    if missing:
        show(out, f"The id {missing[0]} is missing; {len(missing)} ids are.")
    predictions = [by_id[row[column]] for row in references]
    target = target_in(references[0])
    if any(target not in row for row in predictions):
        show(out, f"The submission must have the column {target}.")
    references = [row[target] for row in references]
    predictions = [row[target] for row in predictions]
    if references_path.endswith(".csv"):
        references, predictions = list(map(plain, references)), list(map(plain, predictions))
if len(references) != len(predictions):
    show(out, f"There must be {len(references)} predictions; got {len(predictions)}.")
module = load(file, root)
try:
    result = module.compute(predictions=predictions, references=references, **order["settings"])
except Exception as error:
    if is_visible(error):
        show(out, str(error)[:280])
    raise
answer(out, {"values": result if isinstance(result, dict) else {"score": result}})
