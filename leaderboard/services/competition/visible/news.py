"""What has happened on a board, as far as a reader may know, from what is stored."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple
from uuid import UUID, uuid5

from django.db.models import OuterRef, Subquery

from leaderboard.models import (
    Announcement,
    Attempt,
    Board,
    Challenge,
    Event,
    Score,
    ScoringConfig,
    Standing,
)
from leaderboard.models.challenge import ChallengeQuerySet
from leaderboard.rules.ranking.places import RankKey
from leaderboard.rules.ranking.records import records
from leaderboard.rules.rewards.reductions import MetricValue
from leaderboard.services.board.boards import current_boards
from leaderboard.services.board.reading.rows import BoardRow, RowParticipant
from leaderboard.services.competition.visible.attempts import VisibleAttempt, attempts_over_time
from leaderboard.services.competition.visible.board import VisibleBoard
from leaderboard.services.competition.visible.certainty import (
    VisibleCertainty,
    certain_records,
    certainty_of,
)

MOST: Final = 40
"""How many pieces of news there are of each kind."""
MOST_ATTEMPTS: Final = 5000
MOST_ROWS: Final = 500
RECENT: Final = 1000
"""How many finished attempts are searched for those of open challenges."""
TIME: Final = "submitted_at"


class AttemptNews(NamedTuple):
    """A scored attempt. value: in the column that the board ranks by first; None if unknown.

    is_best: whether its value was better than all before it. is_record: whether it certainly was.
    attempt_id: None if it is hidden.
    """

    key: UUID
    at: datetime
    challenge: Challenge
    participant: RowParticipant
    value: float | None
    is_best: bool
    is_record: bool
    attempt_id: UUID | None


class RankNews(NamedTuple):
    """The rows whose ranks have changed within a week, and by how much. certain: how certain their
    ranks are."""

    key: UUID
    at: datetime
    challenge: Challenge
    moves: Sequence[tuple[BoardRow, int]]
    certain: VisibleCertainty


class RescoreNews(NamedTuple):
    """A version of the rules that the board began to show, with all attempts scored under it."""

    key: UUID
    at: datetime
    challenge: Challenge
    number: int


class AnnouncementNews(NamedTuple):
    """An announcement. at: when it was made; changed_at: its last change, if there is one."""

    key: UUID
    at: datetime
    challenge: Challenge
    announcement: Announcement


News = AttemptNews | RankNews | RescoreNews | AnnouncementNews


def news_of(board: VisibleBoard) -> list[News]:
    """The news of a board of which the reader sees all rows, the newest first."""
    challenge = board.challenge
    news: list[News] = [*_attempts(board), *_ranks(board)]
    news += _announcements([challenge])
    switched = challenge.configs.filter(switched_at__isnull=False).order_by("-number")
    news += _rescores(list(switched[:MOST]), {challenge.pk: challenge})
    newest_first = sorted(news, key=lambda item: item.at, reverse=True)
    return [*_with_event_ids(challenge, newest_first)]


def _with_event_ids(challenge: Challenge, news: Sequence[News]) -> Iterator[News]:
    """The news; attempts with ids from the links of the events that say that they are scored.

    Such an id never changes, and tells nobody how many events came before. Attempts from before the
    log keep the ids of former releases.
    """
    links: dict[str, UUID] = {}
    if any(isinstance(item, AttemptNews) and item.attempt_id for item in news):
        events = Event.objects.filter(challenge=challenge, kind=Event.Kind.SCORED)
        for body, link in events.order_by("-seq").values_list("body", "link")[:RECENT]:
            links[json.loads(body)["attempt"]] = UUID(bytes=bytes(link)[:16])
    for item in news:
        if isinstance(item, AttemptNews) and str(item.attempt_id) in links:
            yield item._replace(key=links[str(item.attempt_id)])
        else:
            yield item


def news_of_all(challenges: ChallengeQuerySet) -> list[News]:
    """The news of challenges, the newest first, in a few statements for any number of them.

    Restricted challenges have only announcements here. challenges: those that the reader sees.
    """
    newest = Announcement.objects.filter(challenge__in=challenges).select_related(
        "challenge__shown_config"
    )
    news: list[News] = [
        _announced(announcement.challenge, announcement) for announcement in newest[:MOST]
    ]
    open_ones = challenges.filter(is_restricted=False, is_draft=False)
    news += _scored(open_ones)
    switched = ScoringConfig.objects.filter(challenge__in=open_ones, switched_at__isnull=False)
    newest_first = switched.select_related("challenge__shown_config").order_by("-switched_at")
    latest = list(newest_first[:MOST])
    news += _rescores(latest, {config.challenge_id: config.challenge for config in latest})
    return sorted(news, key=lambda item: item.at, reverse=True)


def _key(challenge: Challenge, kind: str, name: object) -> UUID:
    """A stable id that does not reveal the id of a database row."""
    return uuid5(challenge.pk, f"{kind}:{name}")


def _attempts(board: VisibleBoard) -> Iterator[AttemptNews]:
    challenge, config = board.challenge, board.board.config
    key = config.ranking.keys[0]
    if _compares(config):
        return
    attempts = attempts_over_time(board, most=MOST_ATTEMPTS, most_rows=MOST_ROWS).attempts
    best = {*records([attempt.value for attempt in attempts], key)}
    certain = certain_records(board)
    for at in range(len(attempts) - 1, max(-1, len(attempts) - 1 - MOST), -1):
        attempt = attempts[at]
        is_certain = attempt.attempt_id is not None and attempt.attempt_id.hex in certain
        yield _attempt(challenge, attempt, is_best=at in best, is_record=is_certain and at in best)


def _attempt(
    challenge: Challenge, attempt: VisibleAttempt, *, is_best: bool, is_record: bool
) -> AttemptNews:
    name = attempt.attempt_id or f"{attempt.participant.slug} {attempt.at.isoformat()}"
    return AttemptNews(
        _key(challenge, "attempt", name),
        attempt.at,
        challenge,
        attempt.participant,
        attempt.value,
        is_best,
        is_record,
        attempt.attempt_id,
    )


def _ranks(board: VisibleBoard) -> Iterator[RankNews]:
    """The movement within a week: one entry per week, which each later version replaces."""
    rows = board.page_from(0).rows
    certain = certainty_of(board, rows)
    if certain is None or not certain.moves:
        return
    moves = [(row, moved) for row in rows if (moved := certain.moved(row))]
    if moves:
        week = certain.computed_at.isocalendar()
        key = _key(board.challenge, "ranks", f"{week.year} {week.week}")
        yield RankNews(key, certain.computed_at, board.challenge, moves, certain)


def _announcements(challenges: Sequence[Challenge]) -> Iterator[AnnouncementNews]:
    by_id = {challenge.pk: challenge for challenge in challenges}
    for announcement in Announcement.objects.filter(challenge__in=by_id)[:MOST]:
        yield _announced(by_id[announcement.challenge_id], announcement)


def _announced(challenge: Challenge, announcement: Announcement) -> AnnouncementNews:
    return AnnouncementNews(
        _key(challenge, "announcement", announcement.pk),
        announcement.changed_at or announcement.at,
        challenge,
        announcement,
    )


def _rescores(
    configs: Sequence[ScoringConfig], challenges: Mapping[UUID, Challenge]
) -> Iterator[RescoreNews]:
    for config in configs:
        challenge = challenges[config.challenge_id]
        at = config.switched_at or config.created_at
        yield RescoreNews(_key(challenge, "rules", config.number), at, challenge, config.number)


def _scored(challenges: ChallengeQuerySet) -> Iterator[AttemptNews]:
    """The newest scored attempts of open challenges; those that lead their boards are records."""
    newest = Attempt.objects.filter(finished_at__isnull=False).order_by("-finished_at")
    among = Attempt.objects.filter(
        pk__in=list(newest.values_list("pk", flat=True)[:RECENT]),
        challenge__in=challenges,
        status=Attempt.Status.SCORED,
        withdrawn_at=None,
        standing=0,
    )
    related = ("challenge__shown_config", "participant")
    attempts = list(among.select_related(*related).order_by("-submitted_at", "-id")[:MOST])
    shown_configs = {attempt.challenge.shown_config_id for attempt in attempts}
    scores = Score.objects.filter(attempt__in=attempts, config__in=shown_configs)
    scores_by_attempt = {score.attempt_id: score for score in scores}
    leading = set(_leading([attempt.challenge for attempt in attempts]))
    for attempt in attempts:
        who = attempt.participant
        yield AttemptNews(
            _key(attempt.challenge, "attempt", attempt.pk),
            attempt.submitted_at,
            attempt.challenge,
            RowParticipant(who.pk, who.handle, who.slug, who.name, who.kind),
            ranked_value(attempt, scores_by_attempt.get(attempt.pk)),
            attempt.pk in leading,
            is_record=False,
            attempt_id=attempt.pk,
        )


def _leading(challenges: Iterable[Challenge]) -> Iterator[UUID]:
    """The attempts that lead the boards of challenges with a better value than every other row.

    They are the best so far, whatever came before. Former ones are not known here, nor which of
    them are records: that would take the attempts of all challenges.
    """
    by_id = {challenge.pk: challenge for challenge in challenges}
    boards = []
    for pk, board in current_boards(
        list(by_id.values()), Board.objects.under_shown_config().complete()
    ).items():
        board.config = by_id[pk].shown
        if board.counting == "best" and not _compares(board.config):
            boards.append(board)
    lines = Standing.objects.filter(board=OuterRef("pk"), unranked="").order_by("sort_key")
    first_rows: Any = Board.objects.filter(pk__in=[board.pk for board in boards]).annotate(
        first=Subquery(lines.values("pk")[:1]), second=Subquery(lines.values("pk")[1:2])
    )
    ids = {board.pk: (board.first, board.second) for board in first_rows}
    rows = Standing.objects.in_bulk([pk for pair in ids.values() for pk in pair if pk])
    for board in boards:
        first, second = (rows.get(pk) for pk in ids.get(board.pk, (None, None)))
        if first is not None and _is_better(first, second, board.config.ranking.keys[0]):
            yield first.attempt_id


def _compares(config: ScoringConfig) -> bool:
    """Whether the ranked value has no history: a time, or one that compares entries."""
    key = config.ranking.keys[0].key
    return key == TIME or any(spec.name == key for spec in config.comparing_specs)


def _is_better(first: Standing, second: Standing | None, key: RankKey) -> bool:
    if second is None:
        return True
    values = [
        standing.values[key.key] for standing in (second, first) if key.key in standing.values
    ]
    return len(values) == 2 and 1 in records(values, key)


def ranked_value(attempt: Attempt, score: Score | None) -> float | None:
    """The value of an attempt that its board ranks by first."""
    key = attempt.challenge.shown.ranking.keys[0].key
    if score is not None and key == "score":
        return score.value
    state: MetricValue | None = score.metric_values.get(key) if score is not None else None
    if state:
        return state["value"]
    value = attempt.values.get(key, attempt.metrics().get(key))
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
