"""What a child sees of the plugin folders: its own plugin, and what that needs."""

import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from leaderboard.rules.plugins.owners import parse_owners
from leaderboard.sandbox import Sandbox, SandboxSettings
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.sources import code_of
from leaderboard.sandbox.host.views import View, Views, may_use
from leaderboard.sandbox.host.zygotes import AT_MOST
from tests.sandbox.isolation.old_hosts import on_an_old_host
from tests.sandbox.watching import RATING, failure_of, score

SCORER = """
{imports}
class Scorer:
    def score(self, metrics, config, ctx):
        {body}
"""


def write(folder: Path, files: dict[str, str]) -> str:
    """Write files that every user may read; return the folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o755 if path.is_dir() else 0o644)
    return str(folder)


def scorer(body: str, imports: str = "") -> str:
    return SCORER.format(imports=imports, body=body)


READS = "return {'score': len(open(config['path']).read())}"
RATES = "return {'score': metrics['rating']}"
IMPORTS = "return {'score': __import__(config['name']).ANSWER}"


@pytest.fixture
def plugins(public_tmp: Path) -> str:
    return write(
        public_tmp / "plugins",
        {
            "acme/__init__.py": "",
            "acme/plain.py": scorer(RATES),
            "acme/reads.py": scorer(READS),
            "acme/imports.py": scorer(IMPORTS),
            "acme/helped.py": scorer("return {'score': helper.ANSWER}", "import helper"),
            "acme/data.txt": "mine",
            "globex/__init__.py": "ANSWER = 42",
            "globex/plain.py": scorer(RATES),
            "globex/answers.txt": "secret",
            "helper.py": "import deeper\nANSWER = deeper.ANSWER",
            "deeper/__init__.py": "ANSWER = 7",
            "single.py": scorer(RATES),
            "answers.json": "[1]",
        },
    )


def settings_for(*path: str, **more: Any) -> SandboxSettings:
    packages = ("scorers", "acme", "globex", "single")
    return replace(SandboxSettings(packages=packages, path=path), **more)


def check(plugins: str) -> None:
    with Sandbox(settings_for(plugins)) as sandbox:
        assert score(sandbox, "acme.plain:Scorer").value == RATING
        assert score(sandbox, "globex.plain:Scorer").value == RATING
        assert score(sandbox, "single:Scorer").value == RATING
        assert score(sandbox, "acme.helped:Scorer").value == 7
        assert score(sandbox, "acme.reads:Scorer", {"path": f"{plugins}/acme/data.txt"}).value == 4
        for name in ("globex/answers.txt", "globex/__init__.py", "single.py", "answers.json"):
            assert (
                "Error"
                in failure_of(sandbox, "acme.reads:Scorer", {"path": f"{plugins}/{name}"}).detail
            )
        for name in ("globex", "single", "helper"):
            detail = failure_of(sandbox, "acme.imports:Scorer", {"name": name}).detail
            assert "ModuleNotFoundError" in detail or "PermissionError" in detail
        errors = {plugin.entrypoint: plugin.error for plugin in sandbox.discover()}
        assert errors["globex.plain:Scorer"] is None


def test_a_child_sees_its_own_plugin_and_what_it_imports(plugins: str) -> None:
    check(plugins)


@pytest.mark.skipif(sys.platform != "linux", reason="the layers need Linux")
def test_without_a_private_root_a_child_sees_the_same(plugins: str) -> None:
    on_an_old_host(lambda: check(plugins), 4)


def views(*path: str, owners: dict[str, frozenset[str]] | None = None) -> Views:
    return Views(("scorers", "acme", "globex", "single"), path, owners or {}, PROJECT)


def names(view: View) -> set[str]:
    return {name for name, _ in view.modules}


def test_an_imported_plugin_is_a_dependency_unless_another_tenant_owns_it(
    public_tmp: Path,
) -> None:
    ours = write(public_tmp / "ours", {"acme.py": "import globex, single, os"})
    theirs = write(public_tmp / "theirs", {"globex.py": "", "single.py": ""})
    assert names(views(ours, theirs).of("acme")) == {"acme", "globex", "single"}
    a, b = frozenset({"a"}), frozenset({"b"})
    assert names(views(ours, theirs, owners={"globex": b}).of("acme")) == {"acme", "single"}
    assert names(views(ours, theirs, owners={theirs: b}).of("acme")) == {"acme"}
    shared = {"acme": a, theirs: a | b}
    assert names(views(ours, theirs, owners=shared).of("acme")) == {"acme", "globex", "single"}
    assert names(views(ours, theirs, owners={"acme": a | b, theirs: b}).of("acme")) == {"acme"}


def test_a_package_of_the_same_name_in_a_folder_of_another_tenant_stays_closed(
    public_tmp: Path,
) -> None:
    files = {"acme/__init__.py": "", "acme/plain.py": scorer(READS), "acme/answers.txt": "secret"}
    ours, theirs = (write(public_tmp / name, files) for name in ("ours", "theirs"))
    owners = {ours: frozenset({"a"}), theirs: frozenset({"b"})}
    view = views(ours, theirs, owners=owners).of("acme.plain")
    assert view.modules == (("acme", ours),)
    assert [place for place in view.places if place.startswith(theirs)] == []
    shared = views(ours, theirs).of("acme.plain")
    assert shared.modules == (("acme", ours), ("acme", theirs))


def test_a_helper_of_another_tenant_hides_none_of_the_same_name(public_tmp: Path) -> None:
    helped = scorer("return {'score': helper.ANSWER}", "import helper")
    ours, theirs = (
        write(
            public_tmp / name,
            {
                f"{name}.py": helped,
                "helper.py": "import far\nANSWER = far.ANSWER",
                "far.py": f"ANSWER = {answer}",
            },
        )
        for name, answer in (("acme", 1), ("globex", 2))
    )
    owners = {ours: frozenset({"a"}), theirs: frozenset({"b"})}
    settings = SandboxSettings(packages=("acme", "globex"), path=(ours, theirs), owners=owners)
    with Sandbox(settings) as sandbox:
        for name, answer in (("acme", 1), ("globex", 2)):
            assert score(sandbox, f"{name}:Scorer").value == answer
    plugin_views = views(ours, theirs, owners=owners)
    assert {folder for _, folder in plugin_views.of("globex").modules} == {theirs}


def test_a_plugin_of_the_same_name_in_an_earlier_folder_replaces_the_later_one(
    public_tmp: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leaderboard.sandbox.host.views.CERTAIN_AFTER_NS", 0)
    ours = write(public_tmp / "ours", {"acme.py": ""})
    theirs = write(public_tmp / "theirs", {"globex.py": ""})
    owners = {ours: frozenset({"a"}), theirs: frozenset({"b"})}
    plugin_views = views(ours, theirs, owners=owners)
    assert plugin_views.of("globex").modules == (("globex", theirs),)
    write(Path(ours), {"globex.py": ""})
    assert plugin_views.of("globex").modules == (("globex", ours),)


@pytest.mark.parametrize("slashes", [("", "/"), ("/", ""), ("/", "/")])
def test_a_slash_at_the_end_of_a_folder_changes_nothing(
    public_tmp: Path, slashes: tuple[str, str]
) -> None:
    ours = write(public_tmp / "ours", {"acme/__init__.py": "import globex"})
    theirs = write(public_tmp / "theirs", {"globex/__init__.py": "ANSWER = 42"})
    in_path, in_tenants = (theirs + slash for slash in slashes)
    owners = parse_owners(f"{in_tenants}=b", [ours, in_path])
    assert names(views(ours, in_path, owners=owners).of("acme")) == {"acme"}
    assert may_use("globex:Scorer", "b", [ours, in_path], owners)
    assert not may_use("globex:Scorer", "a", [ours, in_path], owners)


@pytest.mark.parametrize("owners", ["{inner}=b", "{outer}=b", "globex=b"])
def test_tenants_need_folders_that_are_not_inside_each_other(tmp_path: Path, owners: str) -> None:
    """A plugin of the outer folder could import the inner folder as a package."""
    inner = tmp_path / "b"
    inner.mkdir()
    link = tmp_path.with_name(f"{tmp_path.name}-link")
    link.symlink_to(inner)
    for folder in (inner, link):
        folders = [str(tmp_path), str(folder)]
        with pytest.raises(ValueError, match="SCORER_PATH inside another"):
            parse_owners(owners.format(inner=folder, outer=tmp_path), folders)
        assert parse_owners("", folders) == {}
    assert parse_owners("globex=b", [str(inner), f"{inner}/", f"{inner}-2"])


def test_installed_packages_include_their_dependencies(public_tmp: Path) -> None:
    folder = write(
        public_tmp / "installed",
        {
            "acme/__init__.py": "",
            "acme.libs/lib.so": "",
            "acme-1.0.dist-info/METADATA": "Name: Acme\nVersion: 1.0\nRequires-Dist: Need_ed>=1\n",
            "acme-1.0.dist-info/RECORD": "acme/__init__.py,,\nacme.libs/lib.so,,\n../bin/acme,,\n"
            "acme-1.0.dist-info/METADATA,,\n",
            "needed.py": "",
            "needed-2.dist-info/METADATA": "Name: need.ed\nVersion: 2\n",
            "needed-2.dist-info/RECORD": "needed.py,,\n",
            "globex.py": "",
            "globex-3.dist-info/METADATA": "Name: globex\nVersion: 3\n",
            "globex-3.dist-info/RECORD": "globex.py,,\n",
        },
    )
    view = views(folder).of("acme")
    assert names(view) == {"acme", "needed"}
    assert {place.removeprefix(f"{folder}/") for place in view.places} == {
        *("acme", "acme.libs", "acme-1.0.dist-info", "needed.py", "needed-2.dist-info"),
    }


ACME = "Name: acme\nVersion: 1.0\n"


def installed(folder: Path, *listed: str) -> str:
    """A folder with the packages acme and globex; acme also lists these paths as its own."""
    record = "".join(f"{file},,\n" for file in ("acme.py", "acme-1.0.dist-info/METADATA", *listed))
    return write(
        folder,
        {
            "acme.py": scorer(READS),
            "acme.libs/lib.so": "",
            "acme-1.0.dist-info/METADATA": ACME,
            "acme-1.0.dist-info/RECORD": record,
            "globex.py": scorer(RATES),
            "globex.libs/lib.so": "",
            "globex-data/a.csv": "secret",
            "globex-3.dist-info/METADATA": "Name: globex\nVersion: 3\n",
            "globex-3.dist-info/RECORD": "globex.py,,\nglobex.libs/lib.so,,\n",
            "answers.csv": "secret",
        },
    )


def test_a_package_cannot_list_files_outside_of_its_folder(public_tmp: Path) -> None:
    secret = public_tmp / "secret"
    secret.write_text("hunter2")
    above = f"../{secret.name}"
    folder = installed(public_tmp / "path", "/etc/hostname", f"{secret}", above, "./acme.libs", "")
    view = views(folder).of("acme")
    assert {place.removeprefix(f"{folder}/") for place in view.places} == {
        *("acme.py", "acme.libs", "acme-1.0.dist-info"),
    }

    def check() -> None:
        with Sandbox(settings_for(folder)) as sandbox:
            assert score(sandbox, "acme:Scorer", {"path": f"{folder}/acme.libs/lib.so"}).value == 0
            assert "Error" in failure_of(sandbox, "acme:Scorer", {"path": str(secret)}).detail

    check()
    if sys.platform == "linux":
        on_an_old_host(check, 4)


def test_a_package_cannot_list_files_of_another_tenant(public_tmp: Path) -> None:
    listed = ("globex-data/a.csv", "globex.libs/lib.so", "answers.csv", "globex.py", "acme.libs/l")
    folder = installed(public_tmp / "path", *listed)
    owners = {"acme": frozenset({"a"}), "globex": frozenset({"b"})}
    for name, own in (("acme", "acme"), ("globex", "globex")):
        view = views(folder, owners=owners).of(name)
        places = {place.removeprefix(f"{folder}/") for place in view.places}
        assert {place for place in places if not place.startswith(own)} == set()
    assert "answers.csv" in str(views(folder, owners={folder: frozenset({"a"})}).of("acme"))


def test_metadata_that_leads_to_itself_does_not_stop_others(public_tmp: Path) -> None:
    folder = installed(public_tmp / "path")
    record = Path(folder, "acme-1.0.dist-info", "RECORD")
    record.unlink()
    record.symlink_to(record)
    for module in ("acme", "globex"):
        assert names(views(folder).of(module)) == {module}
        assert code_of(f"{module}:Scorer", ("acme", "globex"), (folder,), PROJECT)


def test_metadata_that_cannot_be_read_does_not_stop_others(public_tmp: Path) -> None:
    for name, content in (
        ("RECORD", b",,\n"),
        ("RECORD", b"\xff,,\n"),
        ("METADATA", b"\xff"),
        ("top_level.txt", b"\xff"),
        ("RECORD", b"acme/__init__.py,,\n\n"),
        ("RECORD", b"acme/__init__.py,,,\n"),
        ("RECORD", b"acme/" + 300 * b"a" + b",,\n"),
    ):
        folder = installed(public_tmp / "path")
        file = Path(folder, "acme-1.0.dist-info", name)
        file.write_bytes(content)
        for module in ("acme", "globex"):
            assert names(views(folder).of(module)) == {module}, (name, content)
            assert code_of(f"{module}:Scorer", ("acme", "globex"), (folder,), PROJECT)
        file.unlink()


def test_a_package_cannot_take_the_name_of_another_tenants_package(public_tmp: Path) -> None:
    folder = installed(public_tmp / "path", "globex.libs/lib.so", "globex-3.dist-info/RECORD")
    metadata = Path(folder, "acme-1.0.dist-info", "METADATA")
    metadata.write_text(ACME.replace("acme", "globex"))
    owners = {"acme": frozenset({"a"}), "globex": frozenset({"b"})}
    places = views(folder, owners=owners).of("acme").places
    assert {place for place in places if "globex" in Path(place).name} == set()


def test_metadata_that_changes_is_read_again(public_tmp: Path) -> None:
    folder = installed(public_tmp / "path", "answers.csv")
    plugin_views = views(folder)
    assert "answers.csv" in str(plugin_views.of("acme"))
    installed(public_tmp / "path")
    assert "answers.csv" not in str(plugin_views.of("acme"))


def test_a_link_belongs_to_the_owners_of_both_ends(public_tmp: Path) -> None:
    ours = write(public_tmp / "ours", {"acme.py": "import theirs, all, above, single, own"})
    theirs = write(public_tmp / "theirs", {"globex/__init__.py": "", "globex/a.txt": "secret"})
    own = write(public_tmp / "own", {"__init__.py": ""})
    for name, target in (
        *(("theirs", f"{theirs}/globex"), ("all", theirs), ("above", public_tmp)),
        *(("single", f"{theirs}/globex"), ("own", own)),
    ):
        Path(ours, name).symlink_to(target)
    a, b = frozenset({"a"}), frozenset({"b"})
    assert names(views(ours, theirs, owners={ours: a, theirs: b}).of("acme")) == {"acme", "own"}
    assert names(views(ours, theirs, owners={"acme": a, "globex": b}).of("acme")) == {"acme", "own"}
    shared = views(ours, theirs, owners={ours: a, theirs: a | b}).of("acme")
    assert names(shared) == {"acme", "own", "theirs", "single"}
    owners = {ours: a, theirs: b}
    assert not may_use("theirs:Scorer", "a", [ours, theirs], owners)
    assert not may_use("theirs:Scorer", "b", [ours, theirs], owners)
    assert views(ours, theirs, owners=owners).of("theirs").places == ()


def test_a_view_is_updated_with_its_files(public_tmp: Path) -> None:
    folder = write(public_tmp / "path", {"acme.py": "", "helper.py": ""})
    plugin_views = views(folder)
    assert names(plugin_views.of("acme")) == {"acme"}
    write(public_tmp / "path", {"acme.py": "import helper"})
    assert names(plugin_views.of("acme")) == {"acme", "helper"}


def test_a_limited_number_of_zygotes_is_kept(public_tmp: Path) -> None:
    packages = [f"ours{number}" for number in range(AT_MOST + 1)]
    folder = write(public_tmp / "path", {f"{name}.py": scorer(RATES) for name in packages})
    with Sandbox(SandboxSettings(packages=tuple(packages), path=(folder,))) as sandbox:
        first = [zygote_after(sandbox, name) for name in packages]
        assert len(set(first)) == len(packages)
        assert zygote_after(sandbox, packages[-1]) == first[-1]
        assert zygote_after(sandbox, packages[0]) not in first


def zygote_after(sandbox: Sandbox, package: str) -> int:
    assert score(sandbox, f"{package}:Scorer").value == RATING
    assert sandbox._zygotes.current is not None
    return sandbox._zygotes.current.pid
