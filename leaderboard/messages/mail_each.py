"""Sends a mail to each of several people by itself, so that a refused address stops no other."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from smtplib import SMTPRecipientsRefused, SMTPResponseException
from typing import Final, NamedTuple

from django.core.mail import EmailMessage, get_connection

MOST_FAILURES: Final = 5
"""After so many failures in a row that are not about an address, the mail server is gone."""
LONGEST_REASON: Final = 200


class Sent(NamedTuple):
    """What became of one message. reason: why it was not sent; "" if it was."""

    address: str
    reason: str


def send_each(messages: Iterable[EmailMessage]) -> Iterator[Sent]:
    """Send messages to one address each over one connection, and yield what became of each."""
    connection = get_connection()
    failures, last = 0, ""
    with suppress(Exception):  # else each message opens a connection of its own
        connection.open()
    for message in messages:
        (address,) = message.to
        if failures >= MOST_FAILURES:
            yield Sent(address, last)
            continue
        try:
            connection.send_messages([message])
        except Exception as error:  # whatever a backend raises, it is about this message
            last = _reason_of(error)
            failures = 0 if isinstance(error, SMTPRecipientsRefused) else failures + 1
            with suppress(Exception):
                connection.close()
            yield Sent(address, last)
        else:
            failures = 0
            yield Sent(address, "")
    with suppress(Exception):
        connection.close()


def _reason_of(error: Exception) -> str:
    """What the mail server said."""
    if isinstance(error, SMTPRecipientsRefused):
        code, text = next(iter(error.recipients.values()))
        return f"{code} {_text_of(text)}"[:LONGEST_REASON]
    if isinstance(error, SMTPResponseException):
        return f"{error.smtp_code} {_text_of(error.smtp_error)}"[:LONGEST_REASON]
    return (str(error) or type(error).__name__)[:LONGEST_REASON]


def _text_of(answer: bytes | str) -> str:
    return answer.decode("utf-8", "replace") if isinstance(answer, bytes) else answer
