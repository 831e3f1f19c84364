"""Before the end of a phase, no answer depends on private tasks or instances.

Two challenges differ in nothing but the results on private tasks. Every address gives the same
answer for both, to every reader, until the phase has ended.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from datetime import timedelta
from difflib import unified_diff
from typing import Any, Final

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from leaderboard.models import Attempt, Challenge, Phase, Tenant, User
from leaderboard.schemas.documents import parse_document, parse_outputs
from leaderboard.services.accounts.own_data import own_data
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.challenges.finals import begin_finals
from leaderboard.services.challenges.references import store_references
from leaderboard.services.scoring.rescoring import work_on
from tests.helpers.attempts import attempt_of, score_all
from tests.parquet_files import body_text
from tests.people import organiser_of
from tests.sight.test_matrix import parameters, routes
from tests.sight.world import readers

pytestmark = [pytest.mark.django_db, pytest.mark.once]

PUBLIC: Final = ["a", "b", "c"]
PRIVATE: Final = ["d", "e", "f", "g"]
READERS: Final = ("anyone", "bob", "ann")
PUBLIC_RESULTS: Final = {"atlas": [1.0, 0.5, 0.0], "nova": [1.0, 1.0, 0.25]}
LISTS: Final = {"challenges", "api:challenges"}
"""Addresses that have both challenges."""
TWINS: Final = ("castor", "pollux")
"""Two slugs of the same challenge; private results are better under the second."""


class Twins:
    """The two challenges, with an attempt by bob and one by eve each."""

    def __init__(self, **fields: Any) -> None:
        self.tenant = Tenant.objects.create(slug="default", name="Default")
        self.ann = organiser_of(self.tenant, "ann")
        self.users = {name: User.objects.create_user(name) for name in ("bob", "eve")}
        self.attempts: dict[str, dict[str, Attempt]] = {}
        self.challenges = {twin: self._challenge(twin, **fields) for twin in TWINS}
        for twin in TWINS:
            self.attempts[twin] = {
                who: self._submit(twin, who, user)
                for who, user in zip(PUBLIC_RESULTS, self.users.values(), strict=True)
            }
        for who, attempt in self.attempts[TWINS[0]].items():
            same = Attempt.objects.values_list("submitted_at", flat=True).get(pk=attempt.pk)
            other = self.attempts[TWINS[1]][who]
            Attempt.objects.filter(pk=other.pk).update(submitted_at=same)
        score_all()

    def _challenge(self, twin: str, **fields: Any) -> Challenge:
        ends = (timezone.now() + timedelta(days=1)).isoformat()
        defaults = {
            "name": "Twin",
            "slug": twin,
            "scoring_strategy": "metric",
            "metrics": ["mean", {"type": "mean", "name": "all of them", "failed": "zero"}],
            "rank_by": [{"key": "mean"}],
            "tasks": [{"name": name, "rewards": ["reward"]} for name in (*PUBLIC, *PRIVATE)],
            "split": {"public": PUBLIC},
            "phases": [{"closes_at": ends}],
        }
        return create_challenge(tenant=self.tenant, user=self.ann, fields=defaults | fields)

    def _submit(self, twin: str, who: str, user: User) -> Attempt:
        better = twin == "pollux"
        given: dict[str, list[float | None]] = {
            name: [value] for name, value in zip(PUBLIC, PUBLIC_RESULTS[who], strict=True)
        }
        given |= {name: [1.0 if better else None] for name in PRIVATE}
        if better:
            del given["g"]
        return attempt_of(user, self.challenges[twin], who, task_rewards=given)

    def client(self, reader: str) -> Client:
        client = Client()
        users = {**self.users, "ann": self.ann}
        if reader in users:
            client.force_login(users[reader])
        return client

    def end(self) -> None:
        """Let the phases end, and compute the final scores."""
        Phase.objects.update(closes_at=timezone.now() - timedelta(seconds=1))
        assert begin_finals() == 2
        for challenge in Challenge.objects.all():
            work_on(challenge.newest.pk)

    def addresses(self, twin: str) -> Iterator[tuple[str, str]]:
        """Every address about a challenge and its attempts, and its route with the participant."""
        for route in sorted({*routes()} - LISTS):
            for who, attempt in self.attempts[twin].items():
                arguments: dict[str, Any] = {
                    "slug": twin,
                    "phase": "main",
                    "participant": who,
                    "pk": 1 if route in ("api:grant", "api:challenge-file") else attempt.pk,
                    "username": "bob",
                    "annotation": attempt.pk,
                    "delivery": attempt.pk,
                    "key": "model-card",
                    "number": 1,
                }
                names = parameters()[route]
                yield (
                    f"{route} {who}",
                    reverse(route, kwargs={name: arguments[name] for name in names}),
                )


def answers(twins: Twins, twin: str, reader: str, only: Collection[str] = ()) -> dict[str, str]:
    """The answers of all addresses, without what differs between any two challenges.

    only: the routes that are read; without them, all.
    """
    client = twins.client(reader)
    ids = {str(attempt.pk): who for who, attempt in twins.attempts[twin].items()}
    cache.clear()
    contents = {}
    for name, address in twins.addresses(twin):
        if only and name.split()[0] not in only:
            continue
        response = client.get(address)
        body = body_text(response.getvalue())
        for attempt_id, who in ids.items():
            body = body.replace(attempt_id, who)
        contents[name] = f"{response.status_code} {plain(body, twin)}"
    return contents


def differences(left: dict[str, str], right: dict[str, str]) -> dict[str, list[str]]:
    """The lines in which answers differ, by their addresses."""
    return {
        name: list(unified_diff(answer.splitlines(), right[name].splitlines(), lineterm="", n=0))[
            :6
        ]
        for name, answer in left.items()
        if answer != right[name]
    }


def plain(body: str, twin: str) -> str:
    """A body without slugs, ids, times, durations, versions of boards and tokens of forms."""
    body = re.sub(r'(?s)<svg class="qr".*?</svg>', "picture of the address", body)
    body = body.replace(twin, "twin")
    body = re.sub(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "uuid", body)
    body = re.sub(r'name="(csrfmiddlewaretoken|state)" value="\w+"', "", body)
    body = re.sub(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|\+00:00)?", "time", body)
    body = re.sub(r"(?s)<time.*?</time>", "time", body)
    body = re.sub(r'data-(results|page)="\w+"|"(results|page)": "\w+"', "version", body)
    body = re.sub(r"since=(\d+)\.[0-9a-f]{16}", r"since=\1", body)
    # Hashes of the log: with a salt for each event, of all before it, and of a state with the slug.
    body = re.sub(r'"(blind|link|state)":"[0-9a-f]{64}"', "hash", body)
    # The log names participants otherwise in each challenge, and phases by their ids.
    named = re.compile(r'(?<="participant":")[0-9a-f]{16}(?=")')
    order = list(dict.fromkeys(named.findall(body)))
    body = named.sub(lambda name: f"participant {order.index(name[0])}", body)
    body = re.sub(r'"phase":\d+', '"phase"', body)
    body = re.sub(r"\d+ (ms|µs)|\b1\.\d+e9|\b1\d{9}(\.\d+)?\b", "duration", body)
    body = re.sub(r'"elapsed time": ?[\d.e-]+', "duration", body)
    return re.sub(r'"(duration_ms|id|cursor|version|etag)": ?"?[\w.=-]+"?', "", body)


@pytest.mark.parametrize("reader", readers(READERS, "ann"))
def test_no_answer_depends_on_private_tasks(reader: str) -> None:
    twins = Twins()
    assert differences(*(answers(twins, twin, reader) for twin in TWINS)) == {}
    twins.end()
    final_routes = {"board", "attempt", "participant"}
    final_routes |= {
        f"api:{name}" for name in ("leaderboard", "csv", "attempt", "tasks", "standing")
    }
    differ = differences(*(answers(twins, twin, reader, final_routes) for twin in TWINS))
    assert {name.split()[0] for name in differ} == final_routes


def test_what_participants_download_has_their_samples_and_public_scores() -> None:
    twins = Twins()
    text = "".join(own_data(twins.users["bob"]))
    assert text.count('"d"') == 2
    scores = re.findall(r'"scores": (\[.*?\])(?:, "samples"|\})', text)
    assert len(scores) == 2
    first, second = (
        re.sub(r'"config__number": \d+|"\w+_at": "[^"]*"', "", text_of_scores)
        for text_of_scores in scores
    )
    assert re.sub(r'"duration_ms": \d+', "", first) == re.sub(r'"duration_ms": \d+', "", second)


@pytest.mark.parametrize("reader", readers(READERS, "ann"))
def test_no_answer_depends_on_private_instances(reader: str) -> None:
    twins = TextTwins()
    differ = differences(*(answers(twins, twin, reader) for twin in TWINS))
    outputs = {"api:outputs", "api:attempts-zip"} if reader in ("ann", "bob") else set()
    assert {name: lines for name, lines in differ.items() if name.split()[0] not in outputs} == {}
    twins.end()
    final_routes = {"board", "attempt", "api:leaderboard", "api:output"}
    differ = differences(*(answers(twins, twin, reader, final_routes) for twin in TWINS))
    assert {name.split()[0] for name in differ} == final_routes


class TextTwins(Twins):
    """The same for texts: what is expected of each instance is its id."""

    def __init__(self) -> None:
        super().__init__(
            metrics=[],
            tasks=[],
            split=None,
            text_metrics=["F1", "exact_match"],
            rank_by=[{"key": "F1"}],
            references_visibility="public",
        )

    def _challenge(self, twin: str, **fields: Any) -> Challenge:
        challenge = super()._challenge(twin, **fields)
        rows = [
            {"id": name, "input": name, "expected-output": [name]} for name in (*PUBLIC, *PRIVATE)
        ]
        store_references(challenge, user=self.ann, document=parse_document({"instances": rows}))
        challenge.refresh_from_db()
        return change_challenge(challenge, user=self.ann, fields={"split": {"public": PUBLIC}})

    def _submit(self, twin: str, who: str, user: User) -> Attempt:
        given = {name: name for name in PUBLIC[: 1 if who == "atlas" else 2]}
        given |= {name: name if twin == "pollux" else "?" for name in PRIVATE}
        return attempt_of(user, self.challenges[twin], who, outputs=parse_outputs(given))
