"""The part of an attempt's page about its instances."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from leaderboard.columns import Column
from leaderboard.languages.translation import count_text
from leaderboard.models import Attempt, Evaluation, MetricRun, ScoringConfig
from leaderboard.pages.attempt.instances import instance_table
from leaderboard.pages.attempt.metric_runs import run_lines
from leaderboard.pages.plugins.text_rules import outputs_rule_of
from leaderboard.rules.json.untyped_dicts import PageContext
from leaderboard.services.attempts.read import Reading
from leaderboard.services.attempts.visibility import may_see_config
from leaderboard.services.evaluation.instances import may_see_references
from leaderboard.services.evaluation.plans import chosen_by_challenge, in_output_document
from leaderboard.services.evaluation.progress import EvaluationProgress
from leaderboard.services.evaluation.run_columns import shown_runs
from leaderboard.services.evaluation.tables import result_keys


def evaluation_of(request: HttpRequest, reading: Reading, columns: list[Column]) -> PageContext:
    """The text metrics of an attempt, and its instances for users who may see them.

    Empty for an attempt without instances. Instances are shown after it is scored.
    """
    attempt, config = reading.attempt, reading.config
    if attempt.instance_count is None or reading.score_hidden:
        return {}
    by_key = {column.key: column for column in columns}
    runs = shown_runs(attempt, config, reading.decimals)
    done = reading.progress.by_run if reading.progress else [0] * len(runs)
    waiting = [_how_far(progress, attempt.instance_count) for progress in done]
    is_open = reading.is_exact and may_see_references(attempt, organiser=reading.organiser)
    context: PageContext = {
        "runs": run_lines(runs, by_key, reading.score, waiting, _hidden(reading, runs)),
        "instances_open": is_open,
        "details": _details(runs) if reading.organiser else [],
        "outputs_rule": outputs_rule_of(config) if config.allows_guesses else "",
        "output_document": _output_document(attempt, config, runs),
    }
    if reading.progress:
        context["progress"] = _progress_texts(reading.progress)
    elif is_open:
        keys = result_keys(runs, by_key)
        context["instances"] = instance_table(request, attempt, config, keys)
    return context


def _output_document(attempt: Attempt, config: ScoringConfig, runs: Sequence[MetricRun]) -> str:
    """The runs in the output document, as a sentence; "" if it has all of them."""
    evaluation = Evaluation.objects.defer("extra").get(pk=attempt.pk)
    held = {named.run.position for named in in_output_document(evaluation, config, runs)}
    if len(held) == len(runs):
        return ""
    if not held:
        return _("It holds no text metric: what the attempt’s document enables.")
    return ngettext(
        "It holds {count} text metric: what the attempt’s document enables.",
        "It holds {count} text metrics: what the attempt’s document enables.",
        len(held),
    ).format(count=count_text(len(held)))


def _hidden(reading: Reading, runs: Sequence[MetricRun]) -> set[int]:
    """The positions of the runs whose parameters the reader may not see."""
    challenge = reading.attempt.challenge
    if may_see_config(challenge, organiser=reading.organiser):
        return set()
    evaluation = Evaluation.objects.defer("extra").get(pk=reading.attempt.pk)
    return chosen_by_challenge(evaluation, reading.config, runs)


class ProgressTexts(NamedTuple):
    """How far an evaluation is, in numbers and as the page writes them."""

    done: int
    total: int
    done_text: str
    total_text: str


def _progress_texts(progress: EvaluationProgress) -> ProgressTexts:
    done, total = progress.done, progress.total
    return ProgressTexts(done, total, count_text(done), count_text(total))


def _how_far(done: int, count: int) -> str:
    if not done:
        return _("Not begun yet")
    return ngettext("{done} of {count} instance", "{done} of {count} instances", count).format(
        done=count_text(done), count=count_text(count)
    )


def _details(runs: Sequence[MetricRun]) -> list[tuple[str, str]]:
    """The tracebacks of failed runs, for organisers."""
    return [(run.key, run.error_detail) for run in runs if run.error_code and run.error_detail]
