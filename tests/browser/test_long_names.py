"""Pages are as wide as the window, however long the names on them are."""

from __future__ import annotations

from urllib.parse import quote

import pytest
from playwright.sync_api import ViewportSize

from leaderboard.models import Attempt, Tenant
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge
from tests.browser.visitor import PHONE, Visitor
from tests.browser.world import PASSWORD
from tests.helpers.attempts import score_all
from tests.helpers.marks import IN_A_BROWSER
from tests.people import organiser_of

pytestmark = IN_A_BROWSER

TABLET: ViewportSize = {"width": 768, "height": 1024}
NAMES = ("x" * 100, "Donaudampfschifffahrtsgesellschaftskapitän " * 2, "صانع " * 15, "早い子" * 20)
METRIC = "a_metric_with_a_very_long_name_without_any_space_in_it"
TASK = "a/task/of/many/parts/and_underscores_that_go_on_and_on_without_end/"


@pytest.fixture
def paths(tenant: Tenant) -> list[str]:
    """The pages of a challenge of which every name is long."""
    ben = organiser_of(tenant, "ben", password=PASSWORD)
    fields = {
        "name": "Long " * 20,
        "slug": "long",
        "scoring_strategy": "metric",
        "metrics": [{"type": "mean", "name": METRIC}],
        "rank_by": [{"key": METRIC}],
        "tasks": [{"name": f"{TASK}{number}", "rewards": ["r"]} for number in range(6)],
        "is_embeddable": True,
    }
    challenge = create_challenge(tenant=tenant, user=ben, fields=fields)
    news = [NewAttempt(name, samples=_samples(at)) for at, name in enumerate(NAMES)]
    submit_many(challenge=challenge, user=ben, news=news)
    score_all()
    attempt = Attempt.objects.select_related("participant").first()
    assert attempt is not None
    slugs = Attempt.objects.values_list("participant__slug", flat=True)
    parts = ["", "tasks/", "tradeoff/", "progress/", "what-if/", "rules/"]
    parts += [f"task/?task={quote(TASK)}0", f"p/{slugs[0]}/", f"compare/?p={','.join(slugs[:2])}"]
    parts += ["manage/attempts/", "manage/metrics/"]
    paths = [f"/c/long/{part}" for part in parts]
    return [*paths, "/", "/embed/c/long/", f"/attempts/{attempt.pk}/"]


def _samples(at: int) -> list[Sample]:
    return [Sample(f"{TASK}{n}", 0, {"r": float((n + at) % 2)}) for n in range(6)]


def test_long_names_make_no_page_wider_than_the_window(visitor: Visitor, paths: list[str]) -> None:
    visitor.sign_in()
    for size in (PHONE, TABLET):
        visitor.page.set_viewport_size(size)  # type: ignore[arg-type]
        for path in paths:
            visitor.open(path)
            visitor.measure()
