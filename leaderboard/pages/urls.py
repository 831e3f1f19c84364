"""The routes of the pages. The URL contains the whole state of a view."""

from __future__ import annotations

from django.urls import URLPattern, URLResolver, include, path

from leaderboard.pages.accounts.tokens import account_page, role_leave, token_revoke
from leaderboard.pages.analysis.compare import compare_page
from leaderboard.pages.analysis.progress import progress_page
from leaderboard.pages.analysis.task import board_task_page
from leaderboard.pages.analysis.tasks import board_tasks_page
from leaderboard.pages.analysis.tradeoff import tradeoff_page
from leaderboard.pages.analysis.what_if import what_if_page
from leaderboard.pages.arena.page import arena_page, send_votes
from leaderboard.pages.arena.voting import vote_page
from leaderboard.pages.attempt.actions import DONE, attempt_action
from leaderboard.pages.attempt.admission import attempt_decisions
from leaderboard.pages.attempt.choice import attempt_choice
from leaderboard.pages.attempt.evidence import evidence_page
from leaderboard.pages.attempt.evidence_file import evidence_file_page
from leaderboard.pages.attempt.marks import attempt_annotations, attempt_verification
from leaderboard.pages.attempt.page import attempt_page
from leaderboard.pages.board.announcements import (
    challenge_announcements,
    manage_announcements,
)
from leaderboard.pages.board.code_notice import code_decision
from leaderboard.pages.board.live import board_version
from leaderboard.pages.board.page import challenge_board
from leaderboard.pages.challenges.list import challenge_list
from leaderboard.pages.challenges.reveal import reveal_page
from leaderboard.pages.challenges.rules import challenge_rules
from leaderboard.pages.challenges.search import search_page
from leaderboard.pages.manage.admission import manage_admission
from leaderboard.pages.manage.attempts import manage_attempts
from leaderboard.pages.manage.extra import manage_extra
from leaderboard.pages.manage.files import manage_files
from leaderboard.pages.manage.hand_out import hand_out
from leaderboard.pages.manage.labels import labels_page
from leaderboard.pages.manage.log import manage_log
from leaderboard.pages.manage.metrics import manage_metrics
from leaderboard.pages.manage.organisers import manage_organisers
from leaderboard.pages.manage.overview import manage_overview
from leaderboard.pages.manage.own_plugins import manage_plugins
from leaderboard.pages.manage.phases import manage_phases
from leaderboard.pages.manage.program import manage_program
from leaderboard.pages.manage.publish import copy, publish, sample
from leaderboard.pages.manage.references import manage_references
from leaderboard.pages.manage.registration import manage_registration
from leaderboard.pages.manage.review import review_page
from leaderboard.pages.manage.rules import manage_rules
from leaderboard.pages.manage.script import manage_script
from leaderboard.pages.manage.settings import manage_settings
from leaderboard.pages.manage.split import manage_split
from leaderboard.pages.manage.tasks import manage_tasks
from leaderboard.pages.manage.truth import manage_truth
from leaderboard.pages.manage.webhooks import manage_webhooks
from leaderboard.pages.new.bundle import import_competition
from leaderboard.pages.new.page import new_challenge
from leaderboard.pages.participants.organisers_list import challenge_people
from leaderboard.pages.participants.page import participant_page
from leaderboard.pages.participants.registration import register_page
from leaderboard.pages.participants.team import team_page
from leaderboard.pages.plugins.catalogue import plugin_list
from leaderboard.pages.plugins.page import plugin_page
from leaderboard.pages.sharing.badge import participant_badge
from leaderboard.pages.sharing.crawlers import favicon, robots, sitemap
from leaderboard.pages.sharing.embedded_board import embedded_board
from leaderboard.pages.sharing.event_log import anchors, event_log
from leaderboard.pages.sharing.feeds import challenge_feed, site_feed
from leaderboard.pages.sharing.oembed import oembed
from leaderboard.pages.sharing.picture import board_picture
from leaderboard.pages.site.about import about_page
from leaderboard.pages.site.language_choice import choose_language
from leaderboard.pages.site.look import manage_site, site_colours, site_logo
from leaderboard.pages.site.status import status_page
from leaderboard.pages.site.themes import choose_theme
from leaderboard.pages.submit.file_page import import_page
from leaderboard.pages.submit.import_job import import_job_page
from leaderboard.pages.submit.page import submit_page, submit_token

urlpatterns: list[URLPattern | URLResolver] = [
    path("", challenge_list, name="challenges"),
    path("new/", new_challenge, name="new"),
    path("new/import/", import_competition, name="new-import"),
    path("search/", search_page, name="search"),
    path("about/", about_page, name="about"),
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
    path("c/<slug:slug>/manage/admission/", manage_admission, name="manage-admission"),
    path("c/<slug:slug>/review/", review_page, name="review"),
    path("c/<slug:slug>/labels/", labels_page, name="labels"),
    path("c/<slug:slug>/manage/extra/", manage_extra, name="manage-extra"),
    path("c/<slug:slug>/manage/hand-out/", hand_out, name="hand-out"),
    path("c/<slug:slug>/manage/log/", manage_log, name="manage-log"),
    path("c/<slug:slug>/manage/attempts/", manage_attempts, name="manage-attempts"),
    path("c/<slug:slug>/manage/webhooks/", manage_webhooks, name="manage-webhooks"),
    path("c/<slug:slug>/manage/organisers/", manage_organisers, name="manage-organisers"),
    path("c/<slug:slug>/manage/phases/", manage_phases, name="manage-phases"),
    path("c/<slug:slug>/manage/copy/", copy, name="copy"),
    path("c/<slug:slug>/manage/publish/", publish, name="publish"),
    path("c/<slug:slug>/manage/registration/", manage_registration, name="manage-registration"),
    path("c/<slug:slug>/manage/rules/", manage_rules, name="manage-rules"),
    path("c/<slug:slug>/manage/metrics/", manage_metrics, name="manage-metrics"),
    path("c/<slug:slug>/manage/program/", manage_program, name="manage-program"),
    path("c/<slug:slug>/manage/plugins/", manage_plugins, name="manage-plugins"),
    path("c/<slug:slug>/manage/script/", manage_script, name="manage-script"),
    path("c/<slug:slug>/manage/tasks/", manage_tasks, name="manage-tasks"),
    path("c/<slug:slug>/manage/split/", manage_split, name="manage-split"),
    path("c/<slug:slug>/manage/truth/", manage_truth, name="manage-truth"),
    path("c/<slug:slug>/manage/files/", manage_files, name="manage-files"),
    path("c/<slug:slug>/manage/references/", manage_references, name="manage-references"),
    path("c/<slug:slug>/manage/settings/", manage_settings, name="manage-settings"),
    path("c/<slug:slug>/manage/sample/", sample, name="sample"),
    path("c/<slug:slug>/people/", challenge_people, name="challenge-people"),
    path("c/<slug:slug>/progress/", progress_page, name="progress"),
    path("c/<slug:slug>/register/", register_page, name="register"),
    path("c/<slug:slug>/reveal/", reveal_page, name="reveal"),
    path("c/<slug:slug>/submit/", submit_page, name="submit"),
    path("c/<slug:slug>/submit/file/", import_page, name="import"),
    path("c/<slug:slug>/submit/token/", submit_token, name="submit-token"),
    path("c/<slug:slug>/submit/file/<uuid:pk>/", import_job_page, name="import-job"),
    path("c/<slug:slug>/p/<slug:participant>/", participant_page, name="participant"),
    path(
        "c/<slug:slug>/p/<slug:participant>/badge.svg",
        participant_badge,
        name="badge",
    ),
    path("c/<slug:slug>/og.png", board_picture, name="og-picture"),
    path("c/<slug:slug>/feed.atom", challenge_feed, name="feed"),
    path("c/<slug:slug>/log.jsonl", event_log, name="event-log"),
    path("log/anchors.json", anchors, name="anchors"),
    path("embed/c/<slug:slug>/", embedded_board, name="embed"),
    path("oembed/", oembed, name="oembed"),
    path("feed.atom", site_feed, name="site-feed"),
    path("robots.txt", robots, name="robots"),
    path("favicon.ico", favicon, name="favicon"),
    path("sitemap.xml", sitemap, name="sitemap"),
    path("c/<slug:slug>/arena/", arena_page, name="arena"),
    path("c/<slug:slug>/arena/vote/", vote_page, name="arena-vote"),
    path("c/<slug:slug>/arena/votes/", send_votes, name="arena-votes"),
    path("c/<slug:slug>/compare/", compare_page, name="compare"),
    path("c/<slug:slug>/version.json", board_version, name="board-version"),
    path("c/<slug:slug>/task/", board_task_page, name="task"),
    path("c/<slug:slug>/tasks/", board_tasks_page, name="tasks"),
    path("c/<slug:slug>/team/", team_page, name="team"),
    path("c/<slug:slug>/tradeoff/", tradeoff_page, name="tradeoff"),
    path("c/<slug:slug>/what-if/", what_if_page, name="what-if"),
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
    path("attempts/<uuid:pk>/decisions/", attempt_decisions, name="attempt-decisions"),
    path("attempts/<uuid:pk>/evidence/", evidence_page, name="evidence"),
    path("attempts/<uuid:pk>/evidence/<int:number>/", evidence_file_page, name="evidence-file"),
    path("attempts/<uuid:pk>/choice/", attempt_choice, name="attempt-choice"),
    path("attempts/<uuid:pk>/annotations/", attempt_annotations, name="attempt-annotations"),
    path("plugins/", plugin_list, name="plugins"),
    path("plugins/<str:entrypoint>/", plugin_page, name="plugin"),
    path("status/", status_page, name="status"),
    path("manage/site/", manage_site, name="manage-site"),
    path("site/colours.css", site_colours, name="site-colours"),
    path("site/logo", site_logo, name="site-logo"),
    path("theme/", choose_theme, name="theme"),
    path("language/", choose_language, name="language"),
    path("account/", account_page, name="account"),
    path("account/roles/<uuid:challenge>/leave/", role_leave, name="role-leave"),
    path("account/tokens/<str:key>/revoke/", token_revoke, name="token-revoke"),
    path("", include("leaderboard.pages.accounts.urls")),
]
