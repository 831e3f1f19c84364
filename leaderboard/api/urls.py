"""Where the paths of `/api/v1/` lead. Their names begin with `api:`."""

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

app_name = "api"
CHALLENGE = "challenges/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path("challenges/", ChallengeListView.as_view(), name="challenges"),
    path(f"{CHALLENGE}/", ChallengeView.as_view(), name="challenge"),
    path(f"{CHALLENGE}/attempts/", AttemptListView.as_view(), name="attempts"),
    path(f"{CHALLENGE}/attempts/bulk/", BulkView.as_view(), name="bulk"),
    path(f"{CHALLENGE}/imports/", ImportsView.as_view(), name="imports"),
    path(f"{CHALLENGE}/instances.jsonl", InstancesView.as_view(), name="instances"),
    path(f"{CHALLENGE}/example.json", ExampleView.as_view(), name="example"),
    path(f"{CHALLENGE}/references/", ReferencesView.as_view(), name="references"),
    path(f"{CHALLENGE}/leaderboard/", LeaderboardView.as_view(), name="leaderboard"),
    path(f"{CHALLENGE}/leaderboard.csv", CsvView.as_view(), name="csv"),
    path(f"{CHALLENGE}/leaderboard.jsonl", JsonlView.as_view(), name="jsonl"),
    path(f"{CHALLENGE}/standings/<slug:participant>/", StandingView.as_view(), name="standing"),
    path(f"{CHALLENGE}/code/", CodeView.as_view(), name="code"),
    path(f"{CHALLENGE}/rescore/", RescoreView.as_view(), name="rescore"),
    path("attempts/<uuid:pk>/", AttemptView.as_view(), name="attempt"),
    path("attempts/<uuid:pk>/output.json", OutputView.as_view(), name="output"),
    path("attempts/<uuid:pk>/log.jsonl", LogView.as_view(), name="log"),
    path("attempts/<uuid:pk>/tasks.json", TasksView.as_view(), name="tasks"),
    path("registries/", RegistriesView.as_view(), name="registries"),
    path("plugins/", PluginsView.as_view(), name="plugins"),
]
