"""Final boards, compared with a plain reckoning from what was sent."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

import pytest

from leaderboard.models import Attempt, Challenge, Tenant
from leaderboard.services.board.boards import board_at
from leaderboard.services.board.reading.ranking import every_row
from leaderboard.services.board.standings.counting import verify_standings
from leaderboard.services.board.standings.public_ranks import PublicRanks
from tests.services.challenges.splitting import TASKS, close, compute_finals, split_challenge
from tests.services.conftest import Run

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize(
    ("counting", "part"),
    [
        *((counting, "private") for counting in ("best", "latest", "first", "chosen", "all")),
        ("best", "all"),
        ("chosen", "all"),
    ],
)
def test_final_boards_equal_a_simple_computation(
    tenant: Tenant, run: Run, counting: str, part: str
) -> None:
    dice = random.Random(f"{counting}{part}")
    phase = {"final_part": part, "counting": counting, "counted": 2}
    challenge = split_challenge(tenant, split={"share": 0.4, "seed": "s"}, phases=[phase])
    submissions: list[tuple[Attempt, Mapping[str, list[float | None]]]] = []
    for number in range(14):
        task_rewards = {
            name: [dice.choice([0.0, 0.25, 1.0, None])] for name in TASKS if dice.random() < 0.9
        }
        submissions.append(
            (run(challenge, f"p{number % 4}", task_rewards=task_rewards), task_rewards)
        )
    public = {name for name in TASKS if (split := challenge.newest.parts) and split.is_public(name)}
    assert len(public) == 3
    before = board_lines(submissions, public.__contains__, counting)
    assert board_rows(challenge) == before
    close(challenge)
    assert compute_finals(challenge) == 1
    after = board_lines(
        submissions, lambda name: part == "all" or name not in public, counting, chosen_by=public
    )
    assert board_rows(challenge) == after
    assert verify_standings(challenge) == []
    ranks = PublicRanks(board_at(challenge))
    kept = {
        (row.participant.handle, str(row.attempt_id) if counting == "all" else ""): place.rank
        for row in every_row(board_at(challenge))
        if (place := ranks.of(row))
    }
    assert kept == {
        (who, attempt if counting == "all" else ""): 1 + sum(other > value for *_, other in before)
        for who, attempt, value in before
    }


BoardLines = list[tuple[str, str, float]]


def board_lines(
    submissions: Sequence[tuple[Attempt, Mapping[str, list[float | None]]]],
    counts: Callable[[str], bool],
    counting: str,
    chosen_by: set[str] | None = None,
) -> BoardLines:
    """Participant, attempt and value of each row, worked out from what was sent.

    chosen_by: the tasks by which the best attempt of each participant was chosen.
    """
    by_participant: dict[str, BoardLines] = {}
    for attempt, task_rewards in submissions:
        who = attempt.participant.handle
        line = who, str(attempt.pk), mean(task_rewards, counts)
        by_participant.setdefault(who, []).append(line)
    rows: BoardLines = []
    for who, lines in by_participant.items():
        if counting == "all":
            rows += lines
        elif counting == "latest":
            rows.append(lines[-1])
        elif counting == "first":
            rows.append(lines[0])
        elif counting == "chosen" and chosen_by is not None:
            before = board_lines(
                [
                    (attempt, sent)
                    for attempt, sent in submissions
                    if attempt.participant.handle == who
                ],
                chosen_by.__contains__,
                "best",
            )
            rows += [line for line in lines if line[1] == before[0][1]]
        else:
            rows.append(max(lines, key=lambda line: line[2]))
    return sorted(rows, key=lambda line: (-line[2], line[0], line[1]))


def mean(task_rewards: Mapping[str, list[float | None]], counts: Callable[[str], bool]) -> float:
    """Of the tasks that were run: a failed sample counts 0."""
    rewards = [float(value or 0.0) for name, (value,) in task_rewards.items() if counts(name)]
    return round(sum(rewards) / len(rewards), 9)


def board_rows(challenge: Challenge) -> BoardLines:
    rows = [
        (row.participant.handle, str(row.attempt_id), round(row.values["mean"], 9))
        for row in every_row(board_at(challenge))
    ]
    assert [row[2] for row in rows] == sorted((row[2] for row in rows), reverse=True)
    return sorted(rows, key=lambda line: (-line[2], line[0], line[1]))
