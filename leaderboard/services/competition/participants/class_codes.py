"""The code of a class: people type it where they type the codes of links.

A code is short and the same for a whole class, so each try counts as a failed sign-in of its
address, and a right one is given back.
"""

from __future__ import annotations

from leaderboard.models import Challenge, User
from leaderboard.schemas.choices import RegistrationMode

MOST: int = 20


def challenges_with_code(code: str, user: User | None) -> list[Challenge]:
    """The challenges for which people register with this code, of those that the user may see."""
    if not code.strip():
        return []
    by_code = Challenge.objects.visible_to(user).filter(
        is_active=True,
        registration_rules__mode=RegistrationMode.CODE,
        registration_rules__code=code.strip(),
    )
    return list(by_code.order_by("name", "slug")[:MOST])
