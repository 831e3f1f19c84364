"""The tables of the database, one model per file."""

from leaderboard.models.announcement import Announcement
from leaderboard.models.api_token import ApiToken
from leaderboard.models.attempt import Attempt
from leaderboard.models.attempt_verdict import AttemptVerdict
from leaderboard.models.audit_entry import AuditEntry
from leaderboard.models.blocked_board import BlockedBoard
from leaderboard.models.board import Board
from leaderboard.models.board_certainty import BoardCertainty
from leaderboard.models.bucket import Bucket
from leaderboard.models.challenge import Challenge
from leaderboard.models.challenge_file import ChallengeFile
from leaderboard.models.challenge_role import ChallengeRole
from leaderboard.models.condition_set import ConditionSet
from leaderboard.models.decision import Decision
from leaderboard.models.edition import Edition
from leaderboard.models.evaluation import Evaluation, InstanceBlock
from leaderboard.models.event import Event, EventLog, LogAnchor
from leaderboard.models.evidence import Evidence
from leaderboard.models.evidence_file import EvidenceFile
from leaderboard.models.former_name import FormerName
from leaderboard.models.human_label import HumanLabel
from leaderboard.models.import_job import ImportJob
from leaderboard.models.letter import Letter
from leaderboard.models.mark import Annotation, Verification
from leaderboard.models.metric_run import MetricRun, ResultBlock
from leaderboard.models.notice import Notice
from leaderboard.models.one_time_link import OneTimeLink
from leaderboard.models.outgoing_mail import OutgoingMail
from leaderboard.models.participant import Participant
from leaderboard.models.phase import Phase
from leaderboard.models.program_run import ProgramRun
from leaderboard.models.public_rank import PublicRank
from leaderboard.models.quota import AccountUse, Grant, QuotaUse
from leaderboard.models.references import ReferenceBlock, References
from leaderboard.models.registration import Entry, Registration, RegistrationRules
from leaderboard.models.rescore_slice import RescoreSlice
from leaderboard.models.reserved_name import ReservedName
from leaderboard.models.run_facts import RunFacts
from leaderboard.models.sample_print import SamplePrint
from leaderboard.models.score import Score
from leaderboard.models.scoring_config import ScoringConfig
from leaderboard.models.site_look import SiteLook
from leaderboard.models.standing import Standing
from leaderboard.models.submitted_file import SubmittedFile
from leaderboard.models.tally import Tally
from leaderboard.models.team_merge import AskedMerge, TeamMerge
from leaderboard.models.tenant import Membership, Tenant
from leaderboard.models.truth import Truth
from leaderboard.models.upload import UploadInPieces
from leaderboard.models.user import User
from leaderboard.models.vote import Arena, Vote
from leaderboard.models.webhook import Webhook, WebhookDelivery, WebhookPlace
from leaderboard.models.worker import Worker

__all__ = [
    "AccountUse",
    "Annotation",
    "Announcement",
    "ApiToken",
    "Arena",
    "AskedMerge",
    "Attempt",
    "AttemptVerdict",
    "AuditEntry",
    "BlockedBoard",
    "Board",
    "BoardCertainty",
    "Bucket",
    "Challenge",
    "ChallengeFile",
    "ChallengeRole",
    "ConditionSet",
    "Decision",
    "Edition",
    "Entry",
    "Evaluation",
    "Event",
    "EventLog",
    "Evidence",
    "EvidenceFile",
    "FormerName",
    "Grant",
    "HumanLabel",
    "ImportJob",
    "InstanceBlock",
    "Letter",
    "LogAnchor",
    "Membership",
    "MetricRun",
    "Notice",
    "OneTimeLink",
    "OutgoingMail",
    "Participant",
    "Phase",
    "ProgramRun",
    "PublicRank",
    "QuotaUse",
    "ReferenceBlock",
    "References",
    "Registration",
    "RegistrationRules",
    "RescoreSlice",
    "ReservedName",
    "ResultBlock",
    "RunFacts",
    "SamplePrint",
    "Score",
    "ScoringConfig",
    "SiteLook",
    "Standing",
    "SubmittedFile",
    "Tally",
    "TeamMerge",
    "Tenant",
    "Truth",
    "UploadInPieces",
    "User",
    "Verification",
    "Vote",
    "Webhook",
    "WebhookDelivery",
    "WebhookPlace",
    "Worker",
]
