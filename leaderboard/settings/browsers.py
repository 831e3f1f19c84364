"""Cookies and headers for browsers.

PUBLIC_URL is the address that people open, and the one setting for it: its host is added to
ALLOWED_HOSTS and its origin to CSRF_TRUSTED_ORIGINS, links begin with it, its scheme decides secure
cookies, the redirect to https and HSTS, and its path is the prefix of every address. The host is
added to the others, because health checks and internal clients reach the same process by other
names. Contradictions are warnings, so that a running site does not stop over one. A proxy cannot
send the prefix with each request: links that commands print would lack it.
"""

import re
from urllib.parse import urlsplit

from leaderboard.settings.variables import (
    CSRF_TRUSTED_ORIGINS,
    PREFIX,
    PUBLIC_URL,
    TRUSTED_PROXIES,
)

# PUBLIC_URL decides; without it, CSRF_TRUSTED_ORIGINS.
HTTPS = any(
    origin.startswith("https://")
    for origin in ([PUBLIC_URL] if PUBLIC_URL else CSRF_TRUSTED_ORIGINS)
)
SESSION_ENGINE = "leaderboard.auth.sessions"
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = LANGUAGE_COOKIE_SECURE = HTTPS
SECURE_SSL_REDIRECT = HTTPS
# Without a slash at the end, so that cookies also apply to the path of the prefix alone.
SESSION_COOKIE_PATH = CSRF_COOKIE_PATH = LANGUAGE_COOKIE_PATH = PREFIX or "/"
LANGUAGE_COOKIE_AGE = 365 * 24 * 3600
LANGUAGE_COOKIE_HTTPONLY = True
SECURE_HSTS_SECONDS = 30 * 24 * 3600 if HTTPS else 0
SECURE_SSL_HOST = urlsplit(PUBLIC_URL).netloc if HTTPS and PUBLIC_URL else None
# For programs on the machine itself, which ask the web without TLS.
SECURE_REDIRECT_EXEMPT = [
    "^" + re.escape(f"{PREFIX}/{name}".lstrip("/")) + "$"
    for name in ("healthz", "readyz", "status.json", "metrics")
]
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if TRUSTED_PROXIES else None
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'self'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
    }
}
# HSTS for subdomains (W005) and browsers' preload lists (W021) are the operator's decision.
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]
