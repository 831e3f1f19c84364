"""Names of deleted accounts with results: nobody else gets them, and no page shows them.

Old links, badges and papers would otherwise show the rank of somebody else. Only digests are kept.
"""

from __future__ import annotations

from collections.abc import Iterable
from hashlib import sha256

from leaderboard.models import Participant, ReservedName, Score
from leaderboard.models.bulk import among


def reserve_names(participant: Participant) -> None:
    """Reserve all names that a participant with results has had, and their slugs."""
    if not Score.objects.filter(attempt__participant=participant).exists():
        return
    former = list(participant.former_names.values_list("handle_key", "slug"))
    texts = {
        text for names in [(participant.handle_key, participant.slug), *former] for text in names
    }
    ReservedName.objects.bulk_create(
        [
            ReservedName(
                tenant_id=participant.tenant_id, digest=_digest(participant.tenant_id, text)
            )
            for text in sorted(texts)
        ],
        ignore_conflicts=True,
    )


def reserved_among(tenant: int, texts: Iterable[str]) -> set[str]:
    """Which of some names (`handle_key`) and slugs are reserved in a tenant."""
    digests = {_digest(tenant, text): text for text in texts}
    if not digests:
        return set()
    reserved = ReservedName.objects.filter(tenant=tenant, digest__in=among(digests))
    return {digests[digest] for digest in reserved.values_list("digest", flat=True)}


def _digest(tenant: int, text: str) -> str:
    """Of the tenant, so that a list of digests of common names fits no other one."""
    return sha256(f"{tenant}:{text}".encode("utf-8", "surrogatepass")).hexdigest()
