"""Slugs that are made from names."""

from __future__ import annotations

import re
from itertools import chain, count

from django.db.models import Q
from django.utils.text import slugify

from leaderboard.models import Challenge, Tenant
from leaderboard.models.challenge_queries import OPEN
from leaderboard.schemas.challenges import LONGEST_SLUG

NAMELESS = "challenge"
"""The slug of a name without a letter or digit of ASCII, as `日本語`."""
MOST_DIGITS = 7


def slug_of(name: str) -> str:
    """Lower-case letters, digits and single hyphens, 1 to 80 of them: `MMLU_Pro` is `mmlu-pro`."""
    plain = re.sub("[-_]+", "-", slugify(name.casefold()))
    return plain[:LONGEST_SLUG].strip("-") or NAMELESS


def free_slug(name: str, tenant: Tenant) -> str:
    """The slug of a name that no challenge has yet: `sprint`, else `sprint-2`, `sprint-3`…

    Private challenges and drafts of other tenants do not count, because a number would reveal them.
    """
    plain = slug_of(name)
    stem = plain[: LONGEST_SLUG - 1 - MOST_DIGITS]
    similar = Challenge.objects.filter(OPEN | Q(tenant=tenant), slug__startswith=stem)
    taken = set(similar.values_list("slug", flat=True))
    slugs = chain([plain], (_numbered(plain, number) for number in count(2)))
    return next(slug for slug in slugs if slug not in taken)


def _numbered(slug: str, number: int) -> str:
    ending = f"-{number}"
    return slug[: LONGEST_SLUG - len(ending)].rstrip("-") + ending
