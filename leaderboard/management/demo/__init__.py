"""The demo: challenges and attempts that a new server starts with.

Demo attempts are treated like those of users: the services save them and a worker scores them.
"""

from __future__ import annotations

import random
from datetime import datetime, timedelta

from django.utils import timezone

from leaderboard.management.demo.challenges import CHALLENGES, DemoChallenge
from leaderboard.management.demo.code import load_code
from leaderboard.management.demo.competitions import COMPETITIONS, load_competition
from leaderboard.management.demo.notices import (
    SYSTEMS,
    demo_votes,
    libraries_are_missing,
    notices,
    notices_fields,
    translations,
)
from leaderboard.management.demo.participants import PARTICIPANTS, DemoParticipant
from leaderboard.management.demo.predictions import load_predictions
from leaderboard.management.demo.reviewed import load_reviewed
from leaderboard.models import Challenge, Membership, Tenant, User
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.challenges.references import store_references
from leaderboard.services.competition.arena.voting import store_votes

__all__ = ["libraries_are_missing", "load_demo"]

SEED = 20
WEEKS = 7


def load_demo() -> int:
    """Create the demo's challenges and submit their attempts; returns the number of attempts."""
    tenant, _ = Tenant.objects.get_or_create(slug="default", defaults={"name": "Default"})
    user, created = User.objects.get_or_create(username="demo")
    if created:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    role = {"role": Membership.Role.ORGANISER}
    Membership.objects.get_or_create(user=user, tenant=tenant, defaults=role)
    dice = random.Random(SEED)  # noqa: S311 - a demo that is the same everywhere
    now = timezone.now()
    loaded = sum(_load_one(tenant, user, demo, dice, now) for demo in CHALLENGES)
    loaded += sum(
        load_competition(tenant, user, competition, dice, now) for competition in COMPETITIONS
    )
    loaded += _load_notices(tenant, user, dice, now)
    loaded += load_predictions(tenant, user, dice, now)
    loaded += load_reviewed(tenant, user, dice, now)
    return loaded + load_code(tenant, user, dice, now)


def _load_one(
    tenant: Tenant, user: User, demo: DemoChallenge, dice: random.Random, now: datetime
) -> int:
    challenge: Challenge = create_challenge(tenant=tenant, user=user, fields=demo.fields)
    crowd = [
        participant
        for participant in PARTICIPANTS
        if participant.kind == "system" or not demo.systems_only
    ]
    news = [
        new
        for entrant in dice.sample(crowd, demo.entrants)
        for new in _tries(demo, entrant, dice.randint(1, demo.most_tries), dice, now)
    ]
    news.sort(key=lambda new: new.submitted_at or now)
    result = submit_many(challenge=challenge, user=user, news=news, organiser=True)
    return len(result.accepted)


def _load_notices(tenant: Tenant, user: User, dice: random.Random, now: datetime) -> int:
    challenge: Challenge = create_challenge(tenant=tenant, user=user, fields=notices_fields())
    store_references(challenge, user=user, document=notices())
    news = [
        NewAttempt(
            participant=participant.handle,
            name=participant.name,
            kind=participant.kind,
            outputs=translations(participant.handle),
            meta=participant.meta,
            submitted_at=now - timedelta(days=dice.uniform(1, WEEKS * 7)),
        )
        for participant in PARTICIPANTS
        if participant.handle in SYSTEMS
    ]
    result = submit_many(challenge=challenge, user=user, news=news, organiser=True)
    store_votes(challenge, {"votes": demo_votes(dice)}, user=user)
    return len(result.accepted)


def _tries(
    demo: DemoChallenge, entrant: DemoParticipant, often: int, dice: random.Random, now: datetime
) -> list[NewAttempt]:
    """Some attempts of one participant over the weeks, most of them better than the one before."""
    first = now - timedelta(days=dice.uniform(3, WEEKS * 7))
    moments = sorted(dice.uniform(0, 1) for _ in range(often))
    return [
        NewAttempt(
            participant=entrant.handle,
            name=entrant.name,
            kind=entrant.kind,
            metrics=demo.metrics(dice, entrant.skill + 0.08 * number),
            samples=demo.samples(dice, entrant, entrant.skill + 0.08 * number),
            meta=entrant.meta,
            submitted_at=first + (now - first) * moment * 0.97,
        )
        for number, moment in enumerate(moments)
    ]
