"""An upgrade: the former release's web and worker work with this release's database.

Migrations are backward compatible by one release, so that servers can be upgraded in turn. The
former release is the newest tag `v…` before this state, or UPGRADE_FROM, any commit.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.full.stack import Stack, running_stack
from tests.processes import ROOT, running
from tests.servers import wait_for_port

pytestmark = [pytest.mark.once, pytest.mark.redis, pytest.mark.slow]


def former_release() -> str:
    """Return the commit or tag whose processes must work with today's tables; "" for none."""
    if given := os.environ.get("UPGRADE_FROM"):
        return given
    command = ["git", "describe", "--tags", "--abbrev=0", "--match", "v*", "HEAD"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


@pytest.fixture(scope="module")
def former(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The code of the former release in a folder."""
    release = former_release()
    if not release:
        pytest.skip("no release has a tag yet; UPGRADE_FROM=COMMIT names one")
    folder = tmp_path_factory.mktemp("former")
    archive = subprocess.run(["git", "archive", release], cwd=ROOT, capture_output=True, check=True)
    subprocess.run(["tar", "-x", "-C", str(folder)], input=archive.stdout, check=True)
    return folder


@pytest.fixture
def stack(tmp_path: Path) -> Iterator[Stack]:
    """A stack with today's tables and only a web process of today."""
    if not shutil.which("redis-server"):
        pytest.skip("redis-server is not on PATH: apt-get install redis-server")
    with (
        tempfile.TemporaryDirectory(prefix="podium-plugins-") as plugins,
        running_stack(tmp_path, Path(plugins)) as stack,
    ):
        for word in ("worker", "beat"):
            stack.stop(word)
        yield stack


def test_the_former_release_works_with_the_tables_of_this_one(former: Path, stack: Stack) -> None:
    sprint = stack.site.create_challenge(name="Sprint", scoring_strategy="fastest")
    weighted = stack.site.create_challenge(
        name="Ring toss",
        scoring_strategy="custom",
        scoring_entrypoint="scorers.weighted:WeightedScorer",
        scoring_config={"success_bonus": 100.0},
    )
    facts = {"succeeded": True, "elapsed_ms": 1000, "tokens_total": 10, "rating": 1}
    binaries = Path(sys.executable).parent
    worker = [str(binaries / "celery"), "--app", "leaderboard.celery", "worker"]
    with running(worker, stack.environment, stack.log("former-worker"), cwd=former):
        by_today = [stack.site.submit(slug, "atlas", **facts) for slug in (sprint, weighted)]
        for attempt in by_today:
            assert stack.site.ended(attempt)["status"] == "scored"
        stack.stop("gunicorn")
        web = [str(binaries / "gunicorn"), "leaderboard.wsgi"]
        with running(web, stack.environment, stack.log("former-web"), cwd=former) as process:
            wait_for_port(stack.site.port, process)
            by_former = [stack.site.submit(slug, "borea", **facts) for slug in (sprint, weighted)]
            for attempt in by_former:
                assert stack.site.ended(attempt)["status"] == "scored"
            for slug in (sprint, weighted):
                assert len(stack.site.board(slug)) == 2
    stack.start("gunicorn")
    stack.start("worker")
    later = stack.site.submit(weighted, "castor", **facts)
    assert stack.site.ended(later)["status"] == "scored"
    assert len(stack.site.board(weighted)) == 3
    stack.check_standings()
