"""A server whose lists have one row each, and then any number."""

from __future__ import annotations

from collections.abc import Iterator

from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib.sessions.backends.db import SessionStore
from django.urls import reverse

from leaderboard.models import (
    Attempt,
    Challenge,
    ChallengeRole,
    Membership,
    Notice,
    OneTimeLink,
    Score,
    Tenant,
    User,
)
from leaderboard.rules.rewards.instances import Instance
from leaderboard.services import tokens
from leaderboard.services.accounts.one_time_links import make_link
from leaderboard.services.challenges.challenges import change_challenge, create_challenge
from leaderboard.services.competition.organisers.announcements import announce
from leaderboard.services.competition.organisers.appointing import give_role
from leaderboard.services.competition.quotas.grants import give_extra
from tests.helpers.attempts import attempt_of, score_all
from tests.helpers.evaluations import held_references, stored_evaluation, stored_run
from tests.pages.evaluated import value
from tests.people import organiser_of

BOARD = (
    "board",
    "board-version",
    "rules",
    "challenge-people",
    "challenge-announcements",
    "manage",
    "api:admission",
    "api:review",
    "review",
    "labels",
    "manage-admission",
    "manage-announcements",
    "manage-attempts",
    "event-log",
    "manage-extra",
    "manage-log",
    "manage-metrics",
    "manage-organisers",
    "manage-phases",
    "manage-plugins",
    "manage-program",
    "manage-references",
    "manage-registration",
    "manage-rules",
    "manage-settings",
    "manage-split",
    "manage-tasks",
    "manage-webhooks",
    "register",
    "submit",
    "import",
    "team",
    "tradeoff",
    "what-if",
    "progress",
    "compare",
    "tasks",
    "feed",
    "og-picture",
    "embed",
)
ACCOUNT = (
    *("account", "account-sessions", "notices", "api:notices"),
    *("people", "mfa_index", "mfa_list_webauthn"),
)
BOARD_API = (
    "announcements",
    "challenge-files",
    "challenge-plugins-others",
    "events",
    "exchange-formats",
    "folder",
    "webhooks",
    "challenge",
    "grants",
    "attempts",
    "leaderboard",
    "organisers",
    "csv",
    "checklist",
    "json",
    "jsonl",
    "markdown",
    "parquet",
    "code",
    "example",
    "quota",
    "registrations",
    "registrations-csv",
    "waiting-members",
    "team",
)
ADMIN = (
    "apitoken",
    "attempt",
    "challenge",
    "grant",
    "membership",
    "participant",
    "tenant",
    "user",
)
"""Every list of the admin."""


class World:
    """A server whose lists `grow`; `addresses` are those of every page and list that shows rows."""

    def __init__(self) -> None:
        self.rows = 0
        self.tenant = Tenant.objects.create(slug="default", name="Default")
        self.ann = organiser_of(self.tenant, "ann", is_staff=True, is_superuser=True)
        fields = [{"name": "size", "type": "number", "shown": True}]
        self.sprint = self._challenge("Sprint", meta_fields=fields)
        self.versions = self._challenge("Versions")
        self.tasks = self._challenge(
            "Tasks",
            scoring_strategy="metric",
            metrics=[{"type": "mean"}],
            rank_by=[{"key": "mean"}],
        )

    def grow(self, rows: int) -> None:
        """Add rows until each list has so many."""
        for number in range(self.rows, rows):
            self._add(f"r{number:03}", number)
        score_all()
        self.rows = rows
        rewards = {f"task-{number:03}": [0.5, 1.0] for number in range(rows)}
        self.with_tasks = self._submit(self.tasks, f"with-{rows}", task_rewards=rewards)
        score_all()
        self.with_outputs = self._evaluated(rows)

    def addresses(self) -> Iterator[tuple[str, str]]:
        """Yield a name for each address, the same at every size, and the address."""
        for name in (
            "challenges",
            "plugins",
            "status",
            "about",
            "site-feed",
            "sitemap",
            *ACCOUNT,
        ):
            yield name, reverse(name)
        yield "badge", reverse("badge", args=["sprint", "often"])
        yield "oembed", reverse("oembed") + "?url=http://testserver/c/sprint/"
        yield "search", reverse("search") + "?q=r0"
        for name in BOARD:
            yield name, reverse(name, args=["sprint"])
        yield "rules of versions", reverse("rules", args=["versions"])
        board = reverse("board", args=["sprint"])
        for query in (
            "?rows=all",
            "?q=r0",
            "?sort=elapsed_ms",
            "?sort=-elapsed_ms",
            "?intervals=1",
            "?sort=-meta.size",
            "?participant_kind=system",
            "?participant_kind=system&sort=-tokens_total&columns=tokens_total",
        ):
            yield f"board{query}", board + query
        yield "participant", reverse("participant", args=["sprint", "often"])
        yield "tasks with samples", reverse("tasks", args=["tasks"])
        yield "task", reverse("task", args=["tasks"]) + "?task=task-000"
        for name, attempt in (("tasks", self.with_tasks), ("outputs", self.with_outputs)):
            yield f"attempt with {name}", reverse("attempt", args=[attempt.pk])
            yield f"api:{name} of an attempt", reverse("api:attempt", args=[attempt.pk])
            yield f"api:annotations of {name}", reverse("api:annotations", args=[attempt.pk])
            address = reverse("api:attempt-admission", args=[attempt.pk])
            yield f"api:admission of {name}", address
        yield "api:evidence", reverse("api:evidence", args=[self.with_tasks.pk])
        yield "api:tasks", reverse("api:tasks", args=[self.with_tasks.pk])
        yield "api:output", reverse("api:output", args=[self.with_outputs.pk])
        yield "api:log", reverse("api:log", args=[self.with_outputs.pk])
        yield "api:instances", reverse("api:instances", args=[self.verses.slug])
        for name in ("api:challenges", "api:plugins"):
            yield name, reverse(name)
        for name in BOARD_API:
            yield f"api:{name}", reverse(f"api:{name}", args=["sprint"])
        yield "api:exchange", reverse("api:exchange", args=["sprint", "model-card"])
        yield "anchors", reverse("anchors")
        yield "api:attempts of one", reverse("api:attempts", args=["sprint"]) + "?participant=often"
        yield "api:standing", reverse("api:standing", args=["sprint", "often"])
        for model in ADMIN:
            yield f"admin:{model}", reverse(f"admin:leaderboard_{model}_changelist")
            first = apps.get_model("leaderboard", model)._default_manager.order_by("pk").first()
            if first is not None and model != "apitoken":  # Tokens are only listed.
                change = reverse(f"admin:leaderboard_{model}_change", args=[first.pk])
                yield f"admin:the first {model}", change
        yield "admin:index", reverse("admin:index")
        for name, row in (("challenge", self.versions), ("attempt", self.with_tasks)):
            yield (
                f"admin:one {name}",
                reverse(f"admin:leaderboard_{name}_change", args=[row.pk]),
            )

    def _challenge(self, name: str, **fields: object) -> Challenge:
        given = {"name": name, "scoring_strategy": "fastest", "is_embeddable": True, **fields}
        return create_challenge(tenant=self.tenant, user=self.ann, fields=given)

    def _submit(self, challenge: Challenge, participant: str, **evidence: object) -> Attempt:
        return attempt_of(self.ann, challenge, participant, **evidence)

    def _add(self, name: str, number: int) -> None:
        """Add one of each: challenge, scoring config, participant, attempt, user, token, …"""
        self._challenge(name)
        fields = {"timeout_ms": 1000 + number}
        change_challenge(self.versions, user=self.ann, fields=fields)
        facts = {"succeeded": True, "elapsed_ms": 5000 - number}
        self._submit(self.sprint, name, metrics=facts, meta={"size": str(number % 7)})
        self._submit(self.sprint, "often", metrics=facts)
        tokens.create_token(user=self.ann, name=name, scopes=["submit"])
        user = User.objects.create_user(name)
        Membership.objects.create(tenant=self.tenant, user=user)
        session = SessionStore()
        session.save()
        UserSession.objects.create(user=self.ann, ip="::1", session_key=session.session_key)
        give_role(self.sprint, name, {"role": "reviewer"}, by=self.ann)
        ChallengeRole.objects.create(
            challenge=Challenge.objects.get(slug=name), user=self.ann, role="reviewer"
        )
        announce(self.sprint, {"title": name, "text": "*Hello*"}, by=self.ann)
        extra = {"participant": name, "phase": "main", "extra": 1, "reason": "Outage"}
        give_extra(self.sprint, extra, by=self.ann)
        tenant = Tenant.objects.create(slug=name, name=name)
        make_link(OneTimeLink.Purpose.INVITATION, by=self.ann, tenant=tenant)
        about = {"key": name, "kind": "attempts", "what": "scored"}
        Notice.objects.create(user=self.ann, challenge=self.sprint, **about)
        make_link(OneTimeLink.Purpose.SIGN_IN, by=self.ann, user=user)

    def _evaluated(self, rows: int) -> Attempt:
        self.verses = self._challenge(
            f"Verses {rows}",
            scoring_strategy="metric",
            text_metrics=["F1"],
            rank_by=[{"key": "F1"}],
        )
        facts = {"succeeded": True, "elapsed_ms": 5}
        attempt = self._submit(self.verses, f"outputs-{rows}", metrics=facts)
        texts = ("Yes.", "Yeah.")
        instances = [Instance(f"i{number}", "Ja.", texts, texts) for number in range(rows)]
        held_references(self.verses.newest, instances)
        stored_evaluation(attempt, instances)
        stored_run(attempt, "F1", [1.0] * rows, value={"F1": value(1.0)})
        config, values = attempt.scoring_config, {"F1": value(1.0)}
        Score.objects.create(attempt=attempt, config=config, metric_values=values)
        Attempt.objects.filter(pk=attempt.pk).update(status="scored")
        return attempt
