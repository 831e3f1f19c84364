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
    ],
    # Two fields share these choices, so that the enum needs a name.
    "ENUM_NAME_OVERRIDES": {
        "ReferencesVisibilityEnum": [("public", "public"), ("organiser", "organiser")],
        "StatusEnum": [
            (each, each.capitalize()) for each in ("queued", "scoring", "scored", "failed")
        ],
        "RegistrationStatusEnum": [(each, each) for each in ("pending", "accepted", "declined")],
    },
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
}
