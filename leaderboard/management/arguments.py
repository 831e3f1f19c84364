"""Arguments that several commands have."""

from __future__ import annotations

from django.core.management.base import CommandError, CommandParser

from leaderboard.models import Challenge
from leaderboard.models.challenge import ChallengeQuerySet


def add_challenge(parser: CommandParser) -> None:
    parser.add_argument("challenge", nargs="?", help="The challenge's slug; all without it.")


def challenge_named(slug: str) -> Challenge:
    found = Challenge.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"there is no challenge {slug!r}")
    return found


def challenges_named(slug: str | None) -> ChallengeQuerySet | list[Challenge]:
    return [challenge_named(slug)] if slug else Challenge.objects.all()
