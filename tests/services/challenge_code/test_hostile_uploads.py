"""Uploads that try to write, read, hang or lie."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from leaderboard.models import Challenge, ChallengeFile
from leaderboard.sandbox.host import asking
from leaderboard.services.challenge_code.packages import package_of
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.plugins.own import folder_of
from tests.services.challenge_code.conftest import SCORER, Put, refused

LINK = zipfile.ZipInfo("link.py")
LINK.external_attr = 0o120777 << 16
ZIPS: dict[str, list[tuple[str | zipfile.ZipInfo, bytes]]] = {
    "traversal": [("../above.py", b"")],
    "absolute": [("/above.py", b"")],
    "link": [("good.py", b""), (LINK, b"/etc/passwd")],
    "bomb": [("zeros.py", bytes(64 << 20))],
    "many": [(f"m{number}.py", b"") for number in range(101)],
    "compiled": [("fast.so", b"")],
    "no_module": [("a-b.py", b"")],
    "twice": [("a.py", b""), ("a.py/b.py", b"")],
    "no_python": [("data.csv", b"1")],
    "empty": [],
}


@pytest.mark.parametrize("name", ZIPS)
def test_a_bad_zip_file_is_refused(sprint: Challenge, put: Put, name: str) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for entry in ZIPS[name]:
            archive.writestr(*entry)
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
