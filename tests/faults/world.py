"""A whole installation under load, and what must be true of it after any fault.

Clients send attempts with known scores, each with its own idempotency key, and repeat a request
until it is acknowledged. After the fault no attempt may be lost, duplicated or wrong.
"""

import json
import os
import random
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any
from uuid import UUID, uuid4

from tests.faults.page import PAGE, faults_of
from tests.full.stack import Stack
from tests.processes import Site

PROMISED_SECONDS = 40.0
"""Time in which every attempt must end once a fault is over and workers are free."""
PARTICIPANTS = 12
FIGURES = os.environ.get("FAULT_FIGURES", "")
"""A file to which each fault adds a line of JSON with its name and its figures."""

SCORERS = """
import time


class Worth:
    def score(self, metrics, config, ctx):
        time.sleep(config.get("seconds", 0.0))
        score = config.get("bonus", 0.0) + metrics["elapsed_ms"] / 1000
        return {"score": score, "details": {}}


class Poison:
    def score(self, metrics, config, ctx):
        import os
        if metrics["elapsed_ms"] % 7 == 0:
            os.kill(os.getpid(), 9)
        if metrics["elapsed_ms"] % 5 == 0:
            while True:
                pass
        return {"score": metrics["elapsed_ms"] / 1000, "details": {}}
"""


def seed() -> int:
    """Return the seed of the random choices; FAULT_SEED repeats an earlier run."""
    return int(os.environ.get("FAULT_SEED") or random.SystemRandom().randrange(1 << 32))


@dataclass
class Sent:
    """An acknowledged attempt: its participant, and the value that determines its score."""

    challenge: str
    participant: str
    elapsed_ms: int

    @property
    def body(self) -> dict[str, Any]:
        return {"participant": self.participant, "metrics": {"elapsed_ms": self.elapsed_ms}}


@dataclass
class World:
    """A stack with challenges whose scores are known beforehand."""

    stack: Stack
    token: str
    sent: dict[UUID, Sent] = field(default_factory=dict)
    seed: int = field(default_factory=seed)
    crashes: int = 0
    """How many scorers were killed while they scored, which correctly fails their attempts."""

    def __post_init__(self) -> None:
        self.dice = random.Random(self.seed)
        self.challenges: dict[str, dict[str, Any]] = {}
        self._lock = Lock()

    @property
    def site(self) -> Site:
        return Site(self.stack.site.port, self.token)

    def challenge(
        self, name: str, scorer: str = "Worth", *, timeout_ms: int = 4000, **config: Any
    ) -> str:
        """Create a challenge with one of `SCORERS`.

        The time limit is short, so that lost leases end soon; a busy machine still scores in it.
        """
        slug = self.site.create_challenge(
            name=name,
            scoring_strategy="custom",
            scoring_entrypoint=f"ours.faulty:{scorer}",
            scoring_config=config,
            timeout_ms=timeout_ms,
        )
        self.challenges[slug] = config
        return slug

    def submit(self, challenge: str, dice: random.Random | None = None) -> UUID:
        """Send one attempt again and again until it is acknowledged."""
        sent_attempt = self._attempt(challenge, dice or self.dice)
        body = sent_attempt.body
        key = {"Idempotency-Key": str(uuid4())}
        while True:
            site = self.site
            site.headers |= key
            try:
                answer = site.ask("POST", f"/api/v1/challenges/{challenge}/attempts/", body)
            except OSError:
                time.sleep(0.1)
                continue
            if answer.status in (200, 202):
                attempt = UUID(answer.json["id"])
                with self._lock:
                    self.sent[attempt] = sent_attempt
                return attempt
            assert answer.status in (429, 500, 502, 503, 507), answer
            time.sleep(0.2)

    def submit_history(self, challenge: str, count: int) -> list[UUID]:
        """Send many attempts as history, in one request. Call it while there is no fault."""
        some = [self._attempt(challenge, self.dice) for _ in range(count)]
        path = f"/api/v1/challenges/{challenge}/attempts/bulk/"
        answer = self.site.ask(
            "POST", path, {"attempts": [sent_attempt.body for sent_attempt in some]}
        )
        assert answer.status == 200, answer
        ids = list(map(UUID, answer.json["attempts"]))
        self.sent |= dict(zip(ids, some, strict=True))
        return ids

    def _attempt(self, challenge: str, chance: random.Random) -> Sent:
        who = f"p{chance.randrange(PARTICIPANTS)}"
        return Sent(challenge, who, chance.randrange(1, 100_000))

    @contextmanager
    def clients(self, challenge: str, count: int = 3) -> Iterator[Mapping[UUID, Sent]]:
        """Run clients that submit one attempt after the other; yield the acknowledged attempts."""
        done = Event()

        def go_on(number: int) -> None:
            dice = random.Random(self.seed + number)
            while not done.is_set():
                self.submit(challenge, dice)
                time.sleep(0.01)

        threads = [Thread(target=go_on, args=(number,)) for number in range(count)]
        for thread in threads:
            thread.start()
        try:
            yield self.sent
        finally:
            done.set()
            for thread in threads:
                thread.join()

    # Checks after a fault.

    def check_everything_ended(self, fault: str) -> None:
        """Check that every attempt ends within the promised time, and that all results are right.

        The time starts again whenever an attempt ends, because workers were busy until then.
        """
        began = ended = time.monotonic()
        before = self.waiting()
        while waiting := self.waiting():
            ended, before = (time.monotonic() if waiting < before else ended), waiting
            idle = time.monotonic() - ended
            assert idle < PROMISED_SECONDS, f"{waiting} attempts wait (seed {self.seed})"
            time.sleep(0.1)
        took = time.monotonic() - began
        self._check()
        note(fault, attempts=len(self.sent), seconds=round(took, 1), seed=self.seed)

    def waiting(self) -> int:
        """Return how many attempts have not ended."""
        [(count,)] = self.stack.rows(
            "SELECT count(*) FROM leaderboard_attempt a"
            " JOIN leaderboard_challenge c ON c.id = a.challenge_id"
            " WHERE a.status NOT IN ('scored', 'failed') AND c.slug = ANY(%s)",
            list(self.challenges),
        )
        return int(count)

    def _check(self) -> None:
        label = f"seed {self.seed}"
        attempts = {
            attempt: (challenge, status, count, value)
            for attempt, challenge, status, count, value in self.stack.rows(
                "SELECT a.id, c.slug, a.status, count(s.id), min(s.value)"
                " FROM leaderboard_attempt a"
                " JOIN leaderboard_challenge c ON c.id = a.challenge_id"
                " LEFT JOIN leaderboard_score s"
                " ON s.attempt_id = a.id AND s.config_id = c.shown_config_id"
                " WHERE c.slug = ANY(%s) GROUP BY a.id, c.slug, a.status",
                list(self.challenges),
            )
        }
        assert attempts.keys() == self.sent.keys(), f"lost or doubled ({label})"
        crashed = [
            attempt
            for attempt, (_, status, *_) in attempts.items()
            if status == "failed" and self._expected(self.sent[attempt]) is not None
        ]
        assert len(crashed) <= self.crashes, label
        for attempt in crashed:
            del attempts[attempt], self.sent[attempt]
        for attempt, (slug, status, count, value) in attempts.items():
            expected = self._expected(self.sent[attempt])
            assert count == 1, f"{attempt} has {count} scores ({label})"
            ended = "failed" if expected is None else "scored"
            assert (status, value) == (ended, expected), label
            assert slug == self.sent[attempt].challenge
        self.stack.check_standings()
        for slug in self.challenges:
            scores = [row["score"] for row in self.site.board(slug) if row["rank"] is not None]
            assert scores == self._best(slug), label

    def _expected(self, sent_attempt: Sent) -> float | None:
        config = self.challenges[sent_attempt.challenge]
        if config.get("poison") and (
            sent_attempt.elapsed_ms % 7 == 0 or sent_attempt.elapsed_ms % 5 == 0
        ):
            return None
        return float(config.get("bonus", 0.0)) + sent_attempt.elapsed_ms / 1000

    def _best(self, challenge: str) -> list[float]:
        """Return the scores of a board, computed in plain Python."""
        best: dict[str, float] = {}
        for sent_attempt in self.sent.values():
            score = self._expected(sent_attempt)
            if sent_attempt.challenge == challenge and score is not None:
                best[sent_attempt.participant] = max(
                    best.get(sent_attempt.participant, -1.0), score
                )
        return sorted(best.values(), reverse=True)


def token_of(stack: Stack, tenant: str) -> str:
    """Return a token that may do everything in a tenant."""
    scopes = ["--scope", "submit", "--scope", "organise", "--tenant", tenant]
    return stack.manage("create_token", f"{tenant}-organiser", "--create", *scopes).strip()


def note(fault: str, **figures: Any) -> None:
    """Print the figures of a fault, and store them if FAULT_FIGURES is set."""
    assert fault in faults_of(PAGE.read_text()), "docs/reliability.md has a row for each fault"
    line = json.dumps({"fault": fault, **figures})
    print(line)
    if FIGURES:
        with Path(FIGURES).open("a") as file:
            file.write(line + "\n")
