"""The routes of the pages. The URL contains the whole state of a view."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from leaderboard.pages.account import account_page, token_revoke
from leaderboard.pages.attempt import attempt_page
from leaderboard.pages.attempt_actions import DONE, attempt_action
from leaderboard.pages.attempt_choice import attempt_choice
from leaderboard.pages.attempt_marks import attempt_annotations, attempt_verification
from leaderboard.pages.board import challenge_board
from leaderboard.pages.challenge_people import challenge_people
from leaderboard.pages.challenges import challenge_list
from leaderboard.pages.code import code_decision
from leaderboard.pages.imports import import_page
from leaderboard.pages.manage.announcements import (
    challenge_announcements,
    manage_announcements,
)
from leaderboard.pages.manage.attempts import manage_attempts
from leaderboard.pages.manage.extra import manage_extra
from leaderboard.pages.manage.log import manage_log
from leaderboard.pages.manage.organisers import manage_organisers
from leaderboard.pages.manage.overview import manage_overview
from leaderboard.pages.manage.phases import manage_phases
from leaderboard.pages.manage.publish import copy, publish, sample
from leaderboard.pages.manage.registration import manage_registration
from leaderboard.pages.manage.rules import manage_rules
from leaderboard.pages.new.page import new_challenge
from leaderboard.pages.participant import participant_page
from leaderboard.pages.plugins import plugin_list
from leaderboard.pages.registration import register_page
from leaderboard.pages.reveal import reveal_page
from leaderboard.pages.rules import challenge_rules
from leaderboard.pages.status import status_page
from leaderboard.pages.submit import submit_page
from leaderboard.pages.team import team_page

urlpatterns: list[URLPattern | URLResolver] = [
    path("", challenge_list, name="challenges"),
    path("new/", new_challenge, name="new"),
    path("c/<slug:slug>/", challenge_board, name="board"),
    path("c/<slug:slug>/rules/", challenge_rules, name="rules"),
    path("c/<slug:slug>/code/", code_decision, name="code"),
    path("c/<slug:slug>/manage/", manage_overview, name="manage"),
    path("c/<slug:slug>/announcements/", challenge_announcements, name="challenge-announcements"),
    path(
        "c/<slug:slug>/manage/announcements/",
        manage_announcements,
        name="manage-announcements",
    ),
    path("c/<slug:slug>/manage/extra/", manage_extra, name="manage-extra"),
    path("c/<slug:slug>/manage/log/", manage_log, name="manage-log"),
    path("c/<slug:slug>/manage/attempts/", manage_attempts, name="manage-attempts"),
    path("c/<slug:slug>/manage/organisers/", manage_organisers, name="manage-organisers"),
    path("c/<slug:slug>/manage/phases/", manage_phases, name="manage-phases"),
    path("c/<slug:slug>/manage/copy/", copy, name="copy"),
    path("c/<slug:slug>/manage/publish/", publish, name="publish"),
    path("c/<slug:slug>/manage/registration/", manage_registration, name="manage-registration"),
    path("c/<slug:slug>/manage/rules/", manage_rules, name="manage-rules"),
    path("c/<slug:slug>/manage/sample/", sample, name="sample"),
    path("c/<slug:slug>/people/", challenge_people, name="challenge-people"),
    path("c/<slug:slug>/register/", register_page, name="register"),
    path("c/<slug:slug>/reveal/", reveal_page, name="reveal"),
    path("c/<slug:slug>/submit/", submit_page, name="submit"),
    path("c/<slug:slug>/submit/file/", import_page, name="import"),
    path("c/<slug:slug>/p/<slug:participant>/", participant_page, name="participant"),
    path("c/<slug:slug>/team/", team_page, name="team"),
    path("attempts/<uuid:pk>/", attempt_page, name="attempt"),
    *(
        path(
            f"attempts/<uuid:pk>/{action}/",
            attempt_action,
            {"action": action},
            name=f"attempt-{action}",
        )
        for action in DONE
    ),
    path("attempts/<uuid:pk>/verification/", attempt_verification, name="attempt-verification"),
    path("attempts/<uuid:pk>/choice/", attempt_choice, name="attempt-choice"),
    path("attempts/<uuid:pk>/annotations/", attempt_annotations, name="attempt-annotations"),
    path("plugins/", plugin_list, name="plugins"),
    path("status/", status_page, name="status"),
    path("account/", account_page, name="account"),
    path("account/tokens/<str:key>/revoke/", token_revoke, name="token-revoke"),
    path("", include("leaderboard.pages.accounts.urls")),
]
