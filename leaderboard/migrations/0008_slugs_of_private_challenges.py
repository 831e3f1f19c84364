"""The slug of a private challenge tells other tenants nothing: theirs may have it as well."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0007_scorer_editions'),
    ]

    operations = [
        migrations.AlterField(
            model_name='challenge',
            name='slug',
            field=models.SlugField(max_length=80),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.UniqueConstraint(condition=models.Q(('visibility', 'private'), _negated=True), fields=('slug',), name='one_open_challenge_per_slug'),
        ),
        migrations.AddConstraint(
            model_name='challenge',
            constraint=models.UniqueConstraint(fields=('tenant', 'slug'), name='one_challenge_of_a_tenant_per_slug'),
        ),
    ]
