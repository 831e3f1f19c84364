"""Plugins of editable installations (`pip install -e`), whose code is not in the environment."""

import json
from pathlib import Path

import pytest

from tests.sandbox.isolation.test_views import READS, scorer, write
from tests.scorers.test_readme import Checkout

FINDER = """
import sys
from importlib.util import spec_from_file_location

class Finder:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name in ("acme", "helper"):
            return spec_from_file_location(name, f"{folder}/{{name}}/__init__.py")

sys.meta_path.append(Finder)
"""
LIST = """
from leaderboard.sandbox import Sandbox, SandboxSettings
with Sandbox(SandboxSettings(packages=("acme",))) as sandbox:
    print(*(each.entrypoint for each in sandbox.discover()))
"""
MAIN = "from leaderboard.sandbox.__main__ import main; main()"
HELPED = scorer("return {'score': ANSWER}", "from helper.deep import ANSWER")


@pytest.fixture
def checkout(public_tmp: Path) -> Checkout:
    (public_tmp / "podium").mkdir(mode=0o755)
    return Checkout(public_tmp / "podium")


@pytest.fixture
def source(public_tmp: Path) -> Path:
    files = {
        "acme/__init__.py": "",
        "acme/helped.py": HELPED,
        "acme/reads.py": scorer(READS),
        "acme/data.txt": "mine",
        "helper/__init__.py": "",
        "helper/deep.py": "ANSWER = 7",
        "secret.txt": "secret",
    }
    return Path(write(public_tmp / "source", files))


def try_it(checkout: Checkout, name: str, **config: str) -> object:
    checkout.write("m.json", "{}")
    checkout.write("c.json", json.dumps(config))
    command = f"python -m leaderboard.sandbox try acme.{name}:Scorer --metrics m.json"
    ran = checkout.run(f"SCORER_PACKAGES=acme {command} --config c.json || true")
    return json.loads(ran.stdout)["score"]


def test_a_plugin_that_a_finder_knows_can_be_used(checkout: Checkout, source: Path) -> None:
    (checkout.packages / "_editable.py").write_text(FINDER.format(folder=source))
    (checkout.packages / "_editable.pth").write_text("import _editable\n")
    assert try_it(checkout, "helped") == 7
    assert try_it(checkout, "reads", path=f"{source}/acme/data.txt") == 4
    assert try_it(checkout, "reads", path=f"{source}/secret.txt") is None
    listed = checkout.run(f"python -c '{LIST}'")
    assert listed.stdout.split() == ["acme.helped:Scorer", "acme.reads:Scorer"], listed.stderr


@pytest.mark.slow
def test_a_plugin_is_tried_in_its_own_folder(checkout: Checkout, source: Path) -> None:
    (checkout.packages / "_editable.py").write_text(FINDER.format(folder=source))
    (checkout.packages / "_editable.pth").write_text(f"{checkout.folder}\nimport _editable\n")
    checkout.write("m.json", "{}")
    command = (
        f"python -m leaderboard.sandbox try acme.helped:Scorer --metrics {checkout.folder}/m.json"
    )
    ran = checkout.run(f"cd {source} && SCORER_PACKAGES=acme {command}")
    assert json.loads(ran.stdout)["score"] == 7


@pytest.mark.parametrize("start", ["-m leaderboard.sandbox", "-c '{MAIN}'"])
@pytest.mark.slow
def test_modules_in_the_working_folder_stay_closed(
    checkout: Checkout, source: Path, start: str
) -> None:
    """They can be imported by the worker, but not by a child."""
    folder = Path(write(source.parent / "working", {"near.py": "", "c.json": "", "m.json": "{}"}))
    reads = scorer(READS, "try:\n    import near\nexcept ImportError: ...")
    (source / "acme" / "reads.py").write_text(reads)
    (checkout.packages / "_editable.py").write_text(FINDER.format(folder=source))
    (checkout.packages / "_editable.pth").write_text(f"{checkout.folder}\nimport _editable\n")
    (folder / "c.json").write_text(json.dumps({"path": f"{folder}/near.py"}))
    command = f"python {start.format(MAIN=MAIN)} try acme.reads:Scorer --metrics m.json"
    ran = checkout.run(f"cd {folder} && SCORER_PACKAGES=acme {command} --config c.json || true")
    assert "No such file" in ran.stderr or "Permission" in ran.stderr, ran


@pytest.mark.slow
def test_a_plugin_whose_files_are_links_can_be_used(checkout: Checkout, source: Path) -> None:
    """An editable installation in strict mode makes such a folder."""
    for file in source.rglob("*.py"):
        link = source.parent / "links" / file.relative_to(source)
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to(file)
    (checkout.packages / "_editable.pth").write_text(f"{source.parent / 'links'}\n")
    assert try_it(checkout, "reads", path=f"{source}/acme/reads.py") == len(scorer(READS))
    assert try_it(checkout, "reads", path=f"{source}/acme/helped.py") is None


@pytest.mark.parametrize("name", ["leaderboard.version", "__main__"])
def test_the_product_is_no_editable_plugin(checkout: Checkout, source: Path, name: str) -> None:
    (source / "acme" / "reads.py").write_text(
        scorer(READS, f"try:\n    import {name}\nexcept ImportError: ...")
    )
    product = FINDER.replace('"helper"', '"leaderboard"').format(folder=checkout.folder)
    (checkout.packages / "_editable.py").write_text(FINDER.format(folder=source))
    (checkout.packages / "_product.py").write_text(product)
    (checkout.packages / "_editable.pth").write_text("import _editable, _product\n")
    for file in ("version.py", "sandbox/__main__.py"):
        place = checkout.folder / "leaderboard" / file
        assert place.exists()
        assert try_it(checkout, "reads", path=str(place)) is None
