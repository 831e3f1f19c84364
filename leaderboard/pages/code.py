"""What a board says of the code of its plugins, and the buttons by which organisers decide."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from leaderboard.models import Challenge, Edition, ScoringConfig
from leaderboard.pages import labels
from leaderboard.pages.access import challenge_or_404, is_organiser, signed_in
from leaderboard.services.board.editions import edition_count
from leaderboard.services.challenges.code_changes import (
    CodeState,
    Decision,
    code_state,
    decide,
    held_at,
)
from leaderboard.services.errors import ServiceError

_CHANGES = {
    "warn": "New attempts are scored by the new code, and the board says so.",
    "hold": "New attempts wait until an organiser decides how to go on.",
    "rescore": "Everything is scored again by the new code, under a new version.",
}


@dataclass(frozen=True, slots=True)
class CodeNotice:
    """For everyone, in how many editions the board was scored and how many attempts wait; for
    organisers, what to decide.

    `lines` are further sentences. `can_go_on`: there is a code that waits to be accepted.
    """

    sentence: str
    lines: list[str]
    editions: list[Edition]
    can_decide: bool
    can_go_on: bool


def code_notice(request: HttpRequest, challenge: Challenge) -> CodeNotice | None:
    """What the page of a board says; None where all is of one code."""
    shown = challenge.shown
    if not is_organiser(request, challenge):
        sentence = _sentence(shown, edition_count(shown))
        waiting = list(_waiting(shown, held_at(challenge)))
        return CodeNotice(sentence, waiting, [], False, False) if sentence or waiting else None
    state = code_state(challenge)
    if not state.changed and not state.held:
        return None
    return CodeNotice(
        sentence=_sentence(shown, len(state.editions)),
        lines=list(_lines(shown, state)),
        editions=state.editions if len(state.editions) > 1 else [],
        can_decide=state.now != "" and (not challenge.newest.is_rescoring or not state.accepted),
        can_go_on=_is_asked(state),
    )


def on_code_change(challenge: Challenge) -> str:
    """What happens when the code of a plugin changes, in a sentence."""
    return _CHANGES[challenge.on_code_change]


@require_POST
@login_required
def code_decision(request: HttpRequest, slug: str) -> HttpResponse:
    """`/c/{slug}/code/`: one click of an organiser's."""
    challenge = challenge_or_404(request, slug)
    decisions: dict[str, Decision] = {"rescore": "rescore", "go_on": "go_on"}
    decision = decisions.get(request.POST.get("decision", ""))
    if not is_organiser(request, challenge) or decision is None:
        raise Http404("There is nothing to decide here.")
    try:
        config = decide(challenge, decision, user=signed_in(request))
    except ServiceError as refused:
        messages.error(request, refused.message)
        return redirect("board", slug=slug)
    if decision == "rescore":
        text = f"Every attempt is being scored again, under version {config.number}."
    else:
        text = "New attempts are scored by the new code. Earlier scores stay as they are."
    messages.success(request, text)
    return redirect("board", slug=slug)


def _sentence(config: ScoringConfig, editions: int) -> str:
    if editions < 2:
        return ""
    return f"Scored by {labels.editions(editions)} of the {labels.plugins_of(config)}."


def _waiting(config: ScoringConfig, held: int) -> Iterator[str]:
    if held:
        waits = "attempt waits" if held == 1 else "attempts wait"
        why = f"The code of the {labels.plugins_of(config)} has changed"
        yield f"{why}: {held:,} {waits} until an organiser has decided how to go on."


def _is_asked(state: CodeState) -> bool:
    """Whether attempts wait, or would wait, for an organiser to accept the new code."""
    return state.mode == Challenge.OnCodeChange.HOLD and not state.accepted


def _lines(config: ScoringConfig, state: CodeState) -> list[str]:
    plugins = labels.plugins_of(config)
    said = []
    if not state.now:
        said.append(f"The files of the {plugins} cannot be read on this server.")
    elif not state.accepted and (_is_asked(state) or len(state.editions) < 2):
        said.append(f"The code of the {plugins} on this server is not the one of this board.")
    if state.held:
        waits = "attempt waits" if state.held == 1 else "attempts wait"
        said.append(f"{state.held:,} {waits} for your decision.")
    return said
