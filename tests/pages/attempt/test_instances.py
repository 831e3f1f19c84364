"""The instances of an attempt, for users who may see them."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client

from leaderboard.models import Attempt, Challenge
from leaderboard.rules.rewards.instances import Instance
from tests.helpers.evaluations import held_references, stored_evaluation, stored_run
from tests.pages.conftest import Submit
from tests.pages.evaluated import INSTANCES, order, page, scored, value
from tests.pages.reading import words

pytestmark = pytest.mark.django_db


class TestInstances:
    def test_an_instance_shows_its_texts_and_results_side_by_side(
        self, client: Client, attempt: Attempt
    ) -> None:
        html = page(client, attempt)
        rows = [words(row) for row in html.split('<th scope="row" class="id">')[1:]]
        instance = INSTANCES[0]
        assert rows[0].startswith(f"one {instance.input} {instance.outputs[0]} How is it going?")
        assert "F1 0.7500 EDIT_DISTANCE 2.000" in rows[0]
        assert rows[1].startswith("two Danke. no output Thanks. F1 0.0000 EDIT_DISTANCE –")
        assert rows[2].startswith("three Ja. Yes. Yeah. – F1 –")
        assert rows[3].startswith("4 Nein. empty No.")

    def test_the_sort_order_is_in_the_url(self, client: Client, attempt: Attempt) -> None:
        for query, ids in (
            ("", ["one", "two", "three", "4"]),
            ("?sort=F1", ["two", "4", "one", "three"]),
            ("?sort=F1&order=best", ["one", "4", "two", "three"]),
            ("?sort=EDIT_DISTANCE&order=worst", ["4", "one", "two", "three"]),
            ("?sort=EDIT_DISTANCE:similarity", ["one", "two", "three", "4"]),
        ):
            assert order(page(client, attempt, query)) == ids, query
        assert 'href="?sort=F1&amp;order=worst#instances"' in page(client, attempt)
        assert 'href="?sort=F1&amp;order=best#instances"' in page(client, attempt, "?sort=F1")
        for query in ("?sort=NOPE", "?sort=F1&order=up", "?page=2", "?page=x"):
            page(client, attempt, query, status=404)

    def test_long_lists_have_pages(self, client: Client, verses: Challenge, submit: Submit) -> None:
        attempt = submit(verses, "many", scored=False)
        stored_evaluation(attempt, [Instance(at, outputs=("x",)) for at in range(120)])
        stored_run(attempt, "F1", [at / 120 for at in range(120)], value={"F1": value(0.5)})
        Attempt.objects.filter(pk=attempt.pk).update(status="scored")
        html = page(client, attempt, "?sort=F1&page=3")
        assert order(html) == [str(at) for at in range(100, 120)]
        assert 'rel="prev" href="?sort=F1&amp;page=2#instances"' in html

    def test_only_some_of_many_results_are_shown(self, client: Client, attempt: Attempt) -> None:
        for at in range(7):
            stored_run(attempt, {"id": "F1"}, [at / 10] * 4, key=f"F1-{at}", value={})
        assert "6 of 10 results shown" in words(page(client, attempt))
        text = words(page(client, attempt, "?show=F1-6&show=F1-2"))
        assert "2 of 10 results shown" in text
        assert "How are you? F1-2 0.2000 F1-6 0.6000 two" in text

    def test_warnings_are_shown_at_their_instance(self, client: Client, attempt: Attempt) -> None:
        run = stored_run(attempt, "BLEU_NLTK", [0.0] * 4, warnings={1: "is too short"})
        assert f"{run.key} : is too short" in words(page(client, attempt))

    def test_a_waiting_attempt_shows_no_instances(self, client: Client, attempt: Attempt) -> None:
        Attempt.objects.filter(pk=attempt.pk).update(status="scoring")
        assert 'id="instances"' not in page(client, attempt)


class TestTexts:
    """Outputs of models are shown as text, whatever they contain."""

    @pytest.fixture
    def show(self, client: Client, verses: Challenge, submit: Submit) -> Any:
        def page_of(*instances: Instance) -> str:
            attempt = submit(verses, "texts", scored=False)
            stored_evaluation(attempt, instances)
            Attempt.objects.filter(pk=attempt.pk).update(status="scored")
            return page(client, attempt)

        return page_of

    def test_markup_is_escaped(self, show: Any) -> None:
        trap = "<script>alert(1)</script> **bold** [a](javascript:b)"
        html = show(Instance(f"i{trap}", trap, (trap,), (trap,)))
        assert "<script>alert" not in html
        assert "<strong>bold" not in html
        assert 'href="javascript' not in html
        assert html.count("&lt;script&gt;alert(1)&lt;/script&gt; **bold** [a](javascript:b)") == 4

    def test_each_text_has_its_own_direction_and_no_language(self, show: Any) -> None:
        html = show(Instance(1, "كيف حالك؟", ("How are you?",), ()))
        assert '<div class="text" dir="auto" lang="">كيف حالك؟</div>' in html
        assert '<div class="text" dir="auto" lang="">How are you?</div>' in html

    def test_a_long_text_is_folded(self, show: Any) -> None:
        html = show(Instance(1, outputs=("word " * 100,)))
        assert f'<span class="start" dir="auto" lang="">{"word " * 40}…</span>' in html
        assert f'<div class="text" dir="auto" lang="">{"word " * 100}</div>' in html
        assert "500 characters" in html

    def test_only_some_of_very_many_texts_are_shown(self, show: Any) -> None:
        html = show(Instance(1, outputs=[f"say {at};" for at in range(1000)]))
        assert "say 9;" in html
        assert "say 10;" not in html
        assert "and 990 more" in html


SECRET = "the moon is a lantern"


class TestWithheld:
    """Hidden references are shown to organisers only."""

    @pytest.fixture
    def attempt(self, verses: Challenge, submit: Submit) -> Attempt:
        expected = [instance._replace(references=(SECRET,)) for instance in INSTANCES]
        held_references(verses.newest, expected)
        attempt = submit(verses, "atlas", scored=False)
        outputs = [instance._replace(input="", references=()) for instance in INSTANCES]
        stored_evaluation(attempt, outputs, outputs_only=True)
        scored(attempt)
        warning = f"is not {SECRET}"
        stored_run(attempt, "BLEU_NLTK", [0.123456] * 4, warnings={0: warning}, value={})
        return attempt

    def test_references_are_not_shown_to_others(
        self, client: Client, as_ben: Client, as_zoe: Client, attempt: Attempt
    ) -> None:
        """Nor whether a result exists by which to sort."""
        for reader in (client, as_ben, as_zoe):
            for query in (
                "",
                "?sort=F1",
                "?sort=BLEU_NLTK&order=best&page=1",
                "?sort=NOPE",
                "?page=9",
            ):
                html = page(reader, attempt, query)
                for part in (SECRET, "How are you?", "0.12346", "log.jsonl", 'id="instances"'):
                    assert part not in html, query
                assert "0.3333" in html
                assert "output.json" in html

    def test_references_are_shown_to_organisers_and_where_they_are_public(
        self, client: Client, as_ann: Client, attempt: Attempt
    ) -> None:
        html = page(as_ann, attempt)
        assert f"is not {SECRET}" in html
        assert "log.jsonl" in html
        Challenge.objects.update(references_visibility="public")
        assert SECRET in page(client, attempt)
