"""What is found in a program and in a submission without running either."""

import io
import json
import sys
from pathlib import Path

import pytest

from leaderboard.importers.reading.errors import Unsafe
from leaderboard.importers.reading.unpacking import root_of, unpack
from leaderboard.importers.reading.zips import Zip
from leaderboard.programs import recognised
from leaderboard.programs.reading.answers import numbers_in, scores_of
from leaderboard.programs.reading.contract import ProgramRefused
from leaderboard.programs.reading.dangers import dangers
from leaderboard.programs.reading.gpus import asks_for_gpu
from leaderboard.programs.reading.notebooks import write_notebooks
from leaderboard.programs.reading.packages import (
    completed,
    missing,
    packages_of,
    proposed,
    without_submitted,
)
from leaderboard.programs.reading.sources import function_in
from tests.importers.uploads import zipped
from tests.programs import twins
from tests.programs.twins import write


def test_packages_are_those_that_are_imported_installed_or_listed(tmp_path: Path) -> None:
    assert packages_of(write(tmp_path / "a", twins.KAGGLE)) == ()
    assert packages_of(write(tmp_path / "b", twins.EVALAI)) == ("numpy", "scikit-learn")
    files = {"a.py": "import sklearn.metrics, os, b\nnp.float(1)", "b.py": "from . import a"}
    files["requirements.txt"] = "scikit-learn >= 1  # a comment\nno-such-package==1"
    folder = write(tmp_path / "c", files)
    assert packages_of(folder) == ("no-such-package==1", "scikit-learn>=1")
    assert missing(["no-such-package==1", "packaging"]) == ("no-such-package==1",)
    if sys.version_info < (3, 12):
        assert "numpy==1.23.5" in proposed(folder)
    else:
        with pytest.raises(ProgramRefused, match=r"NumPy 1\.24"):
            proposed(folder)
    assert without_submitted(["numpy>1", "submission"]) == ("numpy>1",)
    assert completed(["pandas<2"], ["pandas", "numpy"]) == ("numpy", "pandas<2")
    for line, problem in {
        "x @ https://example.org/x.zip": "got a place",
        "cupy-cuda12x": r"requirements.txt: must not need a GPU.*cupy-cuda12x",
    }.items():
        (folder / "requirements.txt").write_text(line)
        with pytest.raises(ProgramRefused, match=problem):
            packages_of(folder)


def test_gpus_are_done_without(tmp_path: Path) -> None:
    listed = "onnxruntime-gpu>=1\ntorch==2.1+cu118\nnvidia-cublas-cu12==12.1\ntensorflow[and-cuda]"
    source = "try:\n import cupy\nexcept ImportError: pass\nimport torch\nx.cuda()"
    files = {"requirements.txt": listed, "a.py": source, "b.py": "torch.cuda.is_available()"}
    folder = write(tmp_path, files)
    assert packages_of(folder) == ("onnxruntime>=1", "tensorflow", "torch==2.1")
    assert [text.partition(" ")[0] for text in asks_for_gpu(folder)] == ["a.py"]


def test_a_notebook_is_a_program(tmp_path: Path) -> None:
    cells = [
        {"cell_type": "markdown", "source": "def score("},
        {"cell_type": "code", "source": ["!pip install x\n", "import math\n"]},
        {"cell_type": "code", "source": twins.KAGGLE["metric.py"]},
        {"cell_type": "code", "source": "%%bash\nls"},
    ]
    folder = write(tmp_path, {"metric.ipynb": json.dumps({"cells": cells})})
    write_notebooks(folder)
    assert recognised(folder).name == "kaggle"
    assert function_in(folder / "metric.py", "score") is not None
    (folder / "metric.py").unlink()
    (folder / "metric.ipynb").write_text('{"cells": 1}')
    with pytest.raises(ProgramRefused, match=r"metric\.ipynb: must be a notebook"):
        write_notebooks(folder)


def test_zips_are_unpacked_within_their_folder(tmp_path: Path) -> None:
    files = {"top/a.py": "x", "top/b/c.txt": "y", "__MACOSX/top/._a.py": "z"}
    assert unpack(Zip(io.BytesIO(zipped(files))), tmp_path) == ["top/a.py", "top/b/c.txt"]
    assert root_of(tmp_path) == tmp_path / "top"
    assert (tmp_path / "top/b").stat().st_mode & 0o777 == 0o755
    for wrong in ({"../a": ""}, {"/a": ""}, {"a": "", "a/b": ""}, {"a": "x" * 10**6}):
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        with pytest.raises(Unsafe):
            unpack(Zip(io.BytesIO(zipped(wrong))), folder, most_bytes=10**5)
    assert not (tmp_path.parent / "a").exists()


def test_dangerous_files_are_named(tmp_path: Path) -> None:
    files = {"a.py": "import pickle, torch\ntorch.load('x')", "b.pkl": "", "c.so": "", "d.csv": ""}
    texts = dangers(write(tmp_path, files))
    assert [text.partition(" ")[0] for text in texts] == ["a.py", "a.py", "b.pkl", "c.so"]


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('{"a": 0.1, "b": NaN, "c": "0.5", "d": true, "e": [1]}', {"a": 0.1, "c": 0.5}),
        (f'{{"a": 1, "b": {10**400}}}', {"a": 1.0}),
        ("[" * 100_000, {}),
        ('{"a": 1', {}),
    ],
)
def test_numbers_are_taken_from_beside_what_is_none(
    tmp_path: Path, text: str, values: dict[str, float]
) -> None:
    (tmp_path / "scores.json").write_text(text)
    scores, name = scores_of(tmp_path)
    assert (name, numbers_in(scores, [])) == ("scores.json", values)
