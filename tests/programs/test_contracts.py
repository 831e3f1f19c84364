"""A twin of each platform's program, recognised and run in the sandbox."""

import json
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.importers.reading.unpacking import make_readable
from leaderboard.programs import contract_of, known_contracts, recognised
from leaderboard.programs.reading.contract import ProgramAnswer, ProgramRefused, ScoringTask
from leaderboard.sandbox import Sandbox, SandboxSettings
from leaderboard.sandbox.__main__ import main
from leaderboard.sandbox.host.fork_servers import borrow, give_back
from leaderboard.sandbox.host.programs import RunOfProgram, ScoredProgram, ingest, score_program
from tests.programs import twins
from tests.programs.twins import Files, write

linux = pytest.mark.skipif(sys.platform != "linux", reason="fixed paths need a private root")
TRUTH, ANSWERS = {"truth.txt": "a b c d"}, {"answer.txt": "a b c x"}


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    server = borrow(SandboxSettings().preload)
    with Sandbox() as sandbox:
        yield sandbox
    give_back(server)


@pytest.fixture
def work() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="podium-programs-") as folder:
        yield Path(folder)


def scored(
    sandbox: Sandbox, work: Path, program: Files, truth: Files, submission: Files, task: ScoringTask
) -> ScoredProgram:
    folder, results = work / "program", work / "results"
    if not folder.exists():
        write(folder, program)
    write(work / "input/ref", truth)
    write(work / "input/res", submission)
    make_readable(work)
    if results.exists():
        results.rename(work / str(len(list(work.iterdir()))))
    results.mkdir()
    task = replace(task, truth=tuple(truth), submission=tuple(submission))
    run = RunOfProgram(sandbox, seconds=120)
    return score_program(run, recognised(folder), folder, work / "input", task, results)


def test_kaggle_rows_are_matched_by_id_and_counted_by_part(sandbox: Sandbox, work: Path) -> None:
    options: dict[str, Any] = {"id_column": "id", "usage_column": "Usage", "settings": {"power": 1}}

    def answer(submission: str, **changes: Any) -> ProgramAnswer:
        task = ScoringTask(options=options, **changes)
        given = {"submission.csv": submission}
        truth = {"solution.csv": twins.SOLUTION}
        return scored(sandbox, work, twins.KAGGLE, truth, given, task).answer

    assert answer(twins.SUBMISSION, part="public").values == {"result": 2.0}
    assert answer(twins.SUBMISSION, part="private").values == {"result": 0.25}
    assert answer("id,y\n001,1\n").message == "The id 002 is missing; 3 ids are."
    assert answer("id,y\n001,-1\n002,1\n003,1\n004,1\n").message == "y must not be negative"
    options["settings"] = {}
    failed = answer(twins.SUBMISSION)
    assert failed.code == "exception"
    assert "power" in failed.message


def test_evalai_values_are_of_the_splits_that_count(sandbox: Sandbox, work: Path) -> None:
    truth, given = {"annotations.json": '{"a": 1, "b": 2}'}, {"sub.json": '{"a": 1}'}
    options = {"splits": {"test": "private"}}
    task = ScoringTask(part="public", options=options, phase="dev")
    run = scored(sandbox, work, twins.EVALAI, truth, given, task)
    assert run.answer.values == {"Accuracy": 0.5, "F1_score": 0.5}
    assert run.answer.notes == ("note: left out, because it is no finite number",)
    contract = contract_of("evalai")
    whole = contract.answer(work / "results", ScoringTask())
    assert set(whole.values) == {"dev:Accuracy", "dev:F1_score", "test:Accuracy"}


@linux
def test_programs_of_codabench_and_codalab_run_at_the_paths_that_they_expect(
    sandbox: Sandbox, work: Path
) -> None:
    run = scored(sandbox, work, twins.CODABENCH, TRUTH, ANSWERS, ScoringTask())
    if "private root" in run.answer.message:
        pytest.skip(run.answer.message)
    assert run.answer.values == {"accuracy": 0.75}
    assert run.answer.page == "detailed_results.html"
    (work / "program").rename(work / "other")
    run = scored(sandbox, work, twins.CODALAB, TRUTH, ANSWERS, ScoringTask())
    assert run.answer.values == {"set1_score": 0.75, "Duration": 0.0}


def test_a_metric_of_evaluate_gets_predictions_in_the_order_of_the_truth(
    sandbox: Sandbox, work: Path
) -> None:
    task = ScoringTask(options={"id_column": "id", "settings": {"normalize": False}})
    truth, given = {"t.csv": "id,y\n1,a\n2,b\n"}, {"p.csv": "id,y\n2,b\n1,c\n"}
    run = scored(sandbox, work, twins.COMPUTE, truth, given, task)
    assert run.answer.values == {"accuracy": 1.0}


HOSTILE = {
    "the truth": "import glob\ndef predict(x): raise SystemExit(glob.glob('/app/*/ref/*'))",
    "its path": "def predict(x): return open(TRUTH).read()",
    "the input": "def predict(x): open('/app/input_data/x.txt', 'w')",
    "a process": "import os\ndef predict(x): os.fork()",
    "the network": "import socket\ndef predict(x): socket.create_connection(('127.0.0.1', 80))",
    "another attempt": "import os\ndef predict(x): return str(os.listdir(os.path.dirname(TRUTH)))",
    "the disk": "def predict(x): open('/app/output/x', 'wb').write(bytes(300 << 20))",
}


def test_code_is_run_then_its_output_scored(sandbox: Sandbox, work: Path) -> None:
    write(work / "ingestion", twins.INGESTION)
    write(work / "data", {"x.txt": "A B C"})
    write(work / "truth", {"truth.txt": "the truth"})

    def run(code: str, seconds: float = 60) -> tuple[Any, Path]:
        submission = write(work / "code", {"model.py": code})
        make_readable(work)
        results = Path(tempfile.mkdtemp(dir=work))
        limited = RunOfProgram(sandbox, seconds=seconds)
        return ingest(limited, work / "ingestion", work / "data", submission, results), results

    ended, results = run("def predict(x): return x.lower()")
    assert ended.output == "predicted 3\n"
    assert (results / "answer.txt").read_text() == "a\nb\nc"
    assert "ingestionExitCode: 0" in (results / "metadata").read_text()
    assert run("def predict(x):\n  while True: pass", 1)[0].failure.code == "timeout"
    if sys.platform != "linux":
        return
    for what, code in HOSTILE.items():
        ended, results = run(f"TRUTH = {str(work / 'truth/truth.txt')!r}\n{code}")
        assert ended.failure is not None, what
        assert "truth.txt" not in ended.failure.message, what
        assert sum(path.stat().st_size for path in results.rglob("*")) < 1 << 20, what


REFUSED = {
    "for Python 2": {"metadata": "command: python $program/a.py", "a.py": "print 'x'\n"},
    "got Rscript": {"metadata": "command: Rscript $program/a.R"},
    "got bash": {"metadata": "command: bash run.sh"},
    "got docker": {"metadata": "command: docker run x"},
    "for a shell": {"metadata": "command: python a.py && rm b"},
    "got none": {"metadata": "description: x"},
    "must take solution": {"m.py": "def score(a): pass"},
    "must be valid Python": {"m.py": "def score(solution, submission, row_id_column_name):"},
}


def test_what_cannot_run_is_refused_by_name(tmp_path: Path) -> None:
    for number, (words, files) in enumerate(REFUSED.items()):
        folder = write(tmp_path / str(number), files)
        with pytest.raises(ProgramRefused, match=words):
            recognised(folder).check(folder)
    with pytest.raises(ProgramRefused, match="one of these kinds"):
        recognised(write(tmp_path / "none", {"a.txt": ""}))


def test_settings_come_from_the_signature(tmp_path: Path) -> None:
    assert list(known_contracts()) == ["codabench", "evalai", "kaggle", "compute"]
    folder = write(tmp_path / "kaggle", twins.KAGGLE)
    settings = recognised(folder).settings(folder)
    assert [setting[:4] for setting in settings] == [
        ("power", "number", None, True),
        ("clip", "integer", 100, False),
    ]


DOCUMENTED = '''
def score(solution, submission, row_id_column_name, beta=1, labels=None, name: str = "a", far=2.0):
    """Score.

    Args:
        beta (float): how much recall counts,
            more than precision.
        labels: those that count
    Parameters
    ----------
    name : str
        What it is called.
    :param far: how far.
    """
'''


def test_settings_have_the_help_of_the_docstring(tmp_path: Path) -> None:
    folder = write(tmp_path, {"metric.py": DOCUMENTED})
    assert {
        setting.name: (setting.kind, setting.help)
        for setting in recognised(folder).settings(folder)
    } == {
        "beta": ("number", "how much recall counts, more than precision."),
        "labels": ("json", "those that count"),
        "name": ("text", "What it is called."),
        "far": ("number", "how far."),
    }


def test_the_program_of_a_folder_runs_by_command(
    work: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(work / "scoring_program", twins.CODALAB)
    write(work / "reference_data", TRUTH)
    write(work / "ingestion_program", twins.INGESTION)
    write(work / "input_data", {"x.txt": "A B X D"})
    write(work / "submission", {"model.py": "def predict(x): return x.lower()"})
    assert main(["run", str(work)], {}) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["all"]["values"] == {"set1_score": 0.75, "Duration": 0.0}
    assert report["ingestion"]["output"] == "predicted 4\n"
    assert main(["run", str(work / "submission")], {}) == 2
