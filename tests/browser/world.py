"""A small world to look at: made through the services, scored in the sandbox."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.models import Attempt, Challenge, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.services.attempts.retry import withdraw_attempt
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.scoring.single import score_waiting
from tests.helpers.attempts import attempt_of
from tests.people import organiser_of

PASSWORD = "a long walk home"
NAMES = ("Atlas", "Borealis", "Cirrus", "Delphi", "Ember", "Fathom", "Gale", "Halcyon")
DESCRIPTION = """An agent is **locked in**.

| Room | Exits |
|------|-------|
| Cell | 1     |
"""
WEIGHTS = {"rating_weight": 15.0, "time_penalty": 0.5, "token_penalty": 0.02}


@dataclass(frozen=True, slots=True)
class World:
    """`escape` is scored by a plugin, attempts at `solved` have samples; ann organises, ben takes
    part."""

    ann: User
    ben: User
    escape: Challenge
    clamped: Attempt
    waiting: Attempt
    solved: Attempt

    @property
    def paths(self) -> list[str]:
        """Return every public page."""
        return [
            "/",
            "/?q=nothing-like-this",
            "/c/prompt-escape/",
            "/c/prompt-escape/?sort=-rating",
            "/c/prompt-escape/?q=atlas",
            "/c/prompt-escape/rules/",
            "/c/prompt-escape/p/atlas/",
            "/c/first-light/",
            "/c/empty-hall/",
            f"/attempts/{self.clamped.pk}/",
            f"/attempts/{self.waiting.pk}/",
            "/c/lock-house/",
            "/c/lock-house/rules/",
            "/c/lock-house/p/atlas/",
            "/c/lock-house/tradeoff/",
            "/c/lock-house/progress/",
            "/c/lock-house/tasks/",
            "/c/lock-house/task/?task=doors/0",
            "/c/lock-house/compare/?p=atlas,borealis",
            f"/attempts/{self.solved.pk}/",
            "/plugins/",
            "/api/docs/",
            "/sign-in/",
        ]

    @property
    def organised_paths(self) -> list[str]:
        """Return the pages of organisers, and those of the admin."""
        parts = [
            *("", "metrics/", "tasks/", "split/", "settings/", "phases/", "registration/"),
            *("rules/", "attempts/", "extra/", "announcements/", "organisers/", "log/"),
        ]
        rows = ("challenge", "attempt", "participant", "grant", "apitoken")
        challenge = f"/admin/leaderboard/challenge/{self.escape.pk}/change/"
        return [
            "/new/",
            *(f"/c/lock-house/manage/{part}" for part in parts),
            "/admin/",
            *(f"/admin/leaderboard/{row}/" for row in rows),
            challenge,
            f"/admin/leaderboard/attempt/{self.solved.pk}/change/",
            "/admin/leaderboard/grant/add/",
        ]

    @property
    def own_paths(self) -> list[str]:
        """Return the pages of signed-in users."""
        return [
            "/account/",
            "/account/password/",
            "/c/prompt-escape/submit/",
            "/c/lock-house/submit/file/",
            f"/attempts/{self.clamped.pk}/",
        ]


def make_world() -> World:
    tenant = Tenant.objects.create(slug="default", name="Default")
    ann = organiser_of(tenant, "ann", password=PASSWORD, is_staff=True)
    ben = User.objects.create_user("ben", password=PASSWORD)
    escape = create_challenge(
        tenant=tenant,
        user=ann,
        fields={
            "name": "Prompt escape",
            "summary": "Talk your way out of a locked room.",
            "description": DESCRIPTION,
            "scoring_strategy": "custom",
            "scoring_entrypoint": "scorers.weighted:WeightedScorer",
            "scoring_config": WEIGHTS,
        },
    )
    light = create_challenge(
        tenant=tenant, user=ann, fields={"name": "First light", "scoring_strategy": "first"}
    )
    create_challenge(
        tenant=tenant, user=ann, fields={"name": "Empty hall", "scoring_strategy": "fastest"}
    )
    solved = _lock_house(tenant, ann)
    submit_many(challenge=escape, user=ann, news=[_attempt(at) for at in range(16)])
    submit_many(challenge=light, user=ann, news=[_attempt(at) for at in range(5)])
    clamped = attempt_of(
        ann,
        escape,
        "Slowpoke",
        metrics={"succeeded": False, "elapsed_ms": 84_000},
        note="In a loop.",
    )
    lost = attempt_of(ann, escape, "Lost", metrics={"rating": 1})
    score_waiting()
    withdraw_attempt(lost, reason="Knew the answer")
    change_challenge(light, user=ann, fields={"is_active": False})
    waiting = attempt_of(ann, escape, "Patience", metrics={})
    return World(ann, ben, escape, clamped, waiting, solved)


def _lock_house(tenant: Tenant, ann: User) -> Attempt:
    """Make a benchmark with cells of every kind; return its first attempt."""
    tasks = [{"name": f"doors/{at}", "rewards": ["opened", "doors"]} for at in range(6)]
    tasks += [{"name": f"chests/{at}", "rewards": ["opened", "chests"]} for at in range(6)]
    house = create_challenge(
        tenant=tenant,
        user=ann,
        fields={
            "name": "Lock house",
            "scoring_strategy": "metric",
            "metrics": [
                {"type": "pass@3", "name": "opened", "reward": "opened"},
                {"type": "pass^3:unbiased", "name": "all three", "reward": "opened"},
                {"type": "mean", "name": "doors", "reward": "doors", "failed": "exclude"},
                {"type": "mean", "name": "chests", "reward": "chests", "failed": "exclude"},
            ],
            "tasks": tasks,
            "min_coverage": 0.9,
            "rank_by": [{"key": "opened"}, {"key": "cost_per_task", "direction": "asc"}],
            "columns": [{"key": "doors", "label": "Doors", "unit": "%", "decimals": 1}],
        },
    )
    news = [_tries(name, at) for at, name in enumerate(NAMES)]
    accepted = submit_many(challenge=house, user=ann, news=news).accepted
    return Attempt.objects.get(pk=accepted[0].pk)


def _tries(name: str, at: int) -> NewAttempt:
    """Return an attempt; the last one ran half of the tasks, the one before lost a whole domain."""
    samples = []
    for domain in ("doors", "chests")[: 1 if at == len(NAMES) - 1 else 2]:
        for number in range(18):
            opened = float((number + at) % 4 > 0)
            lost = number == at or (domain == "chests" and at == len(NAMES) - 2)
            rewards = None if lost else {"opened": opened, domain: 40.0 + 3 * number + at}
            usage = {"elapsed_ms": 4000.0 + 100 * at, "tokens_total": 900.0, "cost_usd": 0.01 * at}
            error = "The container ran out of disk space." if lost else ""
            samples.append(Sample(f"{domain}/{number // 3}", number % 3, rewards, usage, error))
    return NewAttempt(name, samples=samples, values={"locks_of_its_own": float(at)})


def _attempt(at: int) -> NewAttempt:
    metrics = {
        "succeeded": at % 3 > 0,
        "rating": float(at % 8 + 2),
        "elapsed_ms": 4000 + 700 * at,
        "tokens_total": 900 + 130 * at,
        "cost_usd": 0.01 * at,
    }
    return NewAttempt(NAMES[at % len(NAMES)], metrics)
