"""Where the pages are. The state of a view is its URL."""

from __future__ import annotations

from django.contrib.auth import views as auth
from django.urls import URLPattern, path, reverse_lazy

from leaderboard.pages.account import account_page, token_revoke
from leaderboard.pages.attempt import attempt_page
from leaderboard.pages.board import challenge_board
from leaderboard.pages.challenges import challenge_list
from leaderboard.pages.code import code_decision
from leaderboard.pages.imports import import_page
from leaderboard.pages.participant import participant_page
from leaderboard.pages.plugins import plugin_list
from leaderboard.pages.rules import challenge_rules
from leaderboard.pages.status import status_page
from leaderboard.pages.submit import submit_page

_sign_in = auth.LoginView.as_view(
    template_name="pages/sign_in.html", redirect_authenticated_user=True
)
_password = auth.PasswordChangeView.as_view(
    template_name="pages/password.html", success_url=reverse_lazy("account")
)

urlpatterns: list[URLPattern] = [
    path("", challenge_list, name="challenges"),
    path("c/<slug:slug>/", challenge_board, name="board"),
    path("c/<slug:slug>/rules/", challenge_rules, name="rules"),
    path("c/<slug:slug>/code/", code_decision, name="code"),
    path("c/<slug:slug>/submit/", submit_page, name="submit"),
    path("c/<slug:slug>/submit/file/", import_page, name="import"),
    path("c/<slug:slug>/p/<slug:participant>/", participant_page, name="participant"),
    path("attempts/<uuid:pk>/", attempt_page, name="attempt"),
    path("plugins/", plugin_list, name="plugins"),
    path("status/", status_page, name="status"),
    path("account/", account_page, name="account"),
    path("account/tokens/<str:key>/revoke/", token_revoke, name="token-revoke"),
    path("account/password/", _password, name="password"),
    path("sign-in/", _sign_in, name="login"),
    path("sign-out/", auth.LogoutView.as_view(), name="logout"),
]
