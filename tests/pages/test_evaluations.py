"""An attempt that brought outputs: its text metrics, and its instances for whoever may see them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge, Score
from leaderboard.rules.instances import Instance
from leaderboard.services import run_columns
from leaderboard.services.challenges import change_challenge
from leaderboard.services.standings import rebuild_standings
from tests.evaluations import held_references, stored_evaluation, stored_run
from tests.pages.conftest import Make, Submit
from tests.pages.reading import get, words

pytestmark = pytest.mark.django_db

INSTANCES = [
    Instance("one", "Wie geht’s?", ("How are you?",), ("How is it going?", "How are you?")),
    Instance("two", "Danke.", (), ("Thanks.",)),
    Instance("three", "Ja.", ("Yes.", "Yeah."), ()),
    Instance(4, "Nein.", ("",), ("No.",)),
]


def value(number: float | None, **fields: Any) -> dict[str, Any]:
    """A metric value as a worker stores it."""
    error = 0.05 if number is not None else None
    interval = [number - 0.1, number + 0.1] if number is not None else None
    return {
        "value": number,
        "defined": 3,
        "total": 4,
        "failed": 1,
        "standard_error": error,
        "interval": interval,
        "method": "t",
        "n": 3,
        "seed": None,
        "reason": None,
        "error": None,
        **fields,
    }


@pytest.fixture
def verses(make: Make) -> Challenge:
    return make("Verses", "metric", rank_by=[{"key": "F1"}], text_metrics=["F1"])


@pytest.fixture
def attempt(verses: Challenge, submit: Submit) -> Attempt:
    attempt = submit(verses, "atlas", scored=False)
    stored_evaluation(attempt, INSTANCES)
    return scored(attempt)


def scored(attempt: Attempt) -> Attempt:
    """As if a worker had done it: F1 and, beside the board, an edit distance."""
    results = [0.75, 0.0, None, 0.25]
    stored_run(attempt, "F1", results, value={"F1": value(0.3333)}, elapsed=1.25)
    distances = [{"edit_distance": 2.0, "similarity": 0.8}, None, None, {"edit_distance": 3.0}]
    numbers = {"EDIT_DISTANCE": value(2.5), "EDIT_DISTANCE:similarity": value(None)}
    given = {"id": "edit_distance", "parameters": {"ignore_case": True}}
    stored_run(attempt, given, distances, key="EDIT_DISTANCE", value=numbers)
    Score.objects.create(
        attempt=attempt, config=attempt.scoring_config, metric_values={"F1": value(0.3333)}
    )
    Attempt.objects.filter(pk=attempt.pk).update(status="scored")
    return attempt


def page(client: Client, attempt: Attempt, query: str = "", status: int = 200) -> str:
    return get(client, f"/attempts/{attempt.pk}/{query}", status)


def order(html: str) -> list[str]:
    """The ids of the instances on a page."""
    rows = html.split('<th role="rowheader" scope="row" class="id"><bdi>')[1:]
    return [row.split("</bdi>")[0] for row in rows]


def test_the_board_ranks_by_a_text_metric_and_says_what_it_is(
    client: Client, attempt: Attempt
) -> None:
    rebuild_standings(attempt.challenge)
    html = get(client, "/c/verses/")
    text = words(html)
    assert "Attempts are ranked by F1 (highest first)." in text
    assert "1 atlas 3/4 0.3333 ± 0.0500 1" in text
    assert "F1 of the words that output and reference share" in html
    assert "in any order, as in SQuAD; highest is best" in html
    hint = "95% interval 0.2333 to 0.4333, over 3 of 4 instances, 1 instance without output"
    assert f'title="{hint}"' in html


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
    said = [{"key": "F1:least", "label": "Least", "decimals": 3}]
    change_challenge(verses, user=None, fields={"columns": said})
    text = words(get(client, "/c/verses/"))
    assert "F1 Least Attempts" in text
    assert "0.125" in text
    assert "0.875" not in text


class TestRuns:
    def test_numbers_beside_the_board_are_written_as_the_metric_says(
        self, client: Client, verses: Challenge, submit: Submit, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The challenge knows what its metrics say, so that no plugin is asked for a page."""
        monkeypatch.setattr(run_columns, "find_text_metric", None)
        attempt = submit(verses, "atlas", scored=False)
        stored_evaluation(attempt, INSTANCES)
        numbers = {"F1": value(0.75), "F1:least": value(0.125)}
        results = [{"f1": 0.75, "least": 0.125}, None, None, None]
        stored_run(attempt, "F1", results, value=numbers)
        Score.objects.create(attempt=attempt, config=attempt.scoring_config)
        Attempt.objects.filter(pk=attempt.pk).update(status="scored")
        text = words(page(client, attempt))
        assert "F1:least 0.1250 ± 0.0500" in text
        assert "F1 0.7500 F1: least 0.1250" in text

    def test_each_metric_has_its_values_and_what_they_are_over(
        self, client: Client, attempt: Attempt
    ) -> None:
        text = words(page(client, attempt))
        assert "F1 default parameters 0.3333 ± 0.0500 0.2333 to 0.4333" in text
        assert "Student’s t over instances 3 of 4 1 1.2 s" in text
        assert "EDIT_DISTANCE ignore_case true 2.500" in text
        assert "EDIT_DISTANCE:similarity –" in text

    def test_they_do_not_stand_among_the_metrics_of_samples(
        self, client: Client, attempt: Attempt
    ) -> None:
        assert "What its samples are worth" not in page(client, attempt)

    def test_one_that_failed_says_why(self, client: Client, attempt: Attempt) -> None:
        said = "BERTSCORE is not installed here: pip install bert-score"
        given = {"id": "BERTSCORE", "parameters": {"model_path": "models/tiny"}}
        stored_run(attempt, given, [], error_code="not_installed", error_message=said)
        text = words(page(client, attempt))
        assert f"BERTSCORE model_path models/tiny – {said}" in text

    def test_texts_of_a_score_are_told(self, client: Client, attempt: Attempt) -> None:
        score = {"corpus_bleu": 40.0, "signature": "nrefs:2|tok:13a"}
        stored_run(attempt, "SACREBLEU", [], score=score, value={"SACREBLEU": value(40.0)})
        assert "SACREBLEU default parameters · signature nrefs:2|tok:13a" in words(
            page(client, attempt)
        )

    def test_output_document_and_log_are_linked(self, client: Client, attempt: Attempt) -> None:
        html = page(client, attempt)
        assert f'href="/api/v1/attempts/{attempt.pk}/output.json"' in html
        assert f'href="/api/v1/attempts/{attempt.pk}/log.jsonl"' in html

    def test_an_attempt_without_instances_says_nothing_of_them(
        self, client: Client, verses: Challenge, submit: Submit
    ) -> None:
        html = page(client, submit(verses, "other"))
        assert "What its outputs are worth" not in html
        assert "output.json" not in html

    def test_the_organiser_sees_the_traceback(
        self, client: Client, as_ann: Client, as_ben: Client, attempt: Attempt
    ) -> None:
        stored_run(attempt, "X", [], error_code="exception", error_detail="in secret_place.py")
        assert "Traceback of X in secret_place.py" in words(page(as_ann, attempt))
        for reader in (client, as_ben):
            assert "secret_place" not in page(reader, attempt)

    def test_one_that_was_never_finished_failed_as_its_attempt_did(
        self, client: Client, attempt: Attempt
    ) -> None:
        stored_run(attempt, "BLEU_NLTK", [], finished_at=None)
        Score.objects.update(error_code="worker_lost", error_message="The worker was lost.")
        assert "BLEU_NLTK default parameters – The worker was lost." in words(page(client, attempt))


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

    def test_before_a_worker_comes_the_metrics_are_told(
        self, client: Client, waiting: Attempt
    ) -> None:
        html = page(client, waiting)
        text = words(html)
        assert "A worker will evaluate it in a moment." in text
        assert '<progress max="1800" value="0"' in html
        assert "ROUGE default parameters – Not begun yet" in text
        assert "F1 default parameters – Not begun yet" in text

    def test_it_is_in_instances_times_metrics(self, client: Client, waiting: Attempt) -> None:
        stored_run(waiting, "ROUGE", [0.5] * 600, value={"ROUGE": value(0.5)})
        stored_run(waiting, "EDIT_DISTANCE", [1.0] * 250, finished_at=None)
        stored_run(waiting, "F1", [], finished_at=None)
        Attempt.objects.filter(pk=waiting.pk).update(status="scoring")
        html = page(client, waiting)
        text = words(html)
        assert "850 of 1,800 results of instances are computed." in text
        assert '<progress max="1800" value="850"' in html
        assert "ROUGE default parameters 0.5000" in text
        assert "EDIT_DISTANCE default parameters – 250 of 600 instances" in text

    def test_the_page_asks_for_itself_every_two_seconds(
        self, client: Client, waiting: Attempt
    ) -> None:
        html = page(client, waiting)
        assert f'hx-get="/attempts/{waiting.pk}/" hx-trigger="every 2s"' in html
        assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in html

    def test_when_all_is_done_it_asks_no_more(self, client: Client, attempt: Attempt) -> None:
        html = page(client, attempt)
        assert "hx-get" not in html
        assert "http-equiv" not in html
        assert "<progress" not in html


class TestInstances:
    def test_show_everything_beside_one_another(self, client: Client, attempt: Attempt) -> None:
        text = words(page(client, attempt))
        assert "Instances 4 instances" in text
        assert (
            "one Wie geht’s? How are you? How is it going? How are you? F1 0.7500 "
            "EDIT_DISTANCE 2.000 EDIT_DISTANCE: similarity 0.800 " in text
        )

    def test_tell_no_output_from_an_empty_one(self, client: Client, attempt: Attempt) -> None:
        text = words(page(client, attempt))
        assert "two Danke. no output Thanks. F1 0.0000 EDIT_DISTANCE –" in text
        assert "4 Nein. empty No." in text

    def test_without_references_there_is_nothing_to_compare_with(
        self, client: Client, attempt: Attempt
    ) -> None:
        assert "three Ja. Yes. Yeah. – F1 –" in words(page(client, attempt))

    @pytest.mark.parametrize(
        ("query", "ids"),
        [
            ("", ["one", "two", "three", "4"]),
            ("?sort=F1", ["two", "4", "one", "three"]),
            ("?sort=F1&order=best", ["one", "4", "two", "three"]),
            ("?sort=EDIT_DISTANCE&order=worst", ["4", "one", "two", "three"]),
            ("?sort=EDIT_DISTANCE:similarity", ["one", "two", "three", "4"]),
        ],
    )
    def test_the_order_is_in_the_url(
        self, client: Client, attempt: Attempt, query: str, ids: list[str]
    ) -> None:
        assert order(page(client, attempt, query)) == ids

    def test_worst_first_is_a_link(self, client: Client, attempt: Attempt) -> None:
        link = '<a href="?sort=F1&amp;order=worst#instances">Worst first</a>'
        assert link in page(client, attempt)
        html = page(client, attempt, "?sort=F1")
        assert 'href="?sort=F1&amp;order=best#instances"' in html
        assert "4 instances, F1 worst first" in words(html)

    @pytest.mark.parametrize("query", ["?sort=NOPE", "?sort=F1&order=up", "?page=2", "?page=x"])
    def test_what_there_is_not_is_not_found(
        self, client: Client, attempt: Attempt, query: str
    ) -> None:
        page(client, attempt, query, status=404)

    def test_long_lists_have_pages(self, client: Client, verses: Challenge, submit: Submit) -> None:
        attempt = submit(verses, "many", scored=False)
        stored_evaluation(attempt, [Instance(at, outputs=("x",)) for at in range(120)])
        stored_run(attempt, "F1", [at / 120 for at in range(120)], value={"F1": value(0.5)})
        Attempt.objects.filter(pk=attempt.pk).update(status="scored")
        html = page(client, attempt, "?sort=F1&page=3")
        assert order(html) == [str(at) for at in range(100, 120)]
        assert 'rel="prev" href="?sort=F1&amp;page=2#instances"' in html
        assert "Page 3 of 3" in html

    def test_only_some_of_many_results_are_shown(self, client: Client, attempt: Attempt) -> None:
        for at in range(7):
            stored_run(attempt, {"id": "F1"}, [at / 10] * 4, key=f"F1-{at}", value={})
        assert "6 of 10 results shown" in words(page(client, attempt))
        text = words(page(client, attempt, "?show=F1-6&show=F1-2"))
        assert "2 of 10 results shown" in text
        assert "How are you? F1-2 0.2000 F1-6 0.6000 two" in text

    def test_warnings_stand_beside_their_instance(self, client: Client, attempt: Attempt) -> None:
        run = stored_run(attempt, "BLEU_NLTK", [0.0] * 4, warnings={1: "is too short"})
        assert f"{run.key} : is too short" in words(page(client, attempt))

    def test_while_it_waits_there_are_none(self, client: Client, attempt: Attempt) -> None:
        Attempt.objects.filter(pk=attempt.pk).update(status="scoring")
        assert 'id="instances"' not in page(client, attempt)


class TestTexts:
    """What models write is text, whatever it looks like."""

    @pytest.fixture
    def show(self, client: Client, verses: Challenge, submit: Submit) -> Any:
        def shown(*instances: Instance) -> str:
            attempt = submit(verses, "texts", scored=False)
            stored_evaluation(attempt, instances)
            Attempt.objects.filter(pk=attempt.pk).update(status="scored")
            return page(client, attempt)

        return shown

    def test_markup_is_shown_and_not_obeyed(self, show: Any) -> None:
        trap = "<script>alert(1)</script> **bold** [a](javascript:b)"
        html = show(Instance(f"i{trap}", trap, (trap,), (trap,)))
        assert "<script>alert" not in html
        assert "<strong>bold" not in html
        assert 'href="javascript' not in html
        assert html.count("&lt;script&gt;alert(1)&lt;/script&gt; **bold** [a](javascript:b)") == 4

    def test_each_text_goes_its_own_way_in_no_language(self, show: Any) -> None:
        html = show(Instance(1, "كيف حالك؟", ("How are you?",), ()))
        assert '<div class="text" dir="auto" lang="">كيف حالك؟</div>' in html
        assert '<div class="text" dir="auto" lang="">How are you?</div>' in html

    def test_a_long_text_is_folded(self, show: Any) -> None:
        html = show(Instance(1, outputs=("word " * 100,)))
        assert f'<span class="start" dir="auto" lang="">{"word " * 40}…</span>' in html
        assert f'<div class="text" dir="auto" lang="">{"word " * 100}</div>' in html
        assert "500 characters" in html

    def test_of_very_many_texts_some_are_shown(self, show: Any) -> None:
        html = show(Instance(1, outputs=[f"say {at};" for at in range(1000)]))
        assert "say 9;" in html
        assert "say 10;" not in html
        assert "and 990 more" in html


SECRET = "the moon is a lantern"


class TestWithheld:
    """What a challenge expects and does not show is told to nobody but its organisers."""

    @pytest.fixture
    def attempt(self, verses: Challenge, submit: Submit) -> Attempt:
        expected = [each._replace(references=(SECRET,)) for each in INSTANCES]
        held_references(verses.newest, expected)
        attempt = submit(verses, "atlas", scored=False)
        outputs = [each._replace(input="", references=()) for each in INSTANCES]
        stored_evaluation(attempt, outputs, outputs_only=True)
        scored(attempt)
        said = f"is not {SECRET}"
        stored_run(attempt, "BLEU_NLTK", [0.123456] * 4, warnings={0: said}, value={})
        return attempt

    @pytest.mark.parametrize("query", ["", "?sort=F1", "?sort=BLEU_NLTK&order=best&page=1"])
    def test_is_not_shown_to_others(
        self, client: Client, as_ben: Client, as_zoe: Client, attempt: Attempt, query: str
    ) -> None:
        for reader in (client, as_ben, as_zoe):
            html = page(reader, attempt, query)
            assert SECRET not in html
            assert "How are you?" not in html
            assert "0.12346" not in html
            assert "log.jsonl" not in html
            assert 'id="instances"' not in html
            assert "What is expected of the instances is for the organiser" in html
            assert "0.3333" in html
            assert "output.json" in html

    def test_is_shown_to_organisers(self, as_ann: Client, attempt: Attempt) -> None:
        html = page(as_ann, attempt)
        assert SECRET in html
        assert f"is not {SECRET}" in html
        assert "log.jsonl" in html

    def test_is_shown_to_all_where_the_challenge_says_so(
        self, client: Client, attempt: Attempt
    ) -> None:
        Challenge.objects.update(references_visibility="public")
        assert SECRET in page(client, attempt)

    def test_no_order_gives_anything_away(
        self, client: Client, attempt: Attempt, as_ben: Client
    ) -> None:
        """Not even whether there is such a result."""
        for reader in (client, as_ben):
            for query in ("?sort=NOPE", "?page=9"):
                assert SECRET not in page(reader, attempt, query)
