"""Texts that no catalogue has, because no page shows them, each with the reason."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

MARKS: Final = frozenset(
    {"_", "gettext", "gettext_lazy", "message", "ngettext", "ngettext_lazy", "counted"}
    | {"gettext_noop", "pgettext", "pgettext_lazy"}
)
"""The functions whose texts the catalogues collect."""
FOR_DEVELOPERS: Final = frozenset(
    {
        "Http404",
        "AssertionError",
        "BadRequest",
        "ValueError",
        "SandboxError",
        "OAuth2Error",
        "PyJWKSetError",
        "FrozenConfig",
        "ImproperlyConfigured",
        "JSONDecodeError",
        "NotCacheable",
        "PydanticCustomError",
        "RuntimeError",
    }
)
"""Errors that no page shows: their texts end in a log."""
STORED: Final = frozenset({"unusable"})
"""Calls whose texts workers store: why the answer of a program has no values."""
LOGGED: Final = frozenset({"debug", "info", "warning", "error", "exception"})
DOCUMENTED: Final = frozenset(
    {"choices", "description", "example", "examples", "help_text", "summary"}
)
"""What operations and fields say of themselves in the API's schema, which is English."""
DOCUMENTED_IN: Final = ("api/", "conditions/", "schemas/")
DOCUMENTS: Final = re.compile(r"EXAMPLES?$|_HELP$|^__doc__$")
"""Names of such descriptions and examples."""
SHOWN_IN_FORMS: Final = (
    "schemas/challenges.py",
    "schemas/phase_fields.py",
    "schemas/scoring.py",
)
"""Schemas whose descriptions pages show too."""

UNSHOWN_MODELS: Final = frozenset(
    {
        *("board", "board_certainty", "bucket", "challenge_role", "evaluation", "evidence"),
        *("blocked_board", "human_label", "import_job", "letter", "notice", "outgoing_mail"),
        *("condition_set", "event", "program_run", "run_facts", "sample_print"),
        *("site_look", "submitted_file", "truth", "upload", "vote", "webhook"),
        *("mark", "metric_run", "one_time_link", "public_rank", "references", "rescore_slice"),
        *("score", "scoring_columns", "scoring_config", "standing"),
        *("stored_value", "tally", "team_merge"),
    }
)
"""Modules of models that the admin does not have: only developers read their help and names."""
ENGLISH: Final = {
    "checks.py": "printed to the operator at the start",
    "columns/elapsed_ms.py": "units, which are the same in all languages",
    "bundles/reading/words.py": "a stored name",
    "cache/counters.py": "the name of a counter",
    "environment/database_url.py": "printed to the operator at the start",
    "environment/reading.py": "printed to the operator at the start",
    "environment/storage_url.py": "printed to the operator at the start",
    "exporters": "files, which are the same in all languages",
    "importers": "read by test_imports.py",
    "operating/logs.py": "logs",
    "management": "the output of commands",
    "migrations": "what the models said then",
    "monitoring": "logs and metrics of the operator",
    "operating/outages.py": "logs",
    "operating/sealing.py": "names of keys",
    "predictions/__init__.py": "a command",
    "programs/drivers": "stored by workers",
    "programs/reading/answers.py": "stored by workers",
    "rules/plugins/endings.py": "stored by workers",
    "rules/rewards/intervals.py": "stored by workers",
    "rules/texts/joiners.py": "names of characters",
    "rules/texts/mail_url.py": "printed to the operator at the start",
    "schemas/openid_providers.py": "printed to the operator at the start",
    "schemas/variables.py": "printed to the operator at the start",
    "rules/rewards/output_documents.py": "a document for programs",
    "rules/plugins/owners.py": "printed to the operator at the start",
    "rules/rewards/reductions.py": "stored by workers",
    "rules/plugins/results.py": "stored by workers",
    "rules/plugins/text_results.py": "stored by workers",
    "rules/texts/plugin_output.py": "stored by workers",
    "rules/texts/user_agents.py": "names of programs",
    "sandbox": "stored by workers, or reported to the operator",
    "database/session_limits.py": "statements for the database",
    "database/silent_database.py": "logs",
    "settings": "read by the operator",
    "api/descriptions.py": "descriptions in the API's schema",
    "api/files/board_table.py": "names of columns, which are the same in all languages",
    "api/files/exports.py": "files, which are the same in all languages",
    "api/serializers/board.py": "descriptions and examples in the API's schema",
    "api/serializers/code.py": "descriptions in the API's schema",
    "api/serializers/errors.py": "descriptions in the API's schema",
    "api/serializers/outputs.py": "a document for programs",
    "api/files/spreadsheets.py": "codes of languages",
    "api/views/health.py": "read by programs",
    "schemas/meta_fields.py": "names of fields of meta",
    "services/competition/organisers/provenance.py": "codes",
    "services/files/challenge_files.py": "an exception for the code",
    "services/operations": "commands and metrics of the operator",
    "services/events/verifying.py": "printed by verify_log",
    "services/programs/running.py": "stored by workers",
    "services/webhooks/deliver.py": "stored by workers",
    "services/webhooks/guarded.py": "stored by workers",
    "services/board/buckets.py": "printed by verify_standings",
    "services/board/standings/counting.py": "printed by verify_standings",
    "services/accounts/erase.py": "a stored name",
    "services/competition/participants/people_columns.py": "headings in several languages",
    "services/competition/visible/access.py": "a name, the same for all readers",
    "services/evaluation/metrics.py": "stored by workers",
    "services/evaluation/output_documents.py": "a document for programs",
    "services/evaluation/runs.py": "stored by workers",
    "services/competition/arena/voting.py": "the purpose of a key",
    "services/scoring/labels/queue.py": "the purpose of a key",
    "services/scoring/lost.py": "stored by workers",
    "services/scoring/outcomes.py": "stored by workers",
    "services/scoring/single.py": "stored by workers",
    "sandbox/scripts/uv.py": "uv's own words",
    "services/imports/examples.py": "contents of an example file",
    "pages/api_docs/curl.py": "commands",
    "pages/submit/example.py": "commands",
    "pages/submit/help.py": "contents of an example file",
    "pages/board/citation.py": "citations, which are in English in all languages",
    "pages/manage/forms/choosing.py": "attributes for htmx",
    "pages/sharing/chart_file.py": "a style sheet",
    "pages/sharing/crawlers.py": "read by search engines",
    "pages/sharing/glyphs.py": "the name of a font",
    "pages/sharing/oembed.py": "read by programs",
    "pages/tables/column_fits.py": "keys of columns",
    "pages/tables/tasks.py": "classes of elements",
    "admin/attempt_actions.py": "the history, which readers of all languages share",
}
"""Texts that stay English (docs/decisions/0162), by file or folder, with the reason."""

PROSE = re.compile(r"[^\W\d_]{2,}[,.:;]? +([^\W\d_]|\{)|\{\}[,:;]? +[a-z]{2}")
"""Two words, or a value and a word."""
FOR_PROGRAMS = re.compile(
    r"^\s*<|^[a-z{][\w.{}]*: \{\}$|^(attachment|max-age|private|public|Bearer|nofollow)\b"
    r"|; charset=|\bruns_program\b|^def \w*\{?\}?\("
    r"|\b(SELECT|FROM|DROP|WHERE|UPDATE|INSERT|VALUES|COPY|UNION|AND|AS|IN|OFFSET|NULL|CAST|extract"
    r"|ORDER|CASE|SET|BEGIN|COLLATE|JOIN|UTC)\b|::|\bcolumn_id, |\bs\.id, |\bpriority$|%s"
)
"""Elements, fields before errors, headers and SQL."""


def stays_english(place: str) -> bool:
    return any(place == prefix or place.startswith(f"{prefix}/") for prefix in ENGLISH) or (
        place.startswith("models/") and Path(place).stem in UNSHOWN_MODELS
    )


def is_documented(place: str) -> bool:
    """Whether descriptions in a file are those of the API's schema alone."""
    return place.startswith(DOCUMENTED_IN) and place not in SHOWN_IN_FORMS
