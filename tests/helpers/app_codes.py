"""The codes of an authenticator app."""

import time

from allauth.mfa.totp.internal.auth import format_hotp_value, hotp_value

PERIOD = 30
"""Seconds for which a code is accepted."""
TO_TYPE = 15
"""Seconds that a test may take from the code to the request."""


def code_of(secret: str) -> str:
    """The code of this moment. Waits for the next one if it would end before it is sent."""
    left = PERIOD - time.time() % PERIOD
    if left < TO_TYPE:
        time.sleep(left)
    return str(format_hotp_value(hotp_value(secret, int(time.time()) // PERIOD)))
