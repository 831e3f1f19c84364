"""Where the paths of `/api/v1/` lead."""

from __future__ import annotations

from django.urls import URLPattern, path

from leaderboard.api.views.attempts import AttemptListView, AttemptView
from leaderboard.api.views.boards import CsvView, JsonlView, LeaderboardView, StandingView
from leaderboard.api.views.bulk import BulkView
from leaderboard.api.views.challenges import ChallengeListView, ChallengeView, RescoreView
from leaderboard.api.views.code import CodeView
from leaderboard.api.views.examples import ExampleView
from leaderboard.api.views.imports import ImportsView, RegistriesView
from leaderboard.api.views.outputs import LogView, OutputView
from leaderboard.api.views.plugins import PluginsView
from leaderboard.api.views.references import InstancesView, ReferencesView
from leaderboard.api.views.tasks import TasksView

CHALLENGE = "challenges/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path("challenges/", ChallengeListView.as_view()),
    path(f"{CHALLENGE}/", ChallengeView.as_view()),
    path(f"{CHALLENGE}/attempts/", AttemptListView.as_view()),
    path(f"{CHALLENGE}/attempts/bulk/", BulkView.as_view()),
    path(f"{CHALLENGE}/imports/", ImportsView.as_view()),
    path(f"{CHALLENGE}/instances.jsonl", InstancesView.as_view()),
    path(f"{CHALLENGE}/example.json", ExampleView.as_view()),
    path(f"{CHALLENGE}/references/", ReferencesView.as_view()),
    path(f"{CHALLENGE}/leaderboard/", LeaderboardView.as_view()),
    path(f"{CHALLENGE}/leaderboard.csv", CsvView.as_view()),
    path(f"{CHALLENGE}/leaderboard.jsonl", JsonlView.as_view()),
    path(f"{CHALLENGE}/standings/<slug:participant>/", StandingView.as_view()),
    path(f"{CHALLENGE}/code/", CodeView.as_view()),
    path(f"{CHALLENGE}/rescore/", RescoreView.as_view()),
    path("attempts/<uuid:pk>/", AttemptView.as_view()),
    path("attempts/<uuid:pk>/output.json", OutputView.as_view()),
    path("attempts/<uuid:pk>/log.jsonl", LogView.as_view()),
    path("attempts/<uuid:pk>/tasks.json", TasksView.as_view()),
    path("registries/", RegistriesView.as_view()),
    path("plugins/", PluginsView.as_view()),
]
