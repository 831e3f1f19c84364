"""A small twin of the layout of each platform: the files of a program, a truth and a submission."""

from pathlib import Path

Files = dict[str, str]

SOLUTION = "id,y,Usage\n001,1.0,Public\n002,2.0,Private\n003,3.0,Public\n004,9.0,Ignored\n"
SUBMISSION = "id,y\n003,5\n002,2.5\n001,1\n004,0\n"
KAGGLE: Files = {
    "metric.py": """
import kaggle_metric_utilities
from helper import squared

class ParticipantVisibleError(Exception):
    pass

def score(solution, submission, row_id_column_name: str, power: float, clip: int = 100) -> float:
    assert list(solution.index) == list(range(len(solution)))
    assert "Usage" not in solution.columns
    del solution[row_id_column_name], submission[row_id_column_name]
    if (submission["y"] < 0).any():
        raise ParticipantVisibleError("y must not be negative")
    return squared(solution["y"], submission["y"]) ** power
""",
    "helper.py": "def squared(a, b):\n    return float(((a - b) ** 2).mean())\n",
}
EVALAI: Files = {
    "evaluation_script/__init__.py": """
import os, subprocess, sys
subprocess.check_call([sys.executable, "-m", "pip", "install", "sklearn"])
os.system("python -m pip install numpy")
from .main import evaluate
""",
    "evaluation_script/main.py": """
import json
import numpy
from .parts import mean

def evaluate(test_annotation_file, user_submission_file, phase_codename, **kwargs):
    truth, answers = json.load(open(test_annotation_file)), json.load(open(user_submission_file))
    hits = [truth[name] == answers.get(name) for name in truth]
    result = {"Accuracy": numpy.float32(mean(hits)), "F1 score": 0.5, "note": "x"}
    return {"result": [{"dev": result}, {"test": {"Accuracy": 1.0}}], "submission_result": 3}
""",
    "evaluation_script/parts.py": "def mean(hits):\n    return sum(hits) / len(hits)\n",
}
CODABENCH: Files = {
    "metadata.yaml": "command: python3 /app/program/score.py /app/input /app/output\n",
    "score.py": """
import json, os, sys
given, out = sys.argv[1:]
truth = open("/app/input/ref/truth.txt").read().split()
answer = open(os.path.join(given, "res", "answer.txt")).read().split()
open("/app/shared/x", "w").close()
score = sum(a == b for a, b in zip(truth, answer)) / len(truth)
json.dump({"accuracy": score, "more": {"x": 1}}, open(out + "/scores.json", "w"))
open(out + "/detailed_results.html", "w").write("<p>fine</p>")
""",
}
CODALAB: Files = {
    "metadata": "command: python $program/evaluate.py $input $output\n",
    "evaluate.py": """
import os, sys
given, out = sys.argv[1:]
truth = open(os.path.join(given, "ref", "truth.txt")).read().split()
answer = open(os.path.join(given, "res", "answer.txt")).read().split()
hits = sum(a == b for a, b in zip(truth, answer))
with open(os.path.join(out, "scores.txt"), "w") as file:
    file.write("set1_score: %.12f\\nDuration: 0\\n" % (hits / len(truth)))
""",
}
INGESTION: Files = {
    "metadata": "command: python $program/run.py $input $output $submission_program\n",
    "run.py": """
import os, sys
given, out, code = sys.argv[1:]
sys.path.insert(0, code)
import model
lines = open(os.path.join(given, "x.txt")).read().split()
open(os.path.join(out, "answer.txt"), "w").write("\\n".join(map(model.predict, lines)))
print("predicted", len(lines))
""",
}
COMPUTE: Files = {
    "accuracy.py": """
def compute(predictions, references, normalize=True):
    hits = sum(p == r for p, r in zip(predictions, references))
    return {"accuracy": hits / len(references) if normalize else float(hits)}
"""
}


def write(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder
