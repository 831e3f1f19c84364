"""A large result file is read in a process of its own, from the upload to the board."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.embedded.server import Embedded
from tests.processes import eventually

ROWS = 5_001
FORM = (
    '--xx\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n'
    "{content}\r\n--xx--\r\n"
)


@pytest.mark.embedded
@pytest.mark.slow
@pytest.mark.once
def test_a_large_file_is_imported_by_a_worker(tmp_path: Path) -> None:
    server = Embedded(tmp_path)
    with server.up("--no-demo") as (_, site):
        organiser = server.organiser(site)
        fields = {"name": "Big", "scoring_strategy": "metric", "values": ["points"]}
        slug = organiser.create_challenge(**fields, rank_by=[{"key": "points"}])
        rows = "\n".join(["participant,points", *(f"m{number},1" for number in range(ROWS))])
        path, kind = f"/api/v1/challenges/{slug}/imports/", "multipart/form-data; boundary=xx"
        answer = organiser.ask("POST", path, FORM.format(content=rows), kind)
        assert answer.status == 202, answer
        job = answer.json["url"].removeprefix("/api/v1")
        eventually(lambda: organiser.get(job)["state"] == "done")
        assert organiser.get(job)["result"]["attempts"] == ROWS
    assert server.rows("SELECT count(*) FROM leaderboard_attempt") == [(ROWS,)]
