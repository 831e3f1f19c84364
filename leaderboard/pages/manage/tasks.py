"""`/c/{slug}/manage/tasks/`: organisers change the tasks of a challenge and their rewards."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from leaderboard.pages.labels.clusterings import clustering_text
from leaderboard.pages.manage.changing import change_page
from leaderboard.pages.manage.forms.tasks_form import TasksForm
from leaderboard.pages.shared.access import board_for, organised_or_404
from leaderboard.services.board.boards import current_board, shown_boards


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def manage_tasks(request: HttpRequest, slug: str) -> HttpResponse:
    challenge = organised_or_404(request, slug)
    data = request.POST if request.method == "POST" else None
    board = board_for(request, current_board(shown_boards(challenge)))
    return change_page(
        request,
        challenge,
        lambda: TasksForm(challenge, data, request.FILES),
        part="tasks",
        further={"clustering": clustering_text(board)},
    )
