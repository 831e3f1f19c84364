"""The notice of a board about the code of its plugins, with the buttons for organisers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext
from django.views.decorators.http import require_POST

from leaderboard.languages.translation import count_text, filled
from leaderboard.models import Challenge, Edition, ScoringConfig
from leaderboard.pages.labels import row_labels
from leaderboard.pages.shared.access import (
    access_in,
    challenge_or_404,
    is_organiser,
    is_reviewer,
    signed_in,
)
from leaderboard.services.challenges.code_changes import (
    CodeDecision,
    CodeState,
    code_state,
    decide,
    held_at,
    visible_editions,
)
from leaderboard.services.competition.visible.access import Access
from leaderboard.services.errors import ServiceError

_CHANGES = {
    "warn": gettext_lazy(
        "When it changes on the server, new attempts are scored by the new code, and the board "
        "says so."
    ),
    "hold": gettext_lazy(
        "When it changes on the server, new attempts wait until an organiser decides how to go on."
    ),
    "rescore": gettext_lazy(
        "When it changes on the server, everything is scored again by the new code, under a new "
        "version."
    ),
}


@dataclass(frozen=True, slots=True)
class CodeNotice:
    """A notice: the number of editions and of waiting attempts; for organisers, the decision.

    Reviewers read what organisers read.
    lines: further sentences. can_go_on: whether a code waits to be accepted.
    """

    sentence: str
    lines: list[str]
    editions: list[Edition]
    can_decide: bool
    can_go_on: bool


def code_notice(request: HttpRequest, challenge: Challenge) -> CodeNotice | None:
    """The notice on the page of a board; None if all scores have one code."""
    config = challenge.shown
    if not is_reviewer(request, challenge):
        access = access_in(request, challenge)
        sentence = _sentence(config, _edition_count(challenge, access))
        waiting = list(_waiting(config, held_at(challenge, access)))
        return CodeNotice(sentence, waiting, [], False, False) if sentence or waiting else None
    state = code_state(challenge)
    if not state.changed and not state.held:
        return None
    return CodeNotice(
        sentence=_sentence(config, len(state.editions)),
        lines=list(_lines(config, state)),
        editions=state.editions if len(state.editions) > 1 else [],
        can_decide=is_organiser(request, challenge) and _can_decide(challenge, state),
        can_go_on=_is_asked(state),
    )


def _edition_count(challenge: Challenge, access: Access) -> int:
    """How many editions made the scores; without a freeze, `challenge_or_404` has counted them."""
    if access.frozen or not hasattr(challenge, "edition_count"):
        return len(visible_editions(challenge.shown, access))
    return (challenge.edition_count or 0) if challenge.shown.code else 0


def _can_decide(challenge: Challenge, state: CodeState) -> bool:
    return state.now != "" and (not challenge.newest.is_rescoring or not state.accepted)


def on_code_change(challenge: Challenge) -> str:
    """What happens when the code of a plugin changes, in a sentence."""
    return str(_CHANGES[challenge.on_code_change])


@require_POST
@login_required
def code_decision(request: HttpRequest, slug: str) -> HttpResponse:
    """`/c/{slug}/code/`: an organiser's decision."""
    challenge = challenge_or_404(request, slug)
    decisions: dict[str, CodeDecision] = {"rescore": "rescore", "go_on": "go_on"}
    decision = decisions.get(request.POST.get("decision", ""))
    if not is_organiser(request, challenge) or decision is None:
        raise Http404("There is nothing to decide here.")
    try:
        config = decide(challenge, decision, user=signed_in(request))
    except ServiceError as refused:
        messages.error(request, refused.message)
        return redirect("board", slug=slug)
    if decision == "rescore":
        template = _("Every attempt is being scored again, under version {version}.")
        text = filled(template, version=config.number)
    else:
        text = _("New attempts are scored by the new code. Earlier scores stay as they are.")
    messages.success(request, text)
    return redirect("board", slug=slug)


def _sentence(config: ScoringConfig, editions: int) -> str:
    if editions < 2:
        return ""
    if config.runs_scorer:
        text = _("Scored by {editions} of the scorer.")
    else:
        text = _("Scored by {editions} of the metrics.")
    return text.format(editions=row_labels.editions(editions))


def _waiting(config: ScoringConfig, held: int) -> Iterator[str]:
    if not held:
        return
    if config.runs_scorer:
        text = ngettext(
            "The code of the scorer has changed: {count} attempt waits until an organiser has "
            "decided how to go on.",
            "The code of the scorer has changed: {count} attempts wait until an organiser has "
            "decided how to go on.",
            held,
        )
    else:
        text = ngettext(
            "The code of the metrics has changed: {count} attempt waits until an organiser has "
            "decided how to go on.",
            "The code of the metrics has changed: {count} attempts wait until an organiser has "
            "decided how to go on.",
            held,
        )
    yield text.format(count=count_text(held))


def _is_asked(state: CodeState) -> bool:
    """Whether attempts wait, or would wait, for an organiser to accept the new code."""
    return state.mode == Challenge.OnCodeChange.HOLD and not state.accepted


def _lines(config: ScoringConfig, state: CodeState) -> list[str]:
    texts = []
    if not state.now:
        texts.append(
            _("The files of the scorer cannot be read on this server.")
            if config.runs_scorer
            else _("The files of the metrics cannot be read on this server.")
        )
    elif not state.accepted and (_is_asked(state) or len(state.editions) < 2):
        texts.append(
            _("The code of the scorer on this server is not the one of this board.")
            if config.runs_scorer
            else _("The code of the metrics on this server is not the one of this board.")
        )
    if state.held:
        waiting = ngettext(
            "{count} attempt waits for your decision.",
            "{count} attempts wait for your decision.",
            state.held,
        )
        texts.append(waiting.format(count=count_text(state.held)))
    return texts


def code_is(config: ScoringConfig) -> SafeString:
    """A sentence, as HTML, about the code of a config's plugins."""
    text = (
        _("The code of the scorer is {code}.")
        if config.runs_scorer
        else _("The code of the metrics is {code}.")
    )
    return format_html(text, code=format_html("<code>{}</code>", config.code))
