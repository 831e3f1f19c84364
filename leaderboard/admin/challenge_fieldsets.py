"""How the form of a challenge is laid out."""

from __future__ import annotations

from typing import Any

from leaderboard.admin.challenge_form import SETTINGS_OF, ChallengeForm
from leaderboard.admin.stored_file import FORGET, KEPT

REFERENCES = ("references", KEPT, FORGET, "references_release", "references_visibility")


def fieldsets_of(form: ChallengeForm) -> list[tuple[str | None, dict[str, Any]]]:
    """The fields in their groups; the last are the settings of the scorer, if it has any."""
    settings = {"fields": form.setting_fields, "classes": ["for-custom"]}
    fieldsets: list[tuple[str | None, dict[str, Any]]] = [
        (
            None,
            {
                "fields": [
                    *("tenant", "name", "slug", "summary", "description", "goal"),
                    ("visibility", "details_visibility", "config_visibility"),
                    "is_active",
                ]
            },
        ),
        (
            "Context of the scorer, columns",
            {"fields": [("app_id", "workflow_id"), "columns", "values"], "classes": ["collapse"]},
        ),
        (
            "How attempts are scored",
            {"fields": ["scoring_strategy", "counting", "only_succeeded", "on_code_change"]},
        ),
        (
            "Metrics and tasks",
            {
                "fields": [
                    "metrics",
                    "metrics_chosen",
                    "metrics_k",
                    "tasks",
                    "rewards",
                    ("num_samples", "min_coverage", "unknown_tasks"),
                ],
            },
        ),
        (
            "Outputs of models",
            {
                "fields": [
                    "text_metrics",
                    "text_metrics_chosen",
                    "text_timeout_ms",
                    *(name for name in REFERENCES if name in form.fields),
                ]
            },
        ),
        ("Ranked by", {"fields": form.rank_fields, "classes": ["for-metric"]}),
        (
            "Scorer",
            {
                "fields": ["scoring_entrypoint", "scoring_plugin_id", "timeout_ms", SETTINGS_OF],
                "classes": ["for-custom"],
            },
        ),
        ("Settings of the scorer", settings),
    ]
    return fieldsets if form.setting_fields else fieldsets[:-1]
