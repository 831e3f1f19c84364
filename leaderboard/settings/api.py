"""The API and its description."""

from leaderboard.settings.variables import PREFIX, SITE_NAME, THROTTLE_READ, THROTTLE_SUBMIT

# The largest body of one request; each endpoint has its own, smaller limit.
DATA_UPLOAD_MAX_MEMORY_SIZE = 65 * 1024 * 1024

REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "leaderboard.api.auth.TokenAuthentication",
        "rest_framework.authentication.SessionAuthentication",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticatedOrReadOnly"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_THROTTLE_RATES": {"submit": THROTTLE_SUBMIT, "read": THROTTLE_READ},
    "EXCEPTION_HANDLER": "leaderboard.api.errors.exception_handler",
    "URL_FORMAT_OVERRIDE": None,  # another format is another path
    "NUM_PROXIES": 0,  # REMOTE_ADDR is the client: ClientAddressMiddleware
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}

SPECTACULAR_SETTINGS: dict[str, object] = {
    "TITLE": f"{SITE_NAME} API",
    "VERSION": "1",
    "SERVE_INCLUDE_SCHEMA": False,
    "SCHEMA_PATH_PREFIX": r"/api/v1",
    "SERVERS": [{"url": PREFIX}] if PREFIX else [],
    "COMPONENT_SPLIT_REQUEST": True,
    "POSTPROCESSING_HOOKS": [
        "drf_spectacular.hooks.postprocess_schema_enums",
        "leaderboard.api.schema.without_nul",
        "leaderboard.api.descriptions.described",
    ],
    # Two fields share these choices, so that the enum needs a name.
    "ENUM_NAME_OVERRIDES": {
        "ReferencesVisibilityEnum": [("public", "public"), ("organiser", "organiser")],
        "WebhookFormatEnum": [
            (form, form) for form in ("standard", "slack", "discord", "teams", "matrix")
        ],
        "StatusEnum": [
            (status, status.capitalize()) for status in ("queued", "scoring", "scored", "failed")
        ],
        "FileRoleEnum": [
            (role, role)
            for role in (
                *("truth", "scoring_program", "ingestion_program", "input_data"),
                *("environment", "public_data", "starting_kit", "sample_submission"),
            )
        ],
        "RegistrationStatusEnum": [
            (status, status) for status in ("pending", "accepted", "declined")
        ],
        "AdmissionVerdictEnum": [(verdict, verdict) for verdict in ("ok", "flagged", "refused")],
    },
    "TAGS": [
        {"name": "attempts", "description": "Submit attempts, read their scores, withdraw them."},
        {"name": "boards", "description": "Read boards and single standings."},
        {"name": "challenges", "description": "Find challenges; configure your own."},
        {"name": "registration", "description": "Register for a challenge that asks for it."},
        {"name": "team", "description": "Invite others into your team, join one, merge two."},
        {"name": "announcements", "description": "Read what organisers announce."},
        {"name": "files", "description": "Files of challenges, and large ones in pieces."},
        {"name": "review", "description": "Set rules of admission; decide about attempts."},
        {"name": "votes", "description": "Compare the outputs of two attempts blindly."},
        {"name": "scoring", "description": "Hold references, and decide about changed plugins."},
        {"name": "phases", "description": "Reveal a frozen board; move attempts into the next."},
        {"name": "participants", "description": "Decide who takes part and what a row counts as."},
        {"name": "marks", "description": "Verify attempts, and note something about them."},
        {"name": "organisers", "description": "Say who organises and who reviews a challenge."},
        {"name": "events", "description": "Read the log of what happened in a challenge."},
        {"name": "webhooks", "description": "Tell other programs what happens."},
        {"name": "me", "description": "Who you are, what you are told; sign in from a program."},
        {"name": "plugins", "description": "What this server has installed."},
    ],
}
