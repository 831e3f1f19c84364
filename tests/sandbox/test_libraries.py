"""Libraries in a folder of SCORER_PATH, as `pip install --target` puts them there."""

import os
import threading
from pathlib import Path
from zipfile import ZipFile

import pytest

from leaderboard.sandbox import Sandbox, SandboxError, SandboxSettings
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.packages import MOST_LINES, Metadata
from leaderboard.sandbox.host.sources import CODE_LENGTH, code_of
from leaderboard.sandbox.host.views import View, Views
from tests.sandbox.isolation.test_views import IMPORTS, RATES, scorer, write
from tests.sandbox.watching import RATING, failure_of, score

VERSION = scorer(
    "return {'score': float(version(config['name']))}",
    "from importlib.metadata import version\nimport numpy_like",
)
ENTRY_POINTS = scorer(
    "return {'score': sum(each.load() for each in entry_points(group='numbers'))}",
    "from importlib.metadata import entry_points\nimport numpy_like",
)


def metadata(name: str, version: str, listed: str = "", more: str = "") -> dict[str, str]:
    """The metadata of an installed package, as files by their paths."""
    about = f"{name}-{version}.dist-info"
    return {
        f"{about}/METADATA": f"Name: {name}\nVersion: {version}\n{more}",
        f"{about}/RECORD": f"{listed},,\n{about}/METADATA,,\n{about}/entry_points.txt,,\n",
    }


def settings(*path: str, **owners: str) -> SandboxSettings:
    belong = {name: frozenset({tenant}) for name, tenant in owners.items()}
    return SandboxSettings(packages=("scorers", "acme", "globex"), path=path, owners=belong)


@pytest.fixture
def folder(public_tmp: Path) -> str:
    return write(
        public_tmp / "libraries",
        {
            "acme/__init__.py": "",
            "acme/versions.py": VERSION,
            "acme/points.py": ENTRY_POINTS,
            "numpy_like.py": "ANSWER = 7",
            **metadata("Numpy_Like", "2.5", "numpy_like.py"),
            "Numpy_Like-2.5.dist-info/entry_points.txt": "[numbers]\nseven = numpy_like:ANSWER\n",
            "globex.py": "",
            **metadata("globex", "3", "globex.py"),
            "globex-3.dist-info/entry_points.txt": "[numbers]\neight = globex:ANSWER\n",
        },
    )


@pytest.mark.parametrize("owners", [{}, {"acme": "a", "globex": "b"}])
def test_a_scorer_reads_the_versions_of_its_libraries(folder: str, owners: dict[str, str]) -> None:
    with Sandbox(settings(folder, **owners)) as sandbox:
        for name in ("numpy_like", "Numpy.Like", "numpy-like"):
            assert score(sandbox, "acme.versions:Scorer", {"name": name}).value == 2.5
        unknown = failure_of(sandbox, "acme.versions:Scorer", {"name": "globex"})
        assert "PackageNotFoundError" in unknown.detail


def test_a_scorer_loads_the_entry_points_of_its_libraries(folder: str) -> None:
    with Sandbox(settings(folder)) as sandbox:
        assert score(sandbox, "acme.points:Scorer").value == 7


def test_the_version_is_that_of_the_first_folder_before_the_environment(public_tmp: Path) -> None:
    ours = {"acme/__init__.py": "", "acme/versions.py": VERSION, "numpy_like.py": ""}
    first = {**ours, **metadata("pytest", "0.5", "numpy_like.py")}
    second = {"numpy_like.py": "", **metadata("pytest", "0.25", "numpy_like.py")}
    path = write(public_tmp / "z", first), write(public_tmp / "a", second)
    with Sandbox(settings(*path)) as sandbox:
        assert score(sandbox, "acme.versions:Scorer", {"name": "pytest"}).value == 0.5


NUMBERS = scorer(
    "return {'score': sum(map(number, config['names']))}",
    "import shared\nfrom importlib import import_module\n"
    "def number(name):\n    return import_module(f'shared.{name}').ANSWER",
)
IN_PARTS = "__path__ = __import__('pkgutil').extend_path(__path__, __name__)\n"


@pytest.mark.parametrize("init", [{}, {"shared/__init__.py": IN_PARTS}])
def test_a_package_in_several_folders_is_one_package(
    public_tmp: Path, init: dict[str, str]
) -> None:
    first = {"shared/one.py": "ANSWER = 1", "acme.py": NUMBERS, "globex.py": ""}
    path = [
        write(public_tmp / f"{number}", {**init, **files})
        for number, files in enumerate((first, {"shared/two.py": "ANSWER = 2"}))
    ]
    with Sandbox(settings(*path)) as sandbox:
        assert score(sandbox, "acme:Scorer", {"names": ["one", "two"]}).value == 3


def test_a_namespace_package_continues_in_the_environment(public_tmp: Path) -> None:
    imports = "import arro3.core\nfrom arro3.ours import ANSWER"
    files = {"acme.py": scorer("return {'score': ANSWER}", imports), "arro3/ours.py": "ANSWER = 7"}
    with Sandbox(settings(write(public_tmp / "path", files))) as sandbox:
        assert score(sandbox, "acme:Scorer").value == 7


def test_a_folder_without_init_replaces_no_package(public_tmp: Path) -> None:
    files = {"acme.py": scorer(RATES, "import numpy, scorers.weighted"), "numpy/mine.py": ""}
    folder = write(public_tmp / "path", {**files, "scorers/mine.py": ""})
    with Sandbox(settings(folder)) as sandbox:
        assert score(sandbox, "acme:Scorer").value == RATING
        shipped = score(sandbox, "scorers.weighted:WeightedScorer")
        assert (shipped.error, len(shipped.code)) == (None, CODE_LENGTH)


def test_no_list_of_a_folder_is_left_in_memory(folder: str) -> None:
    lists = "getattr(each, '_path_cache', ()) for each in sys.path_importer_cache.values()"
    counts = scorer(
        f"return {{'score': sum('globex.py' in names for names in ({lists}))}}", "import sys"
    )
    write(Path(folder), {"acme/counts.py": counts})
    with Sandbox(settings(folder, acme="a", globex="b")) as sandbox:
        assert score(sandbox, "acme.counts:Scorer").value == 0


METADATA_FILES = ("METADATA", "RECORD", "top_level.txt")


def codes_and_views(folder: str) -> list[tuple[str, View]]:
    """The code and the view of each package, as far as they are read within a minute."""
    pairs: list[tuple[str, View]] = []

    def look() -> None:
        views = Views(("acme", "globex"), (folder,), {}, PROJECT)
        for name in ("acme", "globex"):
            code = code_of(f"{name}:Scorer", ("acme", "globex"), (folder,), PROJECT)
            pairs.append((code, views.of(name)))

    thread = threading.Thread(target=look, daemon=True)
    thread.start()
    thread.join(60)
    return pairs


@pytest.mark.parametrize("name", METADATA_FILES)
@pytest.mark.parametrize("kind", ["pipe", "device", "large"])
def test_only_regular_files_of_limited_size_are_read_as_metadata(
    folder: str, name: str, kind: str
) -> None:
    """The author of a package writes its metadata, and the worker reads it."""
    file = Path(folder, "Numpy_Like-2.5.dist-info", name)
    file.unlink(missing_ok=True)
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "device":
        file.symlink_to("/dev/zero")
    else:
        file.touch()
        os.truncate(file, 10**11)
    pairs = codes_and_views(folder)
    assert len(pairs) == 2
    assert all(code for code, _ in pairs)
    assert "globex-3.dist-info" in str(pairs[1])


def test_metadata_has_a_limited_number_of_lines(folder: str) -> None:
    file = Path(folder, "globex-3.dist-info", "RECORD")
    file.write_text("globex.py,,\n" * MOST_LINES)
    assert Metadata(str(file.parent)).files
    for more in ("globex.py,,\n", "\f"):
        file.write_text("globex.py,,\n" * MOST_LINES + more)
        with pytest.raises(ValueError, match="too large"):
            _ = Metadata(str(file.parent)).files


@pytest.mark.parametrize("module", ["far_away", "deep"])
def test_requirements_are_seen_without_a_list_of_files(public_tmp: Path, module: str) -> None:
    """Other tools than pip write no RECORD. The module `deep` is named in top_level.txt."""
    files = {
        "acme.py": scorer(IMPORTS),
        f"{module}.py": "ANSWER = 7",
        f"{module}.libs/lib.so": "",
        "globex.py": "ANSWER = 42",
        "globex-3.dist-info/METADATA": "Name: globex\nVersion: 3\n",
        "Acme-1.egg-info/PKG-INFO": "Name: Acme\nVersion: 1\n",
        "Acme-1.egg-info/requires.txt": "far_away>=1\n",
        "Far.Away-1.dist-info/METADATA": "Name: Far.Away\nVersion: 1\n",
    }
    if module == "deep":
        files["Far.Away-1.dist-info/top_level.txt"] = "deep\n"
    folder = write(public_tmp / "path", files)
    with Sandbox(settings(folder)) as sandbox:
        assert score(sandbox, "acme:Scorer", {"name": module}).value == 7
        refused = failure_of(sandbox, "acme:Scorer", {"name": "globex"})
        assert "ModuleNotFoundError" in refused.detail
    places = Views(("acme",), (folder,), {}, PROJECT).of("acme").places
    assert f"{folder}/{module}.libs" in places


def test_packages_of_tenants_stay_apart_without_a_list_of_files(public_tmp: Path) -> None:
    files = {"acme.py": scorer(IMPORTS), "globex.py": "ANSWER = 42", "globex.libs/lib.so": ""}
    about = {"acme-1.dist-info/METADATA": "Name: globex\nVersion: 1\nRequires-Dist: globex\n"}
    folder = write(public_tmp / "path", {**files, **about})
    owners = {"acme": frozenset({"a"}), "globex": frozenset({"b"})}
    view = Views(("acme", "globex"), (folder,), owners, PROJECT).of("acme")
    assert "globex" not in str(view)


def test_an_archive_is_no_folder_of_plugins(public_tmp: Path) -> None:
    egg = public_tmp / "acme-1.0.egg"
    with ZipFile(egg, "w") as archive:
        archive.writestr("acme.py", scorer(RATES))
    with (
        Sandbox(settings(str(egg))) as sandbox,
        pytest.raises(SandboxError, match=r"SCORER_PATH: .*/acme-1\.0\.egg is a file"),
    ):
        score(sandbox, "acme:Scorer")
