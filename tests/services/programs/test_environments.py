"""The packages of a program are locked once, so that every host installs the same ones."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
from django.db.models import RestrictedError

from leaderboard.models import Challenge, ChallengeFile, User
from leaderboard.sandbox.scripts.headers import lock_block
from leaderboard.services.errors import ServiceError
from leaderboard.services.files.challenge_files import remove_file
from leaderboard.services.programs.environments import header_for, prepared_folder, read_lock
from leaderboard.services.programs.identity import program_code
from tests.metric_scripts import only_from, wheel
from tests.programs import twins
from tests.services.programs.conftest import Role, stored, use_program

pytestmark = pytest.mark.django_db


@pytest.fixture
def wheels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "wheels"
    folder.mkdir()
    only_from(folder, monkeypatch)
    wheel(folder, "sevens", {"sevens.py": "SEVEN = 7\n"})
    return folder


def test_a_program_keeps_the_versions_that_it_was_saved_with(
    sprint: Challenge, alice: User, scripts_dir: Path, wheels: Path
) -> None:
    program: dict[str, Any] = {
        "kind": "codabench",
        "scoring": stored(sprint, Role.SCORING_PROGRAM, twins.CODALAB),
        "values": {"set1_score": "desc"},
        "packages": ["sevens"],
    }
    use_program(sprint, alice, **program)
    saved = sprint.newest.scoring_program
    assert saved is not None
    assert saved.lock is not None
    (pin,) = read_lock(sprint, saved.lock).pins
    assert pin.partition(" ")[0] == "sevens==1.0"
    code = program_code(sprint.newest)

    wheel(wheels, "sevens", {"sevens.py": "SEVEN = 8\n"}, version="1.1")
    shutil.rmtree(scripts_dir / "scripts")  # as on another host
    folder = prepared_folder(sprint, saved)
    assert [path.read_text() for path in Path(folder).rglob("sevens.py")] == ["SEVEN = 7\n"]
    use_program(sprint, alice, **program, seconds=60)
    assert sprint.newest.scoring_program == saved.model_copy(update={"seconds": 60})
    assert program_code(sprint.newest) == code

    use_program(sprint, alice, **{**program, "packages": ["sevens>=1.1"]})
    newer = sprint.newest.scoring_program
    assert newer is not None
    assert newer.lock not in (None, saved.lock)
    assert program_code(sprint.newest) != code
    with pytest.raises(ServiceError, match=r"program\.lock"):
        use_program(sprint, alice, **program, lock=newer.lock)
    for digest in (saved.lock, program["scoring"]):
        with pytest.raises(RestrictedError):
            remove_file(ChallengeFile.objects.get(sha256=digest))


@pytest.mark.parametrize(
    "pin", ["--index-url https://example.org", "sevens @ file:///tmp/x", "sevens>=1", "-e ."]
)
def test_a_lock_names_versions_and_nothing_else(
    sprint: Challenge, alice: User, scripts_dir: Path, pin: str
) -> None:
    text = header_for(["sevens"]) + lock_block([pin])
    with pytest.raises(ServiceError, match=r"program\.lock"):
        use_program(
            sprint,
            alice,
            kind="codabench",
            scoring=stored(sprint, Role.SCORING_PROGRAM, twins.CODALAB),
            values={"set1_score": "desc"},
            packages=["sevens"],
            lock=stored(sprint, Role.ENVIRONMENT, {"packages.lock": text}),
        )
