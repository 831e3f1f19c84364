"""The routes of `/api/v1/`. Their names begin with `api:`."""

from __future__ import annotations

from django.urls import URLPattern, path

from leaderboard.api.views.admission import (
    AttemptAdmissionView,
    DecisionsView,
    ReviewView,
    RulesView,
)
from leaderboard.api.views.announcements import AnnouncementListView, AnnouncementView
from leaderboard.api.views.arena import ArenaView, VoteListView
from leaderboard.api.views.attempt_actions import (
    CancelView,
    RestoreView,
    RetryView,
    WithdrawView,
)
from leaderboard.api.views.attempts import AttemptListView, AttemptView
from leaderboard.api.views.boards import LeaderboardView, StandingView
from leaderboard.api.views.bulk import BulkView
from leaderboard.api.views.challenges import (
    ChallengeListView,
    ChallengeView,
    PublishView,
    RescoreView,
)
from leaderboard.api.views.code import CodeView
from leaderboard.api.views.compare import CompareView
from leaderboard.api.views.competition.choices import ChoiceView
from leaderboard.api.views.competition.disqualifications import AppealView, DisqualificationView
from leaderboard.api.views.competition.grades import GradesCsvView, GradesWorkbookView
from leaderboard.api.views.competition.grants import GrantListView, GrantView
from leaderboard.api.views.competition.organisers import OrganiserListView, OrganiserView
from leaderboard.api.views.competition.quotas import QuotaView
from leaderboard.api.views.competition.registrations import (
    RegistrationDecisionView,
    RegistrationListView,
    RegistrationRulesView,
    RegistrationsCsvView,
    RegistrationView,
)
from leaderboard.api.views.competition.row_kinds import RowKindView
from leaderboard.api.views.competition.submitted import AttemptsZipView, OutputsView
from leaderboard.api.views.competition.team_merges import TeamMergeRequestView, TeamMergeView
from leaderboard.api.views.competition.teams import (
    TeamJoinView,
    TeamLinksView,
    TeamMemberView,
    TeamView,
)
from leaderboard.api.views.competition.waiting_members import WaitingMembersView, WaitingMemberView
from leaderboard.api.views.device import DeviceTokenView, DeviceView
from leaderboard.api.views.drafts import ChecklistView, SampleView
from leaderboard.api.views.events import EventListView
from leaderboard.api.views.examples import ExampleView
from leaderboard.api.views.files.bundles import BundlesView
from leaderboard.api.views.files.evidence import EvidenceFileView, EvidenceListView
from leaderboard.api.views.files.exchange import ExchangeView, ExportListView
from leaderboard.api.views.files.exports import FORMATS, file_view
from leaderboard.api.views.files.files import (
    AttemptFileView,
    AttemptLogView,
    ChallengeFilesView,
    ChallengeFileView,
)
from leaderboard.api.views.files.folder import FolderSchemaView, FolderView
from leaderboard.api.views.files.imports import ImportJobView, ImportsView, RegistriesView
from leaderboard.api.views.files.outputs import LogView, OutputView
from leaderboard.api.views.files.own_plugins import OtherPluginsView, OwnPluginsView
from leaderboard.api.views.files.references import InstancesView, ReferencesView
from leaderboard.api.views.files.tasks import TasksView
from leaderboard.api.views.files.uploads import UploadListView, UploadView
from leaderboard.api.views.gate import GateView
from leaderboard.api.views.labels import LabelListView
from leaderboard.api.views.marks import AnnotationListView, AnnotationView, VerificationView
from leaderboard.api.views.me import MeView
from leaderboard.api.views.notices import NoticeListView, NoticesReadView
from leaderboard.api.views.phases import AdvanceView, ConfirmEndView, RevealView
from leaderboard.api.views.plugins import PluginsView
from leaderboard.api.views.webhooks import (
    WebhookDeliveriesView,
    WebhookListView,
    WebhookPingView,
    WebhookReplayView,
    WebhookRotateView,
    WebhookView,
)

app_name = "api"
CHALLENGE = "challenges/<slug:slug>"

urlpatterns: list[URLPattern] = [
    path("bundles/", BundlesView.as_view(), name="bundles"),
    path("device/", DeviceView.as_view(), name="device"),
    path("device/token/", DeviceTokenView.as_view(), name="device-token"),
    path("challenge.schema.json", FolderSchemaView.as_view(), name="folder-schema"),
    path("me/", MeView.as_view(), name="me"),
    path("notices/", NoticeListView.as_view(), name="notices"),
    path("notices/read/", NoticesReadView.as_view(), name="notices-read"),
    path("challenges/", ChallengeListView.as_view(), name="challenges"),
    path(f"{CHALLENGE}/", ChallengeView.as_view(), name="challenge"),
    path(f"{CHALLENGE}/attempts/", AttemptListView.as_view(), name="attempts"),
    path(f"{CHALLENGE}/attempts/bulk/", BulkView.as_view(), name="bulk"),
    path(f"{CHALLENGE}/imports/", ImportsView.as_view(), name="imports"),
    path(f"{CHALLENGE}/imports/<uuid:pk>/", ImportJobView.as_view(), name="import-job"),
    path(f"{CHALLENGE}/instances.jsonl", InstancesView.as_view(), name="instances"),
    path(f"{CHALLENGE}/example.json", ExampleView.as_view(), name="example"),
    path(f"{CHALLENGE}/references/", ReferencesView.as_view(), name="references"),
    path(f"{CHALLENGE}/files/", ChallengeFilesView.as_view(), name="challenge-files"),
    path(f"{CHALLENGE}/leaderboard/", LeaderboardView.as_view(), name="leaderboard"),
    *(
        path(
            f"{CHALLENGE}/leaderboard.{file_format.ending}",
            file_view(file_format).as_view(),
            name=file_format.name,
        )
        for file_format in FORMATS
    ),
    path(f"{CHALLENGE}/exports/", ExportListView.as_view(), name="exchange-formats"),
    path(f"{CHALLENGE}/exports/<slug:key>/", ExchangeView.as_view(), name="exchange"),
    path(f"{CHALLENGE}/standings/<slug:participant>/", StandingView.as_view(), name="standing"),
    path(f"{CHALLENGE}/compare/", CompareView.as_view(), name="compare"),
    path(f"{CHALLENGE}/folder/", FolderView.as_view(), name="folder"),
    path(f"{CHALLENGE}/gate/", GateView.as_view(), name="gate"),
    path(f"{CHALLENGE}/quota/", QuotaView.as_view(), name="quota"),
    path(f"{CHALLENGE}/code/", CodeView.as_view(), name="code"),
    path(f"{CHALLENGE}/plugins/", OwnPluginsView.as_view(), name="challenge-plugins"),
    path(
        f"{CHALLENGE}/plugins/others/",
        OtherPluginsView.as_view(),
        name="challenge-plugins-others",
    ),
    path(f"{CHALLENGE}/registration/", RegistrationView.as_view(), name="registration"),
    path(
        f"{CHALLENGE}/registration/rules/",
        RegistrationRulesView.as_view(),
        name="registration-rules",
    ),
    path(f"{CHALLENGE}/attempts.zip", AttemptsZipView.as_view(), name="attempts-zip"),
    path(f"{CHALLENGE}/grades.csv", GradesCsvView.as_view(), name="grades-csv"),
    path(f"{CHALLENGE}/grades.xlsx", GradesWorkbookView.as_view(), name="grades-xlsx"),
    path(f"{CHALLENGE}/registrations/", RegistrationListView.as_view(), name="registrations"),
    path(
        f"{CHALLENGE}/registrations.csv", RegistrationsCsvView.as_view(), name="registrations-csv"
    ),
    path(
        f"{CHALLENGE}/registrations/<slug:participant>/",
        RegistrationDecisionView.as_view(),
        name="registration-decision",
    ),
    path(
        f"{CHALLENGE}/registrations/<slug:participant>/disqualification/",
        DisqualificationView.as_view(),
        name="disqualification",
    ),
    path(
        f"{CHALLENGE}/registrations/<slug:participant>/row/",
        RowKindView.as_view(),
        name="row-kind",
    ),
    path(f"{CHALLENGE}/waiting-members/", WaitingMembersView.as_view(), name="waiting-members"),
    path(
        f"{CHALLENGE}/waiting-members/<str:username>/",
        WaitingMemberView.as_view(),
        name="waiting-member",
    ),
    path(f"{CHALLENGE}/registration/appeal/", AppealView.as_view(), name="appeal"),
    path(f"{CHALLENGE}/phases/<slug:phase>/reveal/", RevealView.as_view(), name="reveal"),
    path(f"{CHALLENGE}/checklist/", ChecklistView.as_view(), name="checklist"),
    path(
        f"{CHALLENGE}/phases/<slug:phase>/confirm-end/",
        ConfirmEndView.as_view(),
        name="confirm-end",
    ),
    path(f"{CHALLENGE}/phases/<slug:phase>/advance/", AdvanceView.as_view(), name="advance"),
    path(f"{CHALLENGE}/publish/", PublishView.as_view(), name="publish"),
    path(f"{CHALLENGE}/sample/", SampleView.as_view(), name="sample"),
    path(f"{CHALLENGE}/rescore/", RescoreView.as_view(), name="rescore"),
    path(f"{CHALLENGE}/webhooks/", WebhookListView.as_view(), name="webhooks"),
    path(f"{CHALLENGE}/webhooks/<uuid:pk>/", WebhookView.as_view(), name="webhook"),
    path(f"{CHALLENGE}/webhooks/<uuid:pk>/ping/", WebhookPingView.as_view(), name="webhook-ping"),
    path(
        f"{CHALLENGE}/webhooks/<uuid:pk>/rotate/",
        WebhookRotateView.as_view(),
        name="webhook-rotate",
    ),
    path(
        f"{CHALLENGE}/webhooks/<uuid:pk>/deliveries/",
        WebhookDeliveriesView.as_view(),
        name="webhook-deliveries",
    ),
    path(
        f"{CHALLENGE}/webhooks/<uuid:pk>/deliveries/<uuid:delivery>/replay/",
        WebhookReplayView.as_view(),
        name="webhook-replay",
    ),
    path(f"{CHALLENGE}/events/", EventListView.as_view(), name="events"),
    path(f"{CHALLENGE}/announcements/", AnnouncementListView.as_view(), name="announcements"),
    path(f"{CHALLENGE}/announcements/<uuid:pk>/", AnnouncementView.as_view(), name="announcement"),
    path(f"{CHALLENGE}/arena/", ArenaView.as_view(), name="arena"),
    path(f"{CHALLENGE}/votes/", VoteListView.as_view(), name="votes"),
    path(f"{CHALLENGE}/grants/", GrantListView.as_view(), name="grants"),
    path(f"{CHALLENGE}/grants/<int:pk>/", GrantView.as_view(), name="grant"),
    path(f"{CHALLENGE}/organisers/", OrganiserListView.as_view(), name="organisers"),
    path(f"{CHALLENGE}/organisers/<str:username>/", OrganiserView.as_view(), name="organiser"),
    path(f"{CHALLENGE}/team/", TeamView.as_view(), name="team"),
    path(f"{CHALLENGE}/team/links/", TeamLinksView.as_view(), name="team-links"),
    path(f"{CHALLENGE}/team/join/", TeamJoinView.as_view(), name="team-join"),
    path(f"{CHALLENGE}/team/merge/", TeamMergeView.as_view(), name="team-merge"),
    path(
        f"{CHALLENGE}/team/merges/<slug:participant>/",
        TeamMergeRequestView.as_view(),
        name="team-merge-request",
    ),
    path(f"{CHALLENGE}/team/members/<str:username>/", TeamMemberView.as_view(), name="team-member"),
    path("attempts/<uuid:pk>/", AttemptView.as_view(), name="attempt"),
    path(f"{CHALLENGE}/admission/", RulesView.as_view(), name="admission"),
    path(f"{CHALLENGE}/review/", ReviewView.as_view(), name="review"),
    path("attempts/<uuid:pk>/admission/", AttemptAdmissionView.as_view(), name="attempt-admission"),
    path("attempts/<uuid:pk>/evidence/", EvidenceListView.as_view(), name="evidence"),
    path(
        "attempts/<uuid:pk>/evidence/<int:number>/",
        EvidenceFileView.as_view(),
        name="evidence-file",
    ),
    path("attempts/<uuid:pk>/decisions/", DecisionsView.as_view(), name="attempt-decisions"),
    path("attempts/<uuid:pk>/cancel/", CancelView.as_view(), name="attempt-cancel"),
    path("attempts/<uuid:pk>/withdraw/", WithdrawView.as_view(), name="attempt-withdraw"),
    path("attempts/<uuid:pk>/restore/", RestoreView.as_view(), name="attempt-restore"),
    path("attempts/<uuid:pk>/retry/", RetryView.as_view(), name="attempt-retry"),
    path("attempts/<uuid:pk>/labels/", LabelListView.as_view(), name="attempt-labels"),
    path(
        "attempts/<uuid:pk>/verification/", VerificationView.as_view(), name="attempt-verification"
    ),
    path("attempts/<uuid:pk>/choice/", ChoiceView.as_view(), name="attempt-choice"),
    path("attempts/<uuid:pk>/annotations/", AnnotationListView.as_view(), name="annotations"),
    path(
        "attempts/<uuid:pk>/annotations/<uuid:annotation>/",
        AnnotationView.as_view(),
        name="annotation",
    ),
    path("attempts/<uuid:pk>/outputs.jsonl", OutputsView.as_view(), name="outputs"),
    path("attempts/<uuid:pk>/file/", AttemptFileView.as_view(), name="attempt-file"),
    path("attempts/<uuid:pk>/log/", AttemptLogView.as_view(), name="attempt-log"),
    path("files/<int:pk>/", ChallengeFileView.as_view(), name="challenge-file"),
    path("attempts/<uuid:pk>/output.json", OutputView.as_view(), name="output"),
    path("attempts/<uuid:pk>/log.jsonl", LogView.as_view(), name="log"),
    path("attempts/<uuid:pk>/tasks.json", TasksView.as_view(), name="tasks"),
    path("uploads/", UploadListView.as_view(), name="uploads"),
    path("uploads/<uuid:pk>/", UploadView.as_view(), name="upload"),
    path("registries/", RegistriesView.as_view(), name="registries"),
    path("plugins/", PluginsView.as_view(), name="plugins"),
]
