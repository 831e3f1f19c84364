"""Who chose their username at sign-up, and which usernames look alike.

Nothing says how older accounts were made. One that has a password or a provider, and that neither
an organiser made nor an operator gave rights, counts as a sign-up.
"""

from django.db import migrations, models
from django.db.models import Q

from leaderboard.rules.texts.skeletons import skeleton


def mark_users(apps, schema_editor):
    User = apps.get_model("leaderboard", "User")
    SocialAccount = apps.get_model("socialaccount", "SocialAccount")
    no_password = Q(password__startswith="!")  # noqa: S106 - Django's mark of an unusable one
    has_way_in = ~no_password | Q(pk__in=SocialAccount.objects.values("user"))
    User.objects.filter(
        has_way_in, managed_by=None, is_staff=False, is_superuser=False
    ).update(is_self_named=True)
    rows = [(skeleton(name), pk) for pk, name in User.objects.values_list("pk", "username")]
    with schema_editor.connection.cursor() as cursor:
        cursor.executemany("UPDATE leaderboard_user SET skeleton = %s WHERE id = %s", rows)


class Migration(migrations.Migration):

    dependencies = [
        ("leaderboard", "0072_limits_of_accounts"),
        ("socialaccount", "0006_alter_socialaccount_extra_data"),
    ]

    operations = [
        migrations.AddField(
            model_name="user",
            name="is_self_named",
            field=models.BooleanField(
                db_default=False,
                default=False,
                help_text="Whether the user chose the username at sign-up. Such a username invites"
                " nobody to a challenge, because everybody could have chosen it.",
                verbose_name="chose the username",
            ),
        ),
        migrations.AddField(
            model_name="user",
            name="skeleton",
            field=models.CharField(
                blank=True,
                db_default="",
                db_index=True,
                default="",
                editable=False,
                help_text="Equal for usernames that are drawn alike.",
                max_length=400,
            ),
        ),
        migrations.RunPython(mark_users, migrations.RunPython.noop),
    ]
