"""Logging, and reports to Sentry."""

import sys

from leaderboard.environment.reading import SettingError
from leaderboard.operating.logs import logging_config, without_outages
from leaderboard.settings.variables import LOG_LEVEL, SENTRY_DSN

LOGGING = logging_config(LOG_LEVEL, readable=sys.stderr.isatty())

if SENTRY_DSN:
    import sentry_sdk
    from sentry_sdk.utils import BadDsn

    try:
        sentry_sdk.init(
            dsn=SENTRY_DSN,
            send_default_pii=False,
            before_send=without_outages,
            # Local variables and bodies contain answers, keys and submissions.
            include_local_variables=False,
            max_request_body_size="never",
        )
    except BadDsn:
        accepted = "https://key@host/project, as Sentry shows it, or empty"
        raise SettingError("SENTRY_DSN", accepted) from None
