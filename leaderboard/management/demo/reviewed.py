"""A benchmark of agents in the demo, with rules of admission and a review.

Of its attempts one is returned, one waits for a review, one has too few samples, one has
trajectories, and of one a sample failed by an error of the infrastructure.
"""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from datetime import datetime, timedelta
from io import BytesIO
from typing import Final

from django.db import transaction

from leaderboard.management.demo.participants import PARTICIPANTS, DemoParticipant
from leaderboard.models import Attempt, ChallengeRole, Evidence, Tenant, User
from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.rewards.runs import AttemptRun
from leaderboard.schemas.decisions import DecisionBody
from leaderboard.schemas.evidence import NewEvidence
from leaderboard.services.attempts.submit import NewAttempt, submit_many
from leaderboard.services.challenges.challenges import create_challenge
from leaderboard.services.competition.decisions import DecisionKind, decide
from leaderboard.services.standing.condition_sets import publish_rules
from leaderboard.services.standing.evidence import SentEvidence, add_evidence
from leaderboard.services.standing.review import review

SAMPLES: Final = 3
TASKS: Final = (
    *("mend-the-clock", "restore-a-backup", "rotate-the-logs", "find-the-leak", "sign-a-release"),
    *("move-a-mailbox", "untangle-cron", "read-a-core-dump", "renew-a-certificate"),
    *("split-a-volume", "trace-a-packet", "patch-a-kernel"),
)
RULES: Final[list[SentFields]] = [
    {"rule": "all_tasks"},
    {"rule": "samples_per_task", "least": SAMPLES},
    {
        "rule": "run_conditions",
        "allow": {"timeout_multiplier": [None, 1.0]},
        "then": "flagged",
        "unknown": "ok",
    },
]
FIELDS: Final[SentFields] = {
    "name": "Night watch, reviewed",
    "slug": "night-watch",
    "summary": "Twelve chores of a system administrator, with rules for what counts.",
    "description": "Each agent does every chore three times, under the time limits of the tasks. "
    "What a rule flags waits for a review, and every decision has a reason.",
    "goal": "The chore is done, and nothing else has changed.",
    "scoring_strategy": "metric",
    "metrics": ["mean", "pass@1"],
    "tasks": [{"name": name, "rewards": ["reward"]} for name in TASKS],
    "rewards": [{"name": "reward", "min": 0, "max": 1}],
    "num_samples": SAMPLES,
    "rank_by": [{"key": "pass@1", "direction": "desc"}],
    "columns": [
        {"key": "pass@1", "label": "Done", "unit": "%"},
        {"key": "mean", "label": "Mean reward", "decimals": 2},
    ],
    "review": "flagged",
    "reviewers_decide": True,
}
AGENTS: Final = (
    *("larch-3", "orrery", "basalt", "juniper", "palimpsest", "cairn", "kestrel-8b", "sundew"),
)
RAISED: Final[Mapping[str, float]] = {"orrery": 2.5, "juniper": 2.0}
"""Agents whose time limits were raised, so that a rule flags them."""
RETURNED: Final = "juniper"
TOO_FEW: Final = "cairn"
RULED: Final = "basalt"
SHOWN: Final = "larch-3"
"""The agent whose first samples come with what it did."""
STEPS: Final = (
    ("user", "The clock of the machine is an hour ahead. Mend it for good."),
    ("assistant", "I look at what keeps the time: `timedatectl show -p NTP -p Timezone`."),
    ("tool", "NTP=no\nTimezone=Etc/UTC"),
    ("assistant", "Nothing does. I turn it on, and check once more: `timedatectl set-ntp true`."),
    ("tool", ""),
    ("assistant", "The clock is right, and stays so after a restart."),
)


def load_reviewed(tenant: Tenant, user: User, dice: random.Random, now: datetime) -> int:
    """Create the benchmark and submit its attempts; returns their number."""
    challenge = create_challenge(tenant=tenant, user=user, fields=FIELDS)
    publish_rules(challenge, RULES, by=user)
    reviewer, is_new = User.objects.get_or_create(username="demo-reviewer")
    if is_new:
        reviewer.set_unusable_password()
        reviewer.save(update_fields=["password"])
    ChallengeRole.objects.create(challenge=challenge, user=reviewer, role="reviewer")
    agents = {
        participant.handle: participant
        for participant in PARTICIPANTS
        if participant.handle in AGENTS
    }
    news = [_attempt(agents[name], dice, now) for name in AGENTS]
    with transaction.atomic():  # no worker sees an attempt before its decisions
        result = submit_many(challenge=challenge, user=user, news=news, organiser=True)
        attempts = {
            attempt.participant.handle: attempt
            for attempt in Attempt.objects.filter(challenge=challenge).select_related(
                "participant", "challenge"
            )
        }
        _rule(attempts[RULED], reviewer)
        reason = "Run it again under the time limits of the tasks: these were doubled."
        _show(attempts[SHOWN], user)
        review(attempts[RETURNED], DecisionBody(kind="returned", reason=reason), by=reviewer)
    return len(result.accepted)


def _rule(attempt: Attempt, by: User) -> None:
    """Leave a sample out whose provider did not answer, before it is scored."""
    ruling = (TASKS[-1], 0, DecisionKind.INFRASTRUCTURE.value)
    Evidence.objects.filter(pk=attempt.pk).update(rulings=[list(ruling)])
    decide(
        DecisionKind.INFRASTRUCTURE,
        attempt=attempt,
        by=by,
        task=ruling[0],
        sample=ruling[1],
        reason="The provider of the model answered 503 for an hour.",
    )


def _show(attempt: Attempt, by: User) -> None:
    """Add a trajectory to each sample of the first task."""
    messages = [{"role": role, "content": text} for role, text in STEPS]
    content = json.dumps(messages).encode()
    for number in range(SAMPLES):
        new = NewEvidence(kind="trajectory", task=TASKS[0], sample=number)
        add_evidence(attempt, new, SentEvidence("messages.json", BytesIO(content)), by=by)


def _attempt(agent: DemoParticipant, dice: random.Random, now: datetime) -> NewAttempt:
    often = SAMPLES - (agent.handle == TOO_FEW)
    samples = [
        Sample(task, number, _reward(agent, dice, hardness))
        for hardness, task in enumerate(TASKS)
        for number in range(often)
    ]
    if agent.handle == RULED:
        samples = [
            Sample(sample.task, sample.sample, None, error="ProviderUnavailable")
            if (sample.task, sample.sample) == (TASKS[-1], 0)
            else sample
            for sample in samples
        ]
    run: AttemptRun = {"agent": "night-agent", "agent_version": "1.4", "model": agent.meta["model"]}
    if agent.handle in RAISED:
        run["conditions"] = {"timeout_multiplier": RAISED[agent.handle]}
    return NewAttempt(
        participant=agent.handle,
        name=agent.name,
        kind=agent.kind,
        samples=samples,
        meta=agent.meta,
        run=run,
        submitted_at=now - timedelta(days=dice.uniform(1, 20)),
    )


def _reward(agent: DemoParticipant, dice: random.Random, hardness: int) -> dict[str, float]:
    chance = agent.skill + 0.35 - 0.7 * hardness / (len(TASKS) - 1)
    return {"reward": float(dice.random() < chance)}
