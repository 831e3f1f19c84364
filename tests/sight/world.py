"""Two participants of a challenge with unmistakable numbers and texts, and everyone who reads."""

from __future__ import annotations

import copy
import re
from collections.abc import Iterator, Sequence
from datetime import timedelta
from typing import Any, Final, NamedTuple, Self

import pytest
from _pytest.mark import ParameterSet
from django.test import Client
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Score, Tenant, User
from leaderboard.rules.rewards.evidence import Sample
from leaderboard.rules.rewards.instances import Instance
from leaderboard.rules.visibility.view import ViewSettings
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.arena.computing import look_after_arenas
from leaderboard.services.competition.arena.voting import store_votes
from leaderboard.services.competition.organisers.appointing import give_role
from leaderboard.services.tokens import create_token
from tests.helpers.attempts import attempt_of, score_all
from tests.helpers.evaluations import held_references, stored_evaluation, stored_run
from tests.helpers.phases import set_phase
from tests.pages.evaluated import value
from tests.people import organiser_of, signed_in

STATES: Final = ("before", "open", "closed")
READERS: Final = ("anyone", "stranger", "participant", "submits", "reads", "organiser")
"""Anyone; a user who does not take part; bob; tokens of bob to submit and to read; an organiser."""
NOT_STRANGERS: Final = ("anyone", "participant", "submits", "reads", "organiser")
"""Who is asked where a stranger sees what anyone sees."""
WITH_ROLES: Final = ("co-organiser", "reviewer", "reviewer's token")
"""Users with a role in both challenges; a reviewer's token that is bound to the first one."""


def readers(names: Sequence[str], *first: str) -> list[ParameterSet]:
    """The readers of a test that walks all addresses; all but the first ones are slow."""
    return [pytest.param(name, marks=() if name in first else pytest.mark.slow) for name in names]


class Marks(NamedTuple):
    """What stands for a participant's name, score, and so on, in any answer.

    Each is long enough that no random token, such as a form's, contains it by chance: five letters
    were found in one of some hundred thousand tokens.
    """

    user: str
    slug: str
    name: str
    score: str
    evidence: str
    note: str
    text: str


MARKS: Final = {
    "bob": Marks("bob", "quixote", "Quixote", "53175317", "56345634", "windmill", "0.6173"),
    "eve": Marks("eve", "zanzibar", "Zanzibar", "86428642", "92849284", "peppercorns", "0.7391"),
}


class World:
    """A challenge with samples and one with texts; bob and eve take part in both."""

    def __init__(self) -> None:
        self.tenant = Tenant.objects.create(slug="default", name="Default")
        self.ann = organiser_of(self.tenant, "ann")
        self.users = {name: User.objects.create_user(name) for name in ("bob", "eve", "zoe")}
        self.cup = self._challenge(
            "Cup",
            rewards=[{"name": "reward", "min": 0, "max": 100_000_000}],
            metrics=["mean_reward"],
            rank_by=[{"key": "mean_reward"}],
        )
        self.verses = self._challenge(
            "Verses",
            text_metrics=["F1"],
            rank_by=[{"key": "F1"}],
            references_visibility="public",
        )
        self.attempts = {name: self.submit(name) for name in MARKS}
        score_all()
        self.texts = {name: self._evaluated(name) for name in MARKS}
        self._vote()
        self.clients = {name: self._client(name) for name in READERS}
        self.clients |= {name: self._with_role(name) for name in WITH_ROLES}

    def copied(self) -> Self:
        """The same rows, in objects that a test may change, and clients that have read nothing."""
        other = copy.copy(self)
        rows = {name: attribute for name, attribute in vars(self).items() if name != "clients"}
        vars(other).update(copy.deepcopy(rows))
        other.clients = {reader: _copied(client) for reader, client in self.clients.items()}
        return other

    def _challenge(self, name: str, **fields: Any) -> Challenge:
        given = {"name": name, "scoring_strategy": "metric", "is_embeddable": True, **fields}
        return create_challenge(tenant=self.tenant, user=self.ann, fields=given)

    def submit(self, name: str) -> Attempt:
        """Submit as bob or eve, with their numbers and texts."""
        marks = MARKS[name]
        score, evidence = float(marks.score), float(marks.evidence)
        rewards = (evidence, 2 * score - evidence)
        return attempt_of(
            self.users[name],
            self.cup,
            marks.slug,
            name=marks.name,
            samples=[Sample("task", at, {"reward": reward}) for at, reward in enumerate(rewards)],
            note=marks.note,
            meta={"about": marks.note},
        )

    def _evaluated(self, name: str) -> Attempt:
        marks = MARKS[name]
        attempt = attempt_of(
            self.users[name], self.verses, marks.slug, name=marks.name, values={"other": 1.0}
        )
        instances = [Instance("i", "Ja.", ("Yes.",), ("Yes.",))]
        if not self.verses.newest.references_id:
            held_references(self.verses.newest, instances)
        score = float(marks.text)
        stored_evaluation(attempt, instances, metrics=[{"id": "F1"}])
        stored_run(
            attempt, "F1", [score], score={"f1": score}, names=["f1"], value={"F1": value(score)}
        )
        config, values = attempt.scoring_config, {"F1": value(score)}
        Score.objects.create(attempt=attempt, config=config, metric_values=values)
        Attempt.objects.filter(pk=attempt.pk).update(status="scored")
        return attempt

    def _vote(self) -> None:
        """Let two voters disagree, and count their votes, so that the arena has both as rows."""
        names = {"first": MARKS["bob"].slug, "second": MARKS["eve"].slug}
        votes = [{**names, "winner": winner, "voter": winner} for winner in ("first", "second")]
        store_votes(self.cup, {"votes": votes}, user=self.ann)
        assert look_after_arenas() == 1

    def _client(self, reader: str) -> Client:
        if reader in ("anyone", "stranger", "participant", "organiser"):
            client = Client()
            users = {"stranger": "zoe", "participant": "bob"}
            if reader == "organiser":
                client.force_login(self.ann)
            elif reader in users:
                client.force_login(self.users[users[reader]])
            return client
        scope = {"submits": "submit", "reads": "read"}[reader]
        text = create_token(user=self.users["bob"], scopes=[scope])[1]
        return Client(headers={"Authorization": f"Bearer {text}"})

    def _with_role(self, reader: str) -> Client:
        user = User.objects.create_user(reader.replace("'s ", "-"))
        role = "organiser" if reader == "co-organiser" else "reviewer"
        for challenge in (self.cup, self.verses):
            give_role(challenge, user.username, {"role": role}, by=self.ann)
        if reader != "reviewer's token":
            return signed_in(user)
        text = create_token(user=user, scopes=["organise", "read"], challenge=self.cup)[1]
        return Client(headers={"Authorization": f"Bearer {text}"})

    def show(self, settings: ViewSettings, state: str) -> None:
        """Give both challenges these settings, in a phase that has not begun, is open, or over."""
        now, day = timezone.now(), timedelta(days=1)
        dates = {
            "before": {"opens_at": now + day},
            "open": {"opens_at": now - day, "closes_at": now + day},
            "closed": {"opens_at": now - 2 * day, "closes_at": now - day},
        }[state]
        written = {name: at.isoformat() for name, at in dates.items()}
        phase = {"slug": "main", **settings._asdict(), **written}
        for challenge in (self.cup, self.verses):
            change_challenge(challenge, user=self.ann, fields={"phases": [phase]})

    def declare(self, **fields: Any) -> None:
        """Give both challenges these fields in a phase that is open, and fill their boards."""
        now, day = timezone.now(), timedelta(days=1)
        for challenge in (self.cup, self.verses):
            set_phase(challenge, **{"opens_at": now - day, "closes_at": now + day, **fields})

    def marks_in(self, text: str) -> Iterator[tuple[str, str]]:
        """Whose marks an answer contains: `("eve", "score")`. Digits may stand in groups."""
        plain = text.replace(",", "").replace("\u202f", "").replace("\u00a0", "")
        lower = plain.lower()
        for name, marks in MARKS.items():
            ids = (str(self.attempts[name].pk), str(self.texts[name].pk))
            wanted = {
                "name": (marks.slug,),
                "score": (marks.score,),
                "evidence": (marks.evidence,),
                "note": (marks.note,),
                "attempt": ids,
            }
            for kind, texts in wanted.items():
                if any(mark in lower for mark in texts):
                    yield name, kind
            # Not in `plain`, where a cell of CSV follows the digits of the one before. A moment
            # such as 12:00:30.617 contains the digits by chance.
            if re.search(rf"(?<!\d){re.escape(marks.text[:5])}", text):
                yield name, "text"


def _copied(client: Client) -> Client:
    """A client of the same user."""
    other = Client()
    other.cookies = copy.deepcopy(client.cookies)
    other.defaults = {**client.defaults}
    return other
