"""Organisers could give a name to another user, who then had no place in challenges.

The new owner takes the place of the captain, as `services.competition.participants.succession` does from now on,
if they have never been a member under this name. An owner who has been one passed the team on, or
left it, and keeps no place.
"""

from django.db import migrations
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now


def take_places(apps, schema_editor):
    Entry = apps.get_model("leaderboard", "Entry")
    of_owner = Entry.objects.filter(
        participant=OuterRef("participant"), user=OuterRef("participant__owner")
    )
    captains = Entry.objects.filter(
        ~Exists(of_owner), left_at=None, role="captain", participant__owner__isnull=False
    )
    for entry in list(captains.select_related("participant")):
        owner = entry.participant.owner_id
        theirs = Entry.objects.filter(challenge=entry.challenge_id, user=owner, left_at=None)
        if entry.is_sole and theirs.exists():
            continue
        Entry.objects.filter(pk=entry.pk).update(left_at=Now())
        Entry.objects.create(
            challenge_id=entry.challenge_id,
            participant_id=entry.participant_id,
            user_id=owner,
            role=entry.role,
            is_sole=entry.is_sole,
        )


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0060_failing_parts_of_workers"),
    ]

    operations = [migrations.RunPython(take_places, migrations.RunPython.noop)]
