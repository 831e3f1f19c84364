"""An attempt with outputs: the results of its text metrics, and the progress of computing them."""

from __future__ import annotations

import re

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, Evaluation, Score
from leaderboard.rules.rewards.instances import Instance
from leaderboard.services.board.standings.counting import rebuild_standings
from leaderboard.services.challenges.challenges import change_challenge
from leaderboard.services.evaluation import run_columns
from tests.helpers.evaluations import stored_evaluation, stored_run
from tests.pages.conftest import Submit
from tests.pages.evaluated import INSTANCES, page, value
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db


def test_the_board_ranks_by_a_text_metric_and_describes_it(
    client: Client, attempt: Attempt
) -> None:
    rebuild_standings(attempt.challenge)
    html = get(client, "/c/verses/")
    assert "1 atlas 3/4 0.3333 95%: 0.2333 to 0.4333 1" in words(html)
    assert "as in SQuAD; highest is best" in html
    assert "Over 3 of 4 instances. 1 instance " in html


def test_the_board_shows_the_further_numbers_that_its_challenge_names(
    client: Client, verses: Challenge, submit: Submit
) -> None:
    attempt = submit(verses, "atlas", scored=False)
    numbers = {"F1": value(0.75), "F1:least": value(0.125), "F1:most": value(0.875)}
    Score.objects.create(attempt=attempt, config=attempt.scoring_config, metric_values=numbers)
    Attempt.objects.filter(pk=attempt.pk).update(status="scored")
    rebuild_standings(verses)
    assert "F1:" not in get(client, "/c/verses/")
    assert "0.125" not in get(client, "/c/verses/")
    columns = [{"key": "F1:least", "label": "Least", "decimals": 3}]
    change_challenge(verses, user=None, fields={"columns": columns})
    text = words(get(client, "/c/verses/"))
    assert "F1 ↑ Least ↑ Attempts" in text
    assert "0.125" in text
    assert "0.875" not in text


class TestRuns:
    def test_numbers_outside_the_board_are_formatted_as_the_metric_says(
        self, client: Client, verses: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The challenge stores what its metrics say, so that no plugin is needed for a page."""
        monkeypatch.setattr(run_columns, "find_text_metric", None)
        attempt = submit(verses, "atlas", scored=False)
        stored_evaluation(attempt, INSTANCES)
        numbers = {"F1": value(0.75), "F1:least": value(0.125)}
        results = [{"f1": 0.75, "least": 0.125}, None, None, None]
        stored_run(attempt, "F1", results, value=numbers)
        Score.objects.create(attempt=attempt, config=attempt.scoring_config)
        Attempt.objects.filter(pk=attempt.pk).update(status="scored")
        text = words(page(client, attempt))
        assert "F1:least 0.1250 ± 0.1000" in text
        assert "F1 0.7500 F1: least 0.1250" in text

    def test_each_metric_has_its_values_and_their_coverage(
        self, client: Client, attempt: Attempt
    ) -> None:
        html = page(client, attempt)
        text = words(html)
        for part in (
            "0.3333 ± 0.1000 0.2333 to 0.4333",
            "Student’s t over instances 3 of 4 1 1.2 s",
            "EDIT_DISTANCE ignore_case true 2.500",
            "EDIT_DISTANCE:similarity –",
        ):
            assert part in text
        assert "from the samples" not in html
        for file in ("output.json", "log.jsonl"):
            assert f'href="/api/v1/attempts/{attempt.pk}/{file}"' in html
        for part in ("data-hx-get", "http-equiv", "<progress"):
            assert part not in html, "it is finished"

    def test_a_failed_or_unfinished_metric_has_its_error(
        self, client: Client, as_ann: Client, as_ben: Client, attempt: Attempt
    ) -> None:
        given = {"id": "BERTSCORE", "parameters": {"model_path": "models/tiny"}}
        stored_run(
            attempt,
            given,
            [],
            error_code="not_installed",
            error_message="pip install bert-score",
            error_detail="in secret_place.py",
        )
        stored_run(attempt, "X", [], error_code="timeout")
        stored_run(attempt, "BLEU_NLTK", [], finished_at=None)
        Score.objects.update(error_code="worker_lost", error_message="Lost on the way.")
        text = words(page(client, attempt))
        assert "BERTSCORE model_path models/tiny – pip install bert-score" in text
        assert "– Lost on the way." in text
        assert re.search(r"X default parameters – \w", text)
        assert "Traceback of BERTSCORE in secret_place.py" in words(page(as_ann, attempt))
        for reader in (client, as_ben):
            assert "secret_place" not in page(reader, attempt)

    def test_texts_of_a_score_and_ways_of_counting_are_shown(
        self, client: Client, attempt: Attempt
    ) -> None:
        score = {"corpus_bleu": 40.0, "signature": "nrefs:2|tok:13a"}
        stored_run(attempt, "SACREBLEU", [], score=score, value={"SACREBLEU": value(40.0)})
        stored_run(attempt, "bleu_nltk", [], value={"bleu_nltk": value(0.5)})
        union = {"id": "BLEU_NLTK", "parameters": {"reference_mode": "union"}}
        stored_run(attempt, union, [], key="BLEU", value={"BLEU": value(0.75)})
        text = words(page(client, attempt))
        assert "signature nrefs:2|tok:13a" in text
        assert text.index("the best one counts") < text.index("all count at once")

    def test_the_page_describes_the_output_document(self, client: Client, attempt: Attempt) -> None:
        assert "no text metric" in page(client, attempt)
        off = {"id": "f1", "enable": False}
        Evaluation.objects.filter(pk=attempt.pk).update(metrics=["F1", off])
        assert "1 text metric" in page(client, attempt)
        Evaluation.objects.filter(pk=attempt.pk).update(outputs_only=True)
        assert "text metric:" not in page(client, attempt)

    def test_an_attempt_without_instances_does_not_mention_them(
        self, client: Client, verses: Challenge, submit: Submit
    ) -> None:
        html = page(client, submit(verses, "other"))
        assert "output.json" not in html


class TestProgress:
    @pytest.fixture
    def waiting(self, verses: Challenge, submit: Submit) -> Attempt:
        attempt = submit(verses, "slow", scored=False)
        stored_evaluation(
            attempt,
            [Instance(at, outputs=("x",), references=("x",)) for at in range(600)],
            metrics=["ROUGE", "EDIT_DISTANCE"],
        )
        return attempt

    def test_the_metrics_of_a_waiting_attempt_are_listed(
        self, client: Client, waiting: Attempt
    ) -> None:
        html = page(client, waiting)
        text = words(html)
        assert '<progress max="1800" value="0"' in html
        assert re.findall(r"(\w+) default parameters – Not begun", text)[:2] == [
            "ROUGE",
            "EDIT_DISTANCE",
        ]
        assert f'data-hx-get="/attempts/{waiting.pk}/" data-hx-trigger="every 2s"' in html
        assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in html

    def test_progress_counts_results_of_instances_and_metrics(
        self, client: Client, waiting: Attempt
    ) -> None:
        stored_run(waiting, "ROUGE", [0.5] * 600, value={"ROUGE": value(0.5)})
        stored_run(waiting, "EDIT_DISTANCE", [1.0] * 250, finished_at=None)
        stored_run(waiting, "F1", [], finished_at=None)
        Attempt.objects.filter(pk=waiting.pk).update(status="scoring")
        html = page(client, waiting)
        text = words(html)
        assert "850 of 1,800" in text
        assert '<progress max="1800" value="850"' in html
        assert "0.5000" not in text, "it can still be cancelled"
        assert "600 of 600 instances" in text
        assert "– 250 of 600 instances" in text
