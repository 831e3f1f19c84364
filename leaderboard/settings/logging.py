"""Logging, and reports to Sentry."""

import sys

from leaderboard.operating.logs import logging_config, without_outages
from leaderboard.settings.variables import LOG_LEVEL, SENTRY_DSN

LOGGING = logging_config(LOG_LEVEL, readable=sys.stderr.isatty())

if SENTRY_DSN:
    import sentry_sdk

    sentry_sdk.init(
        dsn=SENTRY_DSN,
        send_default_pii=False,
        before_send=without_outages,
        # Local variables and bodies contain answers, keys and submissions.
        include_local_variables=False,
        max_request_body_size="never",
    )
