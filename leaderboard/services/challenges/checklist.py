"""What a draft needs before it is published: a list of points, each with its state."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from django.core.cache import cache
from django.urls import reverse
from django.utils.translation import gettext as _

from leaderboard.facts import known_facts
from leaderboard.models import Challenge, Phase, RegistrationRules, ScoringConfig, User
from leaderboard.rules.visibility.open_phases import next_phase, open_phase
from leaderboard.schemas.choices import RegistrationMode
from leaderboard.schemas.text_metrics import enabled
from leaderboard.services.challenges.directions import direction_warnings
from leaderboard.services.challenges.own_plugins import own_package_of
from leaderboard.services.challenges.rank_keys import KnownRankKeys, why_no_attempt_has
from leaderboard.services.challenges.samples import SentSample, read_sample
from leaderboard.services.challenges.scoring_configs import check_again
from leaderboard.services.competition.clock import received_now
from leaderboard.services.errors import ServiceError

_State = Literal["ok", "warning", "missing"]
SAMPLE: Final = "sample"
KEPT_SECONDS: Final = 20
"""How long a page uses the plugins' last acceptance of a config without asking again."""


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the checklist: its state in a sentence, and the page on which to change it."""

    key: str
    state: _State
    text: str
    link: str


@dataclass(frozen=True, slots=True)
class Checklist:
    """The points, and the sample attempt if there is one."""

    points: Sequence[Point]
    sample: SentSample | None

    @property
    def missing(self) -> Sequence[Point]:
        return [point for point in self.points if point.state == "missing"]

    @property
    def is_ready(self) -> bool:
        """Whether the draft can be published: at most the sample attempt is missing."""
        return all(point.key == SAMPLE for point in self.missing)


def checklist(challenge: Challenge, reader: User | None = None) -> Checklist:
    """The checklist of a draft. It asks the sandbox about the plugins, every few seconds."""
    key = f"usable:{challenge.newest.pk}"
    is_usable: bool = cache.get(key, False)
    scoring = scoring_point(challenge, challenge.newest, ask=not is_usable)
    if scoring.state == "ok" and not is_usable:
        cache.set(key, True, KEPT_SECONDS)
    return stored_checklist(challenge, scoring, reader)


def stored_checklist(challenge: Challenge, scoring: Point, reader: User | None = None) -> Checklist:
    """The checklist from what is stored; scoring: the point about the plugins, found before."""
    sample = read_sample(challenge, reader)
    points = [
        _description(challenge),
        scoring,
        _ranking(challenge),
        _references(challenge),
        _phases(challenge),
        *_registration(challenge),
        _sample(challenge, sample),
    ]
    return Checklist(points, sample)


def check_ready(challenge: Challenge, scoring: Point) -> None:
    """Refuse (`conflict`) to publish a draft while more than the sample attempt is missing."""
    current = stored_checklist(challenge, scoring)
    if current.is_ready:
        return
    wrong: Mapping[str, list[str]] = {point.key: [point.text] for point in current.missing}
    listed = " ".join(point.text for point in current.missing)
    text = _("The draft cannot be published yet. {missing}").format(missing=listed)
    raise ServiceError("conflict", text, wrong)


def scoring_point(challenge: Challenge, config: ScoringConfig, *, ask: bool = True) -> Point:
    """Whether the scorer and the metrics are installed and accept their settings.

    config: the newest one of the challenge, or the one that it gets by a change. ask: False if the
    plugins have accepted it a moment ago.
    """
    link = _page(challenge, "manage-rules")
    try:
        if ask:
            package = own_package_of(challenge)
            check_again(config, tenant=challenge.tenant.slug, package=package)
    except ServiceError as refused:
        away = refused.code == "unavailable"
        return Point("scoring", "warning" if away else "missing", refused.message, link)
    if config.runs_scorer:
        text = _("The scorer {scorer} is installed and accepts its settings.")
        return Point("scoring", "ok", text.format(scorer=config.entrypoint), link)
    return Point("scoring", "ok", _("The scoring is configured."), link)


def _description(challenge: Challenge) -> Point:
    link = _page(challenge, "manage-rules")
    if not challenge.description.strip():
        text = _("There is no description: readers see the name and the ranking only.")
        return Point("description", "warning", text, link)
    return Point("description", "ok", _("The challenge has a name and a description."), link)


def _ranking(challenge: Challenge) -> Point:
    config, link = challenge.newest, _page(challenge, "manage-rules")
    rank_keys = known_rank_keys(config, challenge.values)
    reported = []
    for key in config.ranked_keys:
        if wrong := why_no_attempt_has(key, rank_keys):
            text = _("The board ranks by {key}, which no attempt can have: {wrong}.")
            return Point("ranking", "missing", text.format(key=key, wrong=wrong), link)
        if not rank_keys.is_computed(key) and key not in challenge.values:
            reported.append(key)
    if reported:
        text = _(
            "The board ranks by {keys}, which nothing here computes: participants have to report"
            " it. Declare it as a value, so that the form asks for it."
        )
        return Point("ranking", "warning", text.format(keys=", ".join(reported)), link)
    if warnings := direction_warnings(config, challenge.columns):
        return Point("ranking", "warning", " ".join(warnings), link)
    if unchecked := [key for key in config.ranked_keys if _is_unchecked(challenge, key)]:
        text = _(
            "Attempts can have every value that the board ranks by. Participants report {keys}"
            " themselves: nothing here checks it."
        )
        return Point("ranking", "ok", text.format(keys=", ".join(unchecked)), link)
    return Point("ranking", "ok", _("Attempts can have every value that the board ranks by."), link)


def _is_unchecked(challenge: Challenge, key: str) -> bool:
    """Whether participants report a value or a fact themselves; the arrival is the server's."""
    return key in challenge.values or key in known_facts()


def _references(challenge: Challenge) -> Point:
    config, link = challenge.newest, _page(challenge, "manage-references")
    if not enabled(config.text_specs):
        return Point("references", "ok", _("No metric needs references."), link)
    if config.references_id is None:
        text = _(
            "The challenge holds no references: participants send what is expected themselves,"
            " beside the outputs."
        )
        return Point("references", "warning", text, link)
    return Point("references", "ok", _("The challenge holds the references."), link)


def _phases(challenge: Challenge) -> Point:
    link = _page(challenge, "manage-phases")
    if not challenge.is_active:
        text = _("The challenge is closed: it takes no attempts, whatever the dates.")
        return Point("phases", "warning", text, link)
    now = received_now()
    phases: Sequence[Phase] = list(challenge.phases.order_by("position", "pk"))
    if not phases or (phase := open_phase(phases, now)):
        return Point("phases", "ok", _("Attempts are accepted as soon as it is published."), link)
    if phase := next_phase(phases, now):
        text = _("The phase {phase} opens next.").format(phase=phase)
        return Point("phases", "ok", text, link)
    text = _("The last phase is over, so no attempts could be submitted. Change its dates.")
    return Point("phases", "missing", text, link)


def _registration(challenge: Challenge) -> Sequence[Point]:
    """The points about who may take part, and about the terms if there are rules."""
    link = _page(challenge, "manage-registration")
    rules = RegistrationRules.objects.filter(challenge=challenge).first()
    if rules is None:
        return [Point("registration", "ok", _("Everyone may take part."), link)]
    return [_mode(rules, link), _terms(rules, link)]


def _mode(rules: RegistrationRules, link: str) -> Point:
    mode = RegistrationMode(rules.mode)
    if mode == RegistrationMode.CODE and not rules.code:
        text = _("Participants need a code to register, and there is none.")
        return Point("registration", "missing", text, link)
    if mode == RegistrationMode.DOMAIN and not rules.domains:
        text = _("Participants need an address of a known domain, and none is named.")
        return Point("registration", "missing", text, link)
    if mode == RegistrationMode.INVITED and not rules.invited:
        text = _("Only invited people may take part, and the list of invited people is empty.")
        return Point("registration", "warning", text, link)
    if mode == RegistrationMode.APPROVAL and not rules.questions:
        text = _("You accept each participant, but the form asks them no questions.")
        return Point("registration", "warning", text, link)
    return Point("registration", "ok", _("The rules of registration are complete."), link)


def _terms(rules: RegistrationRules, link: str) -> Point:
    if rules.terms and not rules.terms.strip():
        text = _("Participants have to accept terms, and the terms have no text.")
        return Point("terms", "missing", text, link)
    consents = any(question.get("kind") == "consent" for question in rules.questions)
    if consents and not rules.terms:
        text = _("The form asks for a consent, but there are no terms to read.")
        return Point("terms", "warning", text, link)
    text = _("There are terms to accept.") if rules.terms else _("There are no terms to accept.")
    return Point("terms", "ok", text, link)


def _sample(challenge: Challenge, sample: SentSample | None) -> Point:
    link = sample.attempt.get_absolute_url() if sample else _page(challenge, "manage")
    if sample is None:
        text = _("No sample attempt has been scored and ranked yet.")
        return Point(SAMPLE, "missing", text, link)
    match sample.state:
        case "ranked":
            text = _("The sample attempt was scored and has rank {rank}.")
            return Point(SAMPLE, "ok", text.format(rank=sample.reading.rank), link)
        case "failed":
            text = _("The sample attempt has no score. {why}").format(why=sample.why_failed)
            return Point(SAMPLE, "missing", text, link)
        case "waiting":
            text = _("The sample attempt waits for its score.")
        case "unranked":
            text = _("The sample attempt was scored, but it has no rank.")
        case "withdrawn":
            text = _("The sample attempt is withdrawn. Send another one.")
        case "outdated":
            text = _("The scoring has changed since the sample attempt. Send another one.")
    return Point(SAMPLE, "warning", text, link)


def known_rank_keys(config: ScoringConfig, values: Collection[str] = ()) -> KnownRankKeys:
    """What the keys of a challenge may mean. values: the reported values that it declares."""
    return KnownRankKeys(
        config.metric_specs,
        config.named_specs,
        values,
        config.declared_rewards,
        config.program_values,
    )


def _page(challenge: Challenge, name: str) -> str:
    return reverse(name, args=[challenge.slug])
