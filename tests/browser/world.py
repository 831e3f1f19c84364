"""A small world to look at: made through the services, scored in the sandbox."""

from __future__ import annotations

from dataclasses import dataclass

from leaderboard.models import Attempt, Challenge, Membership, Tenant, User
from leaderboard.services.attempts import withdraw_attempt
from leaderboard.services.challenges import change_challenge, create_challenge
from leaderboard.services.scoring import score_waiting
from leaderboard.services.submitting import NewAttempt, submit_attempt, submit_many

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
    """`escape` is scored by a plugin; ann organises, ben takes part."""

    ann: User
    ben: User
    escape: Challenge
    clamped: Attempt
    waiting: Attempt

    @property
    def paths(self) -> list[str]:
        """Every public page."""
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
            "/plugins/",
            "/sign-in/",
        ]

    @property
    def own_paths(self) -> list[str]:
        """Pages of those who signed in."""
        return [
            "/account/",
            "/account/password/",
            "/c/prompt-escape/submit/",
            f"/attempts/{self.clamped.pk}/",
        ]


def make_world() -> World:
    tenant = Tenant.objects.create(slug="default", name="Default")
    ann = User.objects.create_user("ann", password=PASSWORD, is_staff=True)
    Membership.objects.create(tenant=tenant, user=ann, role=Membership.Role.ORGANISER)
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
    submit_many(challenge=escape, user=ann, news=[_attempt(at) for at in range(16)])
    submit_many(challenge=light, user=ann, news=[_attempt(at) for at in range(5)])
    slow = NewAttempt("Slowpoke", {"succeeded": False, "elapsed_ms": 84_000}, note="In a loop.")
    clamped, _ = submit_attempt(challenge=escape, user=ann, new=slow)
    lost, _ = submit_attempt(challenge=escape, user=ann, new=NewAttempt("Lost", {"rating": 1}))
    score_waiting()
    withdraw_attempt(lost, reason="Knew the answer")
    change_challenge(light, user=ann, fields={"is_active": False})
    waiting, _ = submit_attempt(challenge=escape, user=ann, new=NewAttempt("Patience", {}))
    return World(ann, ben, escape, clamped, waiting)


def _attempt(at: int) -> NewAttempt:
    metrics = {
        "succeeded": at % 3 > 0,
        "rating": float(at % 8 + 2),
        "elapsed_ms": 4000 + 700 * at,
        "tokens_total": 900 + 130 * at,
        "cost_usd": 0.01 * at,
    }
    return NewAttempt(NAMES[at % len(NAMES)], metrics)
