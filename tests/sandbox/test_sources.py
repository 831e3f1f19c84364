"""The code version of a plugin: the hash of its files, computed without importing anything."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from leaderboard.rules.plugins.shipped import SHIPPED_SCORERS, SHIPPED_TEXT_METRICS
from leaderboard.sandbox import Request, Sandbox, SandboxSettings
from leaderboard.sandbox.host import sources
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.imports import imported_by
from leaderboard.sandbox.host.outcomes import ScoringChild
from leaderboard.sandbox.host.sources import code_of, combined
from tests.plugin_files import write
from tests.sandbox.cases import LONG_MS

GIVES = "class Gives:\n    def score(self, metrics, config, ctx):\n        return {{'score': {}}}\n"


def code(folder: Path, entrypoint: str = "own.scorer:Gives") -> str:
    return code_of(entrypoint, ("scorers", "own"), (str(folder),), PROJECT)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    write(tmp_path / "own" / "scorer.py", "from . import near\nimport own.inner.deep as deep\n")
    for name in ("near", "inner/deep", "other"):
        write(tmp_path / "own" / f"{name}.py", "")
    return tmp_path


def test_every_shipped_plugin_has_a_code_version() -> None:
    cases: list[str] = [*SHIPPED_SCORERS, *SHIPPED_TEXT_METRICS, "scorers.metrics.mean"]
    for name in cases:
        version = code_of(f"{name}:Whatever", ("scorers",), (), PROJECT)
        assert len(version) == sources.CODE_LENGTH, name
        assert int(version, 16), name
        assert code_of(f"services.{name}:Whatever", ("scorers",), (), PROJECT) == version, name


def test_the_protocol_is_not_part_of_shipped_scorers() -> None:
    """Its docstrings change more often than the scorers do; boards should not report new code
    then."""
    cases: list[str] = ["weighted", "efficiency"]
    for name in cases:
        source = Path(PROJECT, "scorers", f"{name}.py").read_bytes()
        assert b"scorers.protocol" in source, name
        assert "scorers.protocol" not in imported_by(source, f"scorers.{name}", is_package=False), (
            name
        )


def test_a_large_file_is_not_searched_for_imports(folder: Path) -> None:
    """Searching 4 MB of numbers took 2 GB of the worker's memory."""
    large = folder / "own" / "near.py"
    large.write_text("import own.other\n" + "#" * sources.MOST_SEARCHED_BYTES * 3)
    before = code(folder)
    (folder / "own" / "other.py").write_text("changed = True")
    assert code(folder) == before
    large.write_text(large.read_text() + "#")
    assert code(folder) != before


def test_a_missing_plugin_has_no_code_version(folder: Path) -> None:
    cases: list[str] = ["own.nothing:X", "nowhere.scorer:X", "no entry point", ""]
    for entrypoint in cases:
        assert code(folder, entrypoint) == "", entrypoint


def test_imported_modules_of_the_package_are_part_of_the_code(folder: Path) -> None:
    cases: list[str] = ["scorer", "near", "inner/deep", "__init__", "inner/__init__"]
    for name in cases:
        before = code(folder)
        write(
            folder / "own" / f"{name}.py", "# changed\nfrom . import near\nimport own.inner.deep\n"
        )
        assert code(folder) != before, name


def test_other_files_are_not_part_of_the_code(folder: Path) -> None:
    before = code(folder)
    write(folder / "own" / "other.py", "X = 1\n")
    write(folder / "own" / "data.json", "{}")
    write(folder / "more" / "__init__.py", "")
    for file in (folder / "own").rglob("*.py"):
        os.utime(file, (time.time() - 9999, time.time() - 9999))
    assert code(folder) == before


def test_the_code_version_does_not_depend_on_the_folder(
    folder: Path, tmp_path_factory: object
) -> None:
    before = code(folder)
    other = folder.parent / f"{folder.name}-other"
    folder.rename(other)
    assert code(folder) == ""
    assert code(other) == before


def test_a_new_or_removed_module_changes_the_code_version(folder: Path) -> None:
    write(folder / "own" / "scorer.py", "try:\n    from own import fast\nexcept ImportError: ...\n")
    before = code(folder)
    write(folder / "own" / "fast.py", "")
    assert code(folder) != before
    (folder / "own" / "fast.py").unlink()
    assert code(folder) == before


def test_an_edit_of_the_same_size_and_time_is_noticed(folder: Path) -> None:
    """Even if both versions were written within one clock tick of the file system."""
    file = folder / "own" / "near.py"
    versions = set()
    for digit in range(10):
        file.write_text(f"X = {digit}\n")
        os.utime(file, ns=(10**18, 10**18))
        versions.add(code(folder))
    assert len(versions) == 10


def test_unchanged_files_are_not_read_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "CERTAIN_AFTER_NS", -(10**12))
    before = code(folder)

    def read(*args: object) -> str:
        raise AssertionError("it was read again")

    with monkeypatch.context() as patched:
        patched.setattr(sources.Reader, "read_code", read)
        assert code(folder) == before
    os.utime(folder / "own" / "near.py")
    assert code(folder) == before


def test_a_file_that_is_not_python_is_hashed_too(folder: Path) -> None:
    for text in ("def (", "\0", "(" * 10_000, "x" * 100_000 + "\udcff"):
        before = code(folder)
        (folder / "own" / "scorer.py").write_bytes(text.encode("utf-8", "surrogateescape"))
        assert code(folder) not in ("", before)


def test_the_version_of_an_installed_package_is_part_of_the_code(tmp_path: Path) -> None:
    write(tmp_path / "own" / "scorer.py", "")

    def install(version: str) -> str:
        for old in tmp_path.glob("*.dist-info"):
            (old / "METADATA").unlink()
            (old / "top_level.txt").unlink()
            old.rmdir()
        info = tmp_path / f"own_plugins-{version}.dist-info"
        write(info / "METADATA", f"Metadata-Version: 2.1\nName: own-plugins\nVersion: {version}\n")
        write(info / "top_level.txt", "own\n")
        return code(tmp_path)

    bare = code(tmp_path)
    first, second, again = install("1.0"), install("1.1"), install("1.0")
    assert len({bare, first, second}) == 3
    assert again == first


def test_imports_are_found_in_the_source_text() -> None:
    cases: list[tuple[str, set[str]]] = [
        ("import a.b, c", {"a.b", "c"}),
        ("from a.b import c as d", {"a.b", "a.b.c"}),
        ("from a import *", {"a"}),
        ("from . import x", {"own.inner", "own.inner.x"}),
        ("from .x import y", {"own.inner.x", "own.inner.x.y"}),
        ("from ..x import y", {"own.x", "own.x.y"}),
        ("from .... import y", set()),
        ("def f():\n    import late", {"late"}),
        ("from services.scorers.x import Y", {"scorers.x", "scorers.x.Y"}),
        ("if TYPE_CHECKING:\n    import a\nelse:\n    import b", {"b"}),
        ("import typing\nif typing.TYPE_CHECKING:\n    import a", {"typing"}),
    ]
    for text, names in cases:
        assert set(imported_by(text.encode(), "own.inner.module", is_package=False)) == names, text
        if text == "from . import x":
            imports = imported_by(text.encode(), "own.inner", is_package=True)
            assert set(imports) == names, text


def test_nothing_is_imported(folder: Path) -> None:
    write(folder / "own" / "scorer.py", "raise SystemExit\n")
    assert code(folder)
    assert not [name for name in sys.modules if name.partition(".")[0] == "own"]


def test_several_code_versions_combine_to_one() -> None:
    assert combined([]) == ""
    assert combined(["a"]) == "a"
    assert combined(["a", ""]) == combined(["", "a"]) == combined([""]) == ""
    assert len({combined(["a", "b"]), combined(["b", "a"]), "a", "b", ""}) == 5


# The code version that the sandbox reports with its outcomes.


@pytest.fixture
def gives(tmp_path: Path) -> Path:
    tmp_path.chmod(0o755)
    write(tmp_path / "own" / "scorer.py", GIVES.format("10.0"))
    return tmp_path


def settings(folder: Path) -> SandboxSettings:
    return SandboxSettings(packages=("scorers", "own"), path=(str(folder),))


@pytest.mark.parametrize("fresh", [True, False])
def test_an_outcome_has_the_version_of_its_code(gives: Path, fresh: bool) -> None:
    requests = [Request({}, {})] * 2
    with Sandbox(settings(gives)) as sandbox:
        for value in (10.0, 99.0, 10.0):
            write(gives / "own" / "scorer.py", GIVES.format(value))
            outcomes = list(
                sandbox.score("own.scorer:Gives", {}, requests, timeout_ms=LONG_MS, fresh=fresh)
            )
            assert [outcome.value for outcome in outcomes] == [value] * 2
            assert {outcome.code for outcome in outcomes} == {code(gives)}


def test_a_failure_has_the_version_of_its_code(gives: Path) -> None:
    write(gives / "own" / "scorer.py", "class Gives:\n    score = lambda *given: 1 / 0\n")
    with Sandbox(settings(gives)) as sandbox:
        (outcome,) = sandbox.score(
            "own.scorer:Gives", {}, [Request({}, {})], timeout_ms=LONG_MS, fresh=True
        )
    assert outcome.error is not None
    assert outcome.code == code(gives) != ""


@pytest.mark.parametrize("fresh", [True, False])
def test_a_file_that_changes_while_it_is_scored_is_scored_again(
    gives: Path, fresh: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Either version may have been imported, so the attempt is scored again."""
    changes = iter([20.0])
    answered = ScoringChild.next_outcome

    def change(self: ScoringChild, timeout_ms: int) -> object:
        outcome = answered(self, timeout_ms)
        for value in changes:
            write(gives / "own" / "scorer.py", GIVES.format(value))
            break
        return outcome

    monkeypatch.setattr(ScoringChild, "next_outcome", change)
    requests = [Request({}, {})] * 3
    with Sandbox(settings(gives)) as sandbox:
        outcomes = list(
            sandbox.score("own.scorer:Gives", {}, requests, timeout_ms=LONG_MS, fresh=fresh)
        )
    assert [outcome.value for outcome in outcomes] == [20.0] * 3
    assert {outcome.code for outcome in outcomes} == {code(gives)}


def test_a_file_that_keeps_changing_gives_no_code_version(
    gives: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    answered = ScoringChild.next_outcome

    def change(self: ScoringChild, timeout_ms: int) -> object:
        outcome = answered(self, timeout_ms)
        write(gives / "own" / "scorer.py", GIVES.format(time.monotonic_ns()))
        return outcome

    monkeypatch.setattr(ScoringChild, "next_outcome", change)
    with Sandbox(settings(gives)) as sandbox:
        (outcome,) = sandbox.score(
            "own.scorer:Gives", {}, [Request({}, {})], timeout_ms=LONG_MS, fresh=True
        )
    assert outcome.error is None
    assert outcome.code == ""
