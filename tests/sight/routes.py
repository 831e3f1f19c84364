"""Which addresses show what of a challenge: every route of the site is in one of these tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tests.sight.world import WITH_ROLES

SHOWS: Final[Mapping[str, tuple[str, ...]]] = {
    # What an address shows where nothing is hidden.
    "api:leaderboard": ("name", "score", "attempt"),
    "api:csv": ("name", "score", "attempt"),
    "api:json": ("name", "score", "attempt"),
    "api:jsonl": ("name", "score", "attempt"),
    "api:markdown": ("name", "score"),
    "api:parquet": ("name", "score", "attempt"),
    "api:standing": ("name", "score", "attempt"),
    "board": ("name", "score", "attempt"),
    "tradeoff": ("name", "score"),
    "what-if": ("name", "score"),
    "progress": ("name", "score", "attempt"),
    "compare": ("name", "score"),
    "api:exchange": ("name", "score", "attempt"),
    "api:arena": ("name",),
    "arena": ("name",),
    "api:events": ("attempt", "score"),
    "event-log": ("attempt", "score"),
    "tasks": ("name", "score"),
    "api:attempts": ("name", "score", "attempt", "note"),
    "api:attempt": ("name", "score", "attempt", "note"),
    "attempt": ("name", "score", "attempt", "note", "evidence"),
    "participant": ("name", "score", "attempt"),
    "api:tasks": ("evidence",),
    "api:output": ("text",),
    "api:log": ("text",),
    "challenges": ("name", "score"),
    "badge": ("score",),
    "embed": ("name", "score"),
    "feed": ("name", "score", "attempt"),
}
ROWS: Final = {
    "api:leaderboard",
    "api:csv",
    "api:json",
    "api:jsonl",
    "api:markdown",
    "api:parquet",
    "board",
    "tradeoff",
    "progress",
    "compare",
    "embed",
    "feed",
}
WHOLE: Final = {"what-if", "api:exchange", "api:arena", "arena"}
"""They show all rows of a board, or none."""
LOGS: Final = {"api:events", "event-log"}
SEES_ALL: Final = ("organiser", *WITH_ROLES)
AS_ANYONE: Final = {"badge", "embed", "feed", "event-log"}
"""They show to every reader what they show to anyone, because other sites show them to all."""
SHOWS_NO_RESULTS: Final = {
    # They show neither scores nor attempts, or only organisers reach them. So do those that refuse
    # GET, which are not named here.
    "api:annotations",
    "api:announcements",
    "api:admission",
    "api:attempt-admission",
    "api:attempt-labels",
    # For attempts with evidence; `tests/api/attempts/test_evidence.py` says who reads it.
    "api:evidence",
    "api:evidence-file",
    "evidence",
    "evidence-file",
    # For attempts with a file; `tests/api/attempts/test_predictions.py` says who reads it, and
    # `tests/pages/manage/test_program.py` who reads its log.
    "api:attempt-file",
    "api:attempt-log",
    "api:challenge",
    "api:challenge-file",
    "api:challenge-files",
    "api:challenge-plugins",
    "api:challenge-plugins-others",
    "api:challenges",
    "api:code",
    # They compare two attempts: see `tests/api/attempts/test_programs.py`.
    "api:compare",
    "api:folder",
    "api:example",
    "api:exchange-formats",
    "api:grants",
    "api:import-job",
    "api:instances",
    "api:organisers",
    "api:quota",
    "api:review",
    "api:registration",
    "api:registration-rules",
    "api:registrations",
    "api:registrations-csv",
    "api:waiting-members",
    # Files for organisers alone.
    "api:attempts-zip",
    "api:grades-csv",
    "api:grades-xlsx",
    # For attempts with outputs; `tests/api/attempts/test_submitted.py` says who reads them.
    "api:outputs",
    "api:checklist",
    "api:team",
    # Its owner's; nobody has begun one.
    "api:upload",
    # One webhook.
    "api:webhook-deliveries",
    "api:webhooks",
    # Nobody votes here; `tests/api/competition/test_arenas.py` says which outputs voters compare.
    "arena-vote",
    # `tests/pages/board/test_live.py` reads what it tells of hidden changes.
    "board-version",
    "challenge-announcements",
    "challenge-people",
    "hand-out",
    "import",
    "import-job",
    "labels",
    "manage",
    # A picture; `test_sharing.py` reads the drawing that it is made from.
    "og-picture",
    "manage-admission",
    "manage-announcements",
    "manage-extra",
    "manage-files",
    "manage-log",
    "manage-metrics",
    "manage-organisers",
    "manage-phases",
    "manage-plugins",
    "manage-program",
    "manage-references",
    "manage-registration",
    "manage-attempts",
    "manage-rules",
    # Without the name of a script it is not found.
    "manage-script",
    "manage-settings",
    "manage-split",
    "manage-tasks",
    "manage-truth",
    "manage-webhooks",
    "register",
    "reveal",
    "review",
    "rules",
    "submit",
    "submit-token",
    # Without the name of a task it is not found; `test_analysis.py` reads it with one.
    "task",
    "team",
}
ACCOUNTS: Final = {"mfa_edit_webauthn", "mfa_remove_webauthn", "notice", "people-link-end"}
"""Keys, links and notices of accounts, which have an id in their address as well."""
