"""`/c/{slug}/labels/`: people label samples of judged rewards, and see no names and no numbers."""

from __future__ import annotations

from typing import NamedTuple

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.languages.translation import count_text, number_text
from leaderboard.models import Challenge, User
from leaderboard.pages.shared.access import board_for, challenge_or_404, is_reviewer, signed_in
from leaderboard.services.board.boards import current_board, shown_boards
from leaderboard.services.errors import ServiceError, invalid
from leaderboard.services.scoring.labels.queue import judge_says, label, labelled_by, next_sample
from leaderboard.services.standing.review import may_decide, only_for_reviewers


class RewardField(NamedTuple):
    """The field of a label. low, high: its declared bounds, "" where there is none."""

    number: int
    reward: str
    low: str
    high: str


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def labels_page(request: HttpRequest, slug: str) -> HttpResponse:
    """`?skip=N` puts off the first N open samples of an attempt."""
    challenge, user = challenge_or_404(request, slug), signed_in(request)
    if not is_reviewer(request, challenge):
        raise Http404("There is no such page.")
    if request.method == "POST":
        _save(request, challenge, user)
        return redirect("labels", slug=slug)
    is_judged = bool(challenge.shown.judged_rewards)
    typed = request.GET.get("skip", "")
    skipped = int(typed) if typed.isdecimal() and len(typed) < 6 else 0
    board = board_for(request, current_board(shown_boards(challenge)))
    following = next_sample(board, user, skipped=skipped) if is_judged else None
    labelled = labelled_by(user, challenge)
    text = ngettext(
        "You have labelled {count} sample.", "You have labelled {count} samples.", labelled
    )
    context = {
        "challenge": challenge,
        "tab": "manage",
        "part": "labels",
        "is_judged": is_judged,
        "next": following,
        "fields": _fields(challenge, following.sample.rewards) if following else [],
        "skip": skipped + 1,
        "labels": may_decide(user, challenge),
        "labelled": text.format(count=count_text(labelled)),
        "most": count_text(challenge.shown.labels_per_attempt),
    }
    return render(request, "pages/manage/labels.html", context)


def _save(request: HttpRequest, challenge: Challenge, user: User) -> None:
    token = request.POST.get("token", "")
    try:
        if not may_decide(user, challenge):
            raise only_for_reviewers()
        values = {
            reward: _number(request.POST[f"value-{at}"], f"value-{at}")
            for at, reward in enumerate(challenge.shown.judged_rewards)
            if f"value-{at}" in request.POST
        }
        label(challenge, user, token, values)
        numbers = judge_says(challenge, user, token)
    except ServiceError as error:
        messages.error(request, _refusal(error))
        return
    listed = ", ".join(f"{name} {number_text(f'{value:.6g}')}" for name, value in numbers.items())
    messages.success(
        request, _("Your label is stored. The judge says: {numbers}").format(numbers=listed)
    )


def _number(typed: str, field: str) -> float:
    try:
        return float(typed.replace(",", "."))
    except ValueError:
        raise invalid(field, _("must be a number"), got=typed[:40]) from None


def _refusal(error: ServiceError) -> str:
    return " ".join([error.message, *(text for texts in error.fields.values() for text in texts)])


def _fields(challenge: Challenge, rewards: list[str]) -> list[RewardField]:
    bounds = challenge.shown.reward_bounds
    made = []
    for number, reward in enumerate(challenge.shown.judged_rewards):
        if reward in rewards:
            ends = bounds.get(reward)
            low, high = (ends.min, ends.max) if ends else (None, None)
            made.append(RewardField(number, reward, _end(low), _end(high)))
    return made


def _end(bound: float | None) -> str:
    return "" if bound is None else f"{bound:.12g}"
