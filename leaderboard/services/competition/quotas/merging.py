"""What two teams have used of the quotas of a challenge, together."""

from __future__ import annotations

from collections import Counter

from django.db.models import F, Q, Sum
from django.utils.translation import gettext as _

from leaderboard.models import Attempt, Challenge, Grant, Phase, QuotaUse
from leaderboard.models.quota import DAY, MONTH, TOTAL, WEEK
from leaderboard.rules.ranking.places import counting_of
from leaderboard.services.errors import ServiceError


def check_quotas(challenge: Challenge, team: int, into: int) -> None:
    """Check that the attempts of two participants fit every limit of every phase together.

    Limits of earlier days and weeks count as well; so does every grant of either participant, also
    one that has ended, because attempts may have used it. Raises ServiceError (`conflict`).
    """
    for phase in challenge.phases.all():
        most = {
            DAY: phase.per_day,
            WEEK: phase.per_week,
            MONTH: phase.per_month,
            TOTAL: phase.total,
        }
        both = [team, into]
        extra = _extra(phase, both)
        for (kind, period), used in sorted(_used(phase, both).items()):
            limit = most.get(kind)
            if limit is not None and used > limit + extra:
                raise _too_many(phase, period, limit + extra)


def check_choices(challenge: Challenge, team: int, into: int) -> None:
    """Check that two participants together have not chosen more attempts than the limit.

    Raises ServiceError (`conflict`).
    """
    for phase in challenge.phases.all():
        if counting_of(phase.counting, challenge.shown.counting) != "chosen":
            continue
        both = Attempt.objects.filter(phase=phase, participant__in=[team, into])
        chosen = both.filter(chosen_at__isnull=False, withdrawn_at=None).count()
        if chosen > phase.number_counted:
            text = _("Together the teams have chosen too many attempts in {phase}; at most {most}.")
            message = text.format(phase=str(phase), most=phase.number_counted)
            raise ServiceError("conflict", message)


def move_quotas(challenge: Challenge, team: int, into: int) -> None:
    """Add what one participant has used to what the other one has. The challenge is locked."""
    uses = QuotaUse.objects.filter(phase__challenge=challenge)
    for use in uses.filter(participant=team).order_by("phase", "kind", "period"):
        counterpart = uses.filter(
            participant=into, phase=use.phase_id, kind=use.kind, period=use.period
        )
        if counterpart.update(used=F("used") + use.used):
            use.delete()
        else:
            use.participant_id = into
            use.save(update_fields=["participant"])


def _used(phase: Phase, participants: list[int]) -> Counter[tuple[str, str]]:
    rows = QuotaUse.objects.filter(phase=phase, participant__in=participants).order_by()
    used_by_kind = rows.values_list("kind", "period").annotate(Sum("used"))
    return Counter({(kind, period): used for kind, period, used in used_by_kind})


def _extra(phase: Phase, participants: list[int]) -> int:
    for_either_team = Q(participant__in=participants) | Q(participant__isnull=True)
    grants = Grant.objects.filter(for_either_team, phase=phase)
    return int(grants.aggregate(all=Sum("extra"))["all"] or 0)


def _too_many(phase: Phase, period: str, most: int) -> ServiceError:
    """Without the number: it would tell how many attempts the other team has."""
    if period:
        text = _("Together the teams exceed the limit of {most} attempts in {phase} in {period}.")
    else:
        text = _("Together the teams exceed the limit of {most} attempts in {phase}.")
    message = text.format(phase=str(phase), period=period, most=most)
    return ServiceError("conflict", message)
