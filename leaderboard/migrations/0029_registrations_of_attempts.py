"""Every participant with attempts at a challenge is registered there, with its owner as captain."""

from django.db import migrations

RUN = 2_000


def register(apps, schema_editor):
    Attempt = apps.get_model("leaderboard", "Attempt")
    Registration = apps.get_model("leaderboard", "Registration")
    Entry = apps.get_model("leaderboard", "Entry")
    pairs = Attempt.objects.order_by().values_list(
        "challenge_id", "participant_id", "participant__owner_id"
    ).distinct()
    registrations, entries = [], []
    for challenge, participant, owner in pairs.iterator(chunk_size=RUN):
        registrations.append(Registration(challenge_id=challenge, participant_id=participant))
        if owner is not None:
            entries.append(
                Entry(
                    challenge_id=challenge,
                    participant_id=participant,
                    user_id=owner,
                    role="captain",
                )
            )
    Registration.objects.bulk_create(registrations, RUN, ignore_conflicts=True)
    Entry.objects.bulk_create(entries, RUN, ignore_conflicts=True)


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0028_registrations"),
    ]

    operations = [migrations.RunPython(register, migrations.RunPython.noop)]
