from django.db import migrations, models


def name_families(apps, schema_editor):
    """Copy the families that attempts named in their meta before standings had them."""
    Attempt = apps.get_model("leaderboard", "Attempt")
    Standing = apps.get_model("leaderboard", "Standing")
    named = Attempt.objects.filter(meta__has_key="family").values_list("pk", "meta__family")
    for attempt, family in named.iterator():
        name = str(family or "").strip()[:120].rstrip()
        if name:
            Standing.objects.filter(attempt=attempt).update(family=name)


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0116_site_look'),
    ]

    operations = [
        migrations.AddField(
            model_name='challenge',
            name='folds_families',
            field=models.BooleanField(db_default=False, default=False, help_text='Attempts may name the system of which they are one configuration. Its other rows open below the best one, and ranks are among the rows that the page shows.'),
        ),
        migrations.AddField(
            model_name='challenge',
            name='medals',
            field=models.CharField(choices=[('none', 'None'), ('first_three', 'Gold, silver and bronze for the ranks 1, 2 and 3'), ('shares', 'For shares of the ranked rows, as on Kaggle')], db_default='none', default='none', help_text='For the first ranks of a phase, once it has closed.', max_length=20),
        ),
        migrations.AddField(
            model_name='standing',
            name='family',
            field=models.CharField(blank=True, db_default='', editable=False, max_length=120),
        ),
        migrations.AddIndex(
            model_name='standing',
            index=models.Index(condition=models.Q(('family', ''), _negated=True), fields=['board', 'family', 'sort_key'], name='standings_of_family'),
        ),
        migrations.RunPython(name_families, migrations.RunPython.noop),
    ]
