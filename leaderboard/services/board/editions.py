"""Editions: which code of its plugins made each score, and how many scores of a board it made.

The code of a config is that of its scorer, if the scorer is a plugin, of its metrics that are
plugins, and of its program. Our own metrics, metric scripts (their text is in the config) and text
metrics do not count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import partial

from django.db import transaction
from django.db.models import Count, F

from leaderboard.models import Edition, Score, ScoringConfig
from leaderboard.models.built_once import Lookup
from leaderboard.models.prepared import changed
from leaderboard.rules.plugins.own import is_own, placed
from leaderboard.sandbox import Outcome
from leaderboard.services.challenge_code.packages import readable_package
from leaderboard.services.evaluation.attempts_to_score import AttemptToScore
from leaderboard.services.evaluation.metrics import plugin_specs
from leaderboard.services.plugins import metric_registry
from leaderboard.services.plugins.sources import code_now_of, combined
from leaderboard.services.programs.identity import program_code

_EDITIONS = Lookup(
    lambda config: Edition.objects.filter(config=config, scores__gt=0).order_by("first_at", "pk"),
    config=int,
)


def code_now(config: ScoringConfig) -> str:
    """The code of a config's plugins in their files now.

    "" if the config has none, or one of them cannot be read.
    """
    codes = [_code_of_scorer(config)] if config.runs_scorer else []
    if plugin_specs(config):
        codes.append(metrics_code_now(config))
    if config.program is not None:
        codes.append(program_code(config))
    return combined(codes)


def metrics_code_now(config: ScoringConfig) -> str:
    """The code of those metrics of a config that are plugins; "" if there are none."""
    names = sorted({spec.type for spec in plugin_specs(config)})
    if not names:
        return ""
    package = readable_package(config.challenge_id)
    return combined([code_now_of(metric_registry.entrypoint_of(name, package)) for name in names])


def _code_of_scorer(config: ScoringConfig) -> str:
    own = readable_package(config.challenge_id) if is_own(config.entrypoint) else ""
    return code_now_of(placed(config.entrypoint, own))


def codes_of(config: ScoringConfig, results: Sequence[tuple[AttemptToScore, Outcome]]) -> list[str]:
    """The code that made each outcome of a measured attempt; "" if it is not known."""
    if plugin_specs(config) or config.program is not None:
        if config.runs_scorer:
            return [combined([outcome.code, attempt.metrics_code]) for attempt, outcome in results]
        return [attempt.metrics_code for attempt, _ in results]
    return [outcome.code if config.runs_scorer else "" for _, outcome in results]


def accepts_now(config: ScoringConfig) -> bool:
    """Whether the board accepts results of the current plugins without an organiser's decision."""
    return config.accepts(code_now(config))


def has_other_code(config: ScoringConfig) -> bool:
    """Whether a config, or a score under it, has another code than the current one."""
    now = code_now(config)
    if not now:
        return False
    codes = {edition.code for edition in editions_of(config)} | {config.code}
    return not codes <= {"", now}


def editions_of(config: ScoringConfig) -> list[Edition]:
    """The editions of a board's scores, the oldest first."""
    return list(_EDITIONS.instances(config=config.pk))


# Counting.


def count_editions(config: ScoringConfig, codes: Iterable[str]) -> None:
    """Count the codes of newly stored scores without an error; "" means none.

    A config from before codes were stored has no code, and gets the first one. Call it in the
    transaction that stores the scores.
    """
    counts = Counter(filter(None, codes))
    for code, number in sorted(counts.items()):
        _add(config.pk, code, number)
    if counts and not config.code:
        first = min(counts)
        ScoringConfig.objects.filter(pk=config.pk, code="").update(code=first)
        transaction.on_commit(partial(_know_code, config))


def forget_editions(scores: Sequence[Score]) -> None:
    """Subtract scores that are about to be deleted from the counts."""
    gone = Counter((score.config_id, score.code) for score in scores if _counts(score))
    for (config_id, code), number in sorted(gone.items()):
        edition = Edition.objects.filter(config=config_id, code=code, scores__gte=number)
        edition.update(scores=F("scores") - number)


def recount_editions(config: ScoringConfig) -> None:
    """Derive the counts again from the scores."""
    counting = Score.objects.filter(config=config, error_code="").exclude(code="")
    rows = counting.values("code").annotate(number=Count("pk")).values_list("code", "number")
    counts = dict(rows.order_by())
    Edition.objects.filter(config=config).exclude(code__in=counts).delete()
    for code, number in sorted(counts.items()):
        Edition.objects.update_or_create(config=config, code=code, defaults={"scores": number})


def _counts(score: Score) -> bool:
    return score.code != "" and not score.error_code


def _know_code(config: ScoringConfig) -> None:
    config.code = ScoringConfig.objects.values_list("code", flat=True).get(pk=config.pk)


def _add(config_id: int, code: str, number: int) -> None:
    """Add to the count of a code, in one statement, so that concurrent workers all count."""
    table = f'"{Edition._meta.db_table}"'
    changed(
        f"INSERT INTO {table} (config_id, code, scores) VALUES (%s, %s, %s)"  # noqa: S608 - name of the model
        f" ON CONFLICT (config_id, code) DO UPDATE SET scores = {table}.scores + excluded.scores",
        [config_id, code, number],
    )
