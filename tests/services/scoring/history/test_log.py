"""Log lines about history that was scored in batches."""

from __future__ import annotations

from collections import Counter
from typing import Any
from uuid import UUID

import pytest

from leaderboard.models import Attempt, Challenge
from leaderboard.operating.request_ids import caused_by
from leaderboard.services.scoring import single
from leaderboard.services.scoring.batch_claims import BatchClaim
from tests.services.scoring.conftest import ImportHistory


def test_each_attempt_of_a_batch_is_logged_with_the_request_that_submitted_it(
    sprint: Challenge, import_history: ImportHistory, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    for request_id, names in (("request-1", "p"), ("request-2", "q")):
        with caused_by(request_id):
            import_history(sprint, 3, names)
    assert single.score_waiting() == 6
    records: list[Any] = [record for record in caplog.records if record.msg == "attempt ended"]
    assert {record.batch for record in records} == {6}
    stored = Attempt.objects.values_list("pk", "request_id")
    assert {record.attempt: record.request_id for record in records} == {
        str(pk): request_id for pk, request_id in stored
    }
    assert Counter(record.request_id for record in records) == {"request-1": 3, "request-2": 3}


def test_lines_of_a_batch_have_a_request_id_if_there_is_only_one() -> None:
    def fields_of(*request_ids: str) -> dict[str, str]:
        ids = {UUID(int=at): request_id for at, request_id in enumerate(request_ids)}
        return BatchClaim(Attempt(), UUID(int=9), request_ids=ids).log_fields

    assert fields_of("one", "one") == {"request_id": "one"}
    assert fields_of("one", "two") == fields_of("", "two") == fields_of() == {"request_id": ""}
