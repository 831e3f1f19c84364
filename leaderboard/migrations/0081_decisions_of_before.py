"""What was decided before there were decisions, as far as it is known.

Attempts that are withdrawn or verified, and participants that are disqualified, get the decision
that says so, at the time that their rows have. What was taken back before left no trace.
"""

from django.db import migrations

AT_ONCE = 1000


def write_decisions(apps):
    Decision = apps.get_model("leaderboard", "Decision")
    for rows in (withdrawn(apps), verified(apps), disqualified(apps)):
        batch = []
        for fields in rows:
            batch.append(Decision(**fields))
            if len(batch) == AT_ONCE:
                Decision.objects.bulk_create(batch)
                batch = []
        Decision.objects.bulk_create(batch)


def withdrawn(apps):
    attempts = apps.get_model("leaderboard", "Attempt").objects.filter(withdrawn_at__isnull=False)
    names = ("pk", "challenge_id", "participant_id", "withdrawn_at", "withdrawn_reason")
    for pk, challenge, participant, at, reason in attempts.values_list(*names).iterator():
        yield {
            "challenge_id": challenge,
            "attempt_id": pk,
            "participant_id": participant,
            "kind": "withdrawn",
            "reason": reason,
            "at": at,
        }


def verified(apps):
    marks = apps.get_model("leaderboard", "Verification").objects.all()
    names = ("attempt_id", "attempt__challenge_id", "attempt__participant_id", "at", "by_id")
    for pk, challenge, participant, at, by in marks.values_list(*names).iterator():
        yield {
            "challenge_id": challenge,
            "attempt_id": pk,
            "participant_id": participant,
            "kind": "verified",
            "by_id": by,
            "at": at,
        }


def disqualified(apps):
    out = apps.get_model("leaderboard", "Registration").objects.filter(
        disqualified_at__isnull=False
    )
    names = (
        "challenge_id",
        "participant_id",
        "disqualified_at",
        "disqualified_by_id",
        "disqualified_reason",
    )
    for challenge, participant, at, by, reason in out.values_list(*names).iterator():
        yield {
            "challenge_id": challenge,
            "participant_id": participant,
            "kind": "disqualified",
            "by_id": by,
            "reason": reason,
            "at": at,
        }


def keep_rights(apps):
    """Boards of before go on saying what they said, and their reviewers change nothing."""
    challenges = apps.get_model("leaderboard", "Challenge").objects
    challenges.update(disclose="none", reviewers_decide=False)


def bring_up_to_date(apps, schema_editor):
    """One operation, because Django makes all models anew for each."""
    write_decisions(apps)
    keep_rights(apps)
    if schema_editor.connection.vendor == "postgresql":
        # A restore runs all migrations in one transaction, and later ones change these tables.
        schema_editor.connection.check_constraints()


class Migration(migrations.Migration):
    dependencies = [("leaderboard", "0080_admission")]

    operations = [migrations.RunPython(bring_up_to_date, migrations.RunPython.noop)]
