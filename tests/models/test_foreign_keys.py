"""Each foreign key has an index, because deletions and `exists()` follow it.

With a million attempts on PostgreSQL, deleting an attempt took 99 ms without, a challenge 1.6 s. A
key by which no rows are looked up has neither: `Attempt.tenant`, `Score.config`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import ProtectedError
from django.test.utils import CaptureQueriesContext

from leaderboard.models import Attempt, Challenge, Participant, ScoringConfig, Tenant
from leaderboard.models.prepared import changed, fetch
from leaderboard.services.challenges.challenges import delete_challenge
from leaderboard.services.scoring.batch_claims import _next_to
from tests.people import tenant

__all__ = ["tenant"]

pytestmark = pytest.mark.django_db

NOT_FOLLOWED = {
    "leaderboard.Attempt.tenant": "The database has no constraint for it, and no deletion asks:"
    " the attempt's challenge belongs to the same tenant and protects it.",
    "leaderboard.Attempt.copied_from": "Its index has only the rows with an original, which few"
    " attempts have; both databases use it to find the copies of an attempt.",
    "leaderboard.Event.participant": "The database has no constraint for it, and no deletion asks:"
    " an event stays when its participant is deleted.",
    "leaderboard.Score.config": "The database has no constraint for it, and no deletion asks: a"
    " config is deleted only with its challenge, which then has no attempts and so no scores.",
}
"""Foreign keys without an index that begins with them, and why no query needs one."""

_LEADING = {
    "postgresql": """
        SELECT a.attname FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[0]
        WHERE i.indrelid = %s::regclass AND i.indpred IS NULL""",
    "sqlite": """
        SELECT c.name FROM pragma_index_list(%s) i JOIN pragma_index_info(i.name) c
        WHERE c.seqno = 0 AND NOT i.partial
        UNION SELECT name FROM pragma_table_info(%s) WHERE pk = 1""",
}
"""Queries for the first columns of each index of a table that covers all rows."""


def without_index() -> Iterator[str]:
    for model in apps.get_models(include_auto_created=True):
        with connection.cursor() as cursor:
            sql = _LEADING[connection.vendor]
            cursor.execute(sql, [model._meta.db_table] * sql.count("%s"))
            leading = {name for (name,) in cursor.fetchall()}
        for field in model._meta.local_concrete_fields:
            if field.is_relation and field.column not in leading:
                yield f"{model._meta.app_label}.{model.__name__}.{field.name}"


def test_foreign_keys_have_an_index_or_a_reason() -> None:
    assert set(without_index()) == set(NOT_FOLLOWED)


def test_partial_indexes_and_indexes_that_begin_with_another_column_do_not_count() -> None:
    for sql in (
        "DROP INDEX attempts_of_config",
        "CREATE INDEX some_rows ON leaderboard_attempt (scoring_config_id) WHERE note = ''",
        "CREATE INDEX note_first ON leaderboard_attempt (note, scoring_config_id)",
    ):
        changed(sql, [])
    assert "leaderboard.Attempt.scoring_config" in set(without_index())


def test_a_tenant_with_attempts_is_protected_by_its_challenges(tenant: Tenant) -> None:
    challenge = Challenge.objects.create(tenant=tenant, slug="c", name="C")
    config = ScoringConfig.objects.create(challenge=challenge, number=1, strategy="first")
    who = Participant.objects.create(tenant=tenant, handle="a", handle_key="a", slug="a")
    Attempt.objects.create(
        tenant=tenant, challenge=challenge, participant=who, scoring_config=config
    )
    with pytest.raises(ProtectedError, match=r"Challenge\.tenant"):
        tenant.delete()


def test_deletions_do_not_follow_what_has_no_index(tenant: Tenant) -> None:
    challenge = Challenge.objects.create(tenant=tenant, slug="c", name="C")
    ScoringConfig.objects.create(challenge=challenge, number=1, strategy="first")
    with CaptureQueriesContext(connection) as captured:
        delete_challenge(challenge)
        tenant.delete()
    asked = " ".join(query["sql"] for query in captured)
    assert '"leaderboard_attempt"."scoring_config_id" IN' in asked
    assert '"leaderboard_score"' not in asked
    assert '"leaderboard_attempt"."tenant_id"' not in asked


def plan_with_only(index: str, query: str) -> str:
    """How the database runs a query when attempts have one index, whatever it knows of their
    number: PostgreSQL reads the whole table only if it cannot use the index.
    """
    for other in Attempt._meta.indexes:
        if other.name != index:
            changed(f"DROP INDEX {other.name}", [])
    if connection.vendor == "postgresql":
        changed("SET LOCAL enable_seqscan = off", [])
    explain = "EXPLAIN" if connection.vendor == "postgresql" else "EXPLAIN QUERY PLAN"
    return str(fetch(f"{explain} {query}", []))


@pytest.mark.parametrize(
    ("index", "is_used"), [("attempts_short", True), ("attempts_of_config", False)]
)
def test_a_batch_of_history_is_not_found_by_the_index_of_its_config(
    tenant: Tenant, index: str, is_used: bool
) -> None:
    """PostgreSQL expects no attempts of a config that it has not yet counted."""
    with CaptureQueriesContext(connection) as captured:
        _next_to(tenant.pk, 1, 0, 10)
    (query,) = (captured_query["sql"] for captured_query in captured)
    assert (index in plan_with_only(index, query)) is is_used
