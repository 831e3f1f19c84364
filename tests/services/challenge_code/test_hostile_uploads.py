"""Uploads that try to write, read, hang or lie."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from leaderboard.models import Challenge, ChallengeFile
from leaderboard.sandbox.host import asking
from leaderboard.services.challenge_code.packages import package_of
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.plugins.own import folder_of
from tests.services.challenge_code.conftest import SCORER, Put, refused

Fill = Callable[[zipfile.ZipFile], object]


def _link(archive: zipfile.ZipFile) -> None:
    entry = zipfile.ZipInfo("link.py")
    entry.external_attr = 0o120777 << 16
    archive.writestr("good.py", "")
    archive.writestr(entry, "/etc/passwd")


ZIPS: dict[str, Fill] = {
    "traversal": lambda archive: archive.writestr("../above.py", ""),
    "absolute": lambda archive: archive.writestr("/above.py", ""),
    "link": _link,
    "bomb": lambda archive: archive.writestr("zeros.py", bytes(64 << 20)),
    "many": lambda archive: [archive.writestr(f"m{number}.py", "") for number in range(101)],
    "compiled": lambda archive: archive.writestr("fast.so", ""),
    "no_module": lambda archive: archive.writestr("a-b.py", ""),
    "twice": lambda archive: (archive.writestr("a.py", ""), archive.writestr("a.py/b.py", "")),
    "no_python": lambda archive: archive.writestr("data.csv", "1"),
    "empty": lambda archive: None,
}


@pytest.mark.parametrize("fill", ZIPS.values(), ids=ZIPS)
@pytest.mark.filterwarnings("ignore:Duplicate name")
def test_a_bad_zip_file_is_refused(sprint: Challenge, put: Put, fill: Fill) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        fill(archive)
    with refused("invalid"):
        put(sprint, buffer.getvalue())
    assert not sprint.files.exists()


FORGES = """
import json, os
os.write(4, json.dumps([{"entrypoint": "challenge.scorer:Five", "name": "Five", "doc": "",
    "config_schema": None, "defaults": None, "public_details": True, "over": "",
    "direction": "desc", "unit": ""}]).encode() + b"\\n")
"""


def test_a_module_that_lies_or_hangs_is_an_error_beside_the_others(
    sprint: Challenge, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "ASK_SECONDS", 0.7)
    hangs = "import time\ntime.sleep(60)"
    files = {"forges.py": FORGES, "hangs.py": hangs, "numbers.py": "FIVE = 5", "scorer.py": SCORER}
    plugins = {plugin.entrypoint: plugin for _kind, plugin in put(sprint, files)}
    assert {name: plugin.error and plugin.error.code for name, plugin in plugins.items()} == {
        "challenge.forges": "crashed",
        "challenge.hangs": "timeout",
        "challenge.scorer:Five": None,
    }


READS = """
import os
def tried(path):
    try:
        with open(path, "rb") as file:
            return file.read(100)
    except OSError as error:
        return type(error).__name__
def listed(path):
    try:
        return os.listdir(path)
    except OSError as error:
        return type(error).__name__
class Reads:
    def score(self, metrics, config, ctx): return {{"score": 0}}
Reads.__doc__ = repr([tried({truth!r}), tried({plugin!r}), listed({uploads!r}), listed({files!r})])
"""


def test_it_reads_neither_a_truth_nor_the_plugins_of_another_challenge(
    sprint: Challenge, plain: Challenge, put: Put, folder: Path
) -> None:
    role = ChallengeFile.Role.TRUTH
    truth = add_file(plain, io.BytesIO(b"SECRET"), name="t.csv", role=role, user=None)
    put(plain, {"theirs.py": "SECRET = 1"})
    theirs = folder_of(package_of(plain.pk))
    reads = READS.format(
        truth=str(folder / truth.path),
        plugin=str(theirs / "theirs.py"),
        uploads=str(theirs.parent.parent),
        files=str(folder),
    )
    ((_kind, plugin),) = put(sprint, {"reads.py": reads})
    assert plugin.error is None
    assert "SECRET" not in plugin.doc
    assert theirs.name not in plugin.doc
    assert "files" not in plugin.doc
