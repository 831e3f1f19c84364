"""`make pictures`: the pictures of the documentation, taken of the demo with Chromium.

`python -m tests.helpers.pictures` starts a server with the demo in a temporary folder and writes a
WebP file of 1440 pixels width, in light colours, for each entry of `PICTURES` to docs/pictures/.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from tests.helpers.chromium import installed, running_chromium
from tests.processes import MANAGE, ROOT, Site, eventually, running
from tests.servers import free_port

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

FOLDER: Final = ROOT / "docs" / "pictures"
WIDTH: Final = 1440
MOST_BYTES: Final = 80_000
QUALITIES: Final = (0.9, 0.8, 0.7, 0.6, 0.5)
"""The first quality whose file is small enough is taken."""


class Picture(NamedTuple):
    """A picture of a page: its file, the path, and its height in pixels.

    signed_in: as an organiser, else as a visitor. clicked: what is clicked first, "" for nothing.
    """

    name: str
    path: str
    height: int
    signed_in: bool = True
    clicked: str = ""


PICTURES: Final = (
    Picture("board", "/c/harbour-desk/", 1140, signed_in=False),
    Picture("tradeoff", "/c/harbour-desk/tradeoff/", 1080, signed_in=False),
    Picture("challenges", "/", 900, signed_in=False),
    Picture("new", "/new/?kind=tasks&template=agent_benchmark", 1000, clicked="text=pass@K Share"),
    Picture("checklist", "/c/plan/manage/", 1000),
    Picture("metrics", "/c/flat-fare/manage/metrics/", 1000),
    Picture("phases", "/c/prompt-golf/manage/phases/?phase=homework", 1100),
    Picture("people", "/c/prompt-golf/people/", 900),
    Picture("overview", "/c/prompt-golf/manage/", 1000),
    Picture("frozen", "/c/prompt-golf/", 1260, signed_in=False),
    Picture("admission", "/c/night-watch/", 860, signed_in=False),
    Picture("review", "/c/night-watch/review/", 760),
    Picture("truth", "/c/ferry-fuel/manage/truth/", 1200),
    Picture("predictions", "/c/ferry-fuel/submit/", 900),
)
LATER: Final = (Picture("reveal", "/c/prompt-golf/reveal/?step=4", 800),)
"""Those that are taken once the class of the demo has ended."""

PREPARE: Final = """
from django.test import Client
from leaderboard.models import Membership, Tenant, User
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.imports.samples import send_sample

tenant = Tenant.objects.get(slug="default")
user = User.objects.create_user("grace", first_name="Grace", last_name="Okafor")
Membership.objects.create(tenant=tenant, user=user, role="organiser")
plan = create_challenge(tenant=tenant, user=user, fields={
    "name": "Lock-picking for agents", "slug": "plan", "is_draft": True,
    "scoring_strategy": "fewest_tokens", "description": "Open the lock.",
})
send_sample(plan, user=user)
client = Client()
client.force_login(user)
print("session", client.cookies["sessionid"].value)
"""
END_THE_CLASS: Final = """
from datetime import timedelta
from django.utils import timezone
from leaderboard.models import Phase

now = timezone.now()
Phase.objects.filter(slug="homework").update(closes_at=now - timedelta(hours=1))
"""
TO_WEBP: Final = """
async ([png, quality]) => {
  const picture = new Image();
  picture.src = "data:image/png;base64," + png;
  await picture.decode();
  const canvas = document.createElement("canvas");
  [canvas.width, canvas.height] = [picture.width, picture.height];
  canvas.getContext("2d").drawImage(picture, 0, 0);
  return canvas.toDataURL("image/webp", quality).split(",")[1];
}
"""


def main() -> int:
    chromium = installed()
    if chromium is None:
        print("Chromium is needed to take pictures.", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="podium-pictures-") as folder:
        environment = {
            **os.environ,
            "DATA_DIR": folder,
            "THROTTLE_READ": "off",
            "THROTTLE_PAGES": "off",
        }
        with _server(environment, Path(folder)) as site:
            session = _run(PREPARE, environment).split()[-1]
            eventually(lambda: _is_idle(site))
            eventually(lambda: _is_judged(site))
            for code, pictures in (("", PICTURES), (END_THE_CLASS, LATER)):
                if code:
                    _run(code, environment)
                with running_chromium(chromium) as browser:
                    for picture in pictures:
                        _take(browser, f"http://127.0.0.1:{site.port}", session, picture)
    return 0


@contextmanager
def _server(environment: dict[str, str], folder: Path) -> Iterator[Site]:
    port = free_port()
    output = folder / "output"
    with running([*MANAGE, "up", "--port", str(port)], environment, output):
        eventually(lambda: "ready http" in output.read_text())
        yield Site(port)


def _is_idle(site: Site) -> bool:
    """Whether every attempt of the demo has its score."""
    status = json.loads(site.page("/status.json"))
    return status["state"] == "ok" and status["oldest_waiting_seconds"] is None


def _is_judged(site: Site) -> bool:
    """Whether the certainty of each pictured board is computed."""
    boards = {picture.path for picture in PICTURES if not picture.signed_in}
    return not any("is being computed" in site.page(path) for path in boards)


def _run(code: str, environment: dict[str, str]) -> str:
    """Run code with the models of the product; returns what it prints."""
    command = [*MANAGE, "shell", "-v", "0", "-c", code]
    ended = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True
    )
    return ended.stdout


def _take(browser: Browser, site: str, session: str, picture: Picture) -> None:
    context = browser.new_context(
        viewport={"width": WIDTH, "height": picture.height},
        color_scheme="light",
        reduced_motion="reduce",
        locale="en-GB",
        timezone_id="UTC",
    )
    if picture.signed_in:
        context.add_cookies([{"name": "sessionid", "value": session, "url": site}])
    page = context.new_page()
    page.goto(f"{site}{picture.path}")
    if picture.clicked:
        page.locator(picture.clicked).first.click()
        page.wait_for_timeout(1500)
    page.wait_for_load_state("networkidle")
    _save(page, picture)
    context.close()


def _save(page: Page, picture: Picture) -> None:
    png = base64.b64encode(page.screenshot()).decode()
    page.goto("about:blank")
    for quality in QUALITIES:
        webp = base64.b64decode(page.evaluate(TO_WEBP, [png, quality]))
        if len(webp) <= MOST_BYTES:
            break
    target = FOLDER / f"{picture.name}.webp"
    target.write_bytes(webp)
    print(f"{target.relative_to(ROOT)}: {len(webp) // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
