"""A child is not told which other plugins there are: they may belong to other tenants."""

from pathlib import Path
from typing import Any

from leaderboard.sandbox import Sandbox
from tests.sandbox.isolation.test_views import scorer, settings_for, write
from tests.sandbox.watching import score

TOLD = """
        (job,) = [each for each in gc.get_objects() if type(each) is dict and "installed" in each]
        told = {"path": sys.path, "packages": job["packages"], "installed": job["installed"]}
        return {"score": 1, "details": told}"""


def test_a_child_learns_no_names_of_other_plugins(public_tmp: Path) -> None:
    own, foreign = public_tmp / "acme-lab", public_tmp / "globex-lab"
    tells = scorer(TOLD, "import gc, sys")
    write(own, {"acme/__init__.py": "", "acme/tells.py": tells, "helper.py": ""})
    write(foreign, {"globex/__init__.py": "", "globex/tells.py": tells})
    with Sandbox(settings_for(str(own), str(foreign))) as sandbox:
        for package, folder, other in (("acme", own, foreign), ("globex", foreign, own)):
            details: Any = score(sandbox, f"{package}.tells:Scorer").details
            assert details["packages"] == [package]
            assert details["installed"] == []
            assert str(folder) in details["path"]
            assert str(other) not in details["path"]
        entrypoints = {plugin.entrypoint for plugin in sandbox.discover()}
        assert {"acme.tells:Scorer", "globex.tells:Scorer"} <= entrypoints
