"""Configures logging: modules log by the standard library, and structlog renders every line."""

from __future__ import annotations

import logging
import re
from typing import Any

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from leaderboard.operating import outages
from leaderboard.rules.json.untyped_dicts import FrameworkDict

TIME = structlog.processors.TimeStamper(fmt="iso", utc=True)
CLOCK = structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False)

# Celery logs when each message arrives, ends or is too old, beat logs each sent message, and axes
# logs its options at each start.
TALKATIVE = (
    "axes",
    "celery.app.trace",
    "celery.beat",
    "celery.worker.request",
    "celery.worker.strategy",
)

WITHOUT_BROKER = (
    "consumer: Cannot connect to",
    "consumer: Connection to broker lost",
    "Frequent restarts detected",
    "beat: Connection error",
    "Message Error",
)
"""The beginnings of lines that Celery repeats, some with a traceback, while there is no broker."""
CONNECTING = ("Connected to ", "Skipping prefetch count reduction")
"""The beginnings of lines that Celery repeats when it connects again and again to a full Redis."""

OF_REQUEST = re.compile(r"Invalid request from [^'\"]+(?<![\s:])|Error handling request [^?]+")
"""The beginning of a line of gunicorn about one request, up to the text of the client."""

TRACEBACKS = ("exception", "stack")
"""The fields of a line that have lines of their own."""


class WithoutOutages(logging.Filter):
    """Drops lines that libraries repeat while the database or the broker does not answer, or while
    the disk is full.

    The first of these lines begins an outage, which is logged in one line.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        error = record.exc_info[1] if record.exc_info else None
        if outages.database_is_away(error):
            outages.database.began(error)
            return False
        if outages.disk_is_full(error):
            outages.disk.began(error)
            return False
        if record.name.startswith("celery."):
            return self._of_celery(record)
        return True

    def _of_celery(self, record: logging.LogRecord) -> bool:
        message = record.getMessage().strip()
        if message.startswith(WITHOUT_BROKER):
            outages.broker.began(message)
            return False
        # A full Redis accepts connections. The sweeper asks whether it accepts messages.
        return not (message.startswith(CONNECTING) and outages.broker.goes_on)


class OnlyFailures(logging.Filter):
    """Keeps only errors with a traceback, as each request already has a line with its status."""

    def filter(self, record: logging.LogRecord) -> bool:
        return bool(record.exc_info) and record.levelno >= logging.ERROR


class RefusalsInOneLine(logging.Filter):
    """Takes the traceback from lines about requests that Django refuses, such as a wrong `Host`.

    They are warnings, not errors: one scanner would otherwise fill the log, and a search for
    errors would find little else.
    """

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.startswith("django.security."):
            record.exc_info = None
            record.exc_text = None
            record.levelno, record.levelname = logging.WARNING, "WARNING"
            return logging.getLogger(record.name).isEnabledFor(logging.WARNING)
        return True


class WithoutTextsOfRequests(logging.Filter):
    """Drops what gunicorn quotes of malformed requests, which may be a token or a query."""

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name == "gunicorn.error":
            message = record.getMessage()
            match = OF_REQUEST.match(message)
            if match:
                record.msg, record.args = match[0], ()
        return True


def without_outages(event: Any, hint: FrameworkDict) -> Any:
    """Drop Sentry's events of an outage, which has one event by its line in the log already."""
    _, error, _ = hint.get("exc_info") or (None, None, None)
    is_logged = outages.database_is_away(error) or outages.disk_is_full(error)
    return None if is_logged else event


def request_as_text(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """Render the line of a request as a sentence, for people on a terminal."""
    if event.get("event") == "request" and "path" in event:
        method, path, status = (event.pop(key) for key in ("method", "path", "status"))
        event["event"] = f"{method} {path} {status} in {event.pop('ms')} ms"
        if event.get("user") is None:
            event.pop("user", None)
    event.pop("request_id", None)
    return event


def printable(logger: WrappedLogger, name: str, event: EventDict) -> EventDict:
    """Escape control characters, with which a request could change what a terminal shows.

    Tracebacks keep their lines.
    """
    for key, value in event.items():
        if isinstance(value, str):
            lines = value.split("\n") if key in TRACEBACKS else [value]
            event[key] = "\n".join(map(_escaped, lines))
    return event


def _escaped(text: str) -> str:
    if text.isprintable():
        return text
    return "".join(
        character if character.isprintable() else repr(character)[1:-1] for character in text
    )


def logging_config(level: str, *, readable: bool) -> FrameworkDict:
    """The dictionary for `logging.config`: lines for people if `readable`, else JSON objects."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "filters": {
            "without_outages": {"()": "leaderboard.operating.logs.WithoutOutages"},
            "only_failures": {"()": "leaderboard.operating.logs.OnlyFailures"},
            "refusals_in_one_line": {"()": "leaderboard.operating.logs.RefusalsInOneLine"},
            "without_texts_of_requests": {
                "()": "leaderboard.operating.logs.WithoutTextsOfRequests"
            },
        },
        "formatters": {"plain": _formatter(readable=readable)},
        "handlers": {
            "stderr": {
                "class": "logging.StreamHandler",
                "formatter": "plain",
                "filters": [
                    "without_outages",
                    "refusals_in_one_line",
                    "without_texts_of_requests",
                ],
            }
        },
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": _loggers(level),
    }


def _formatter(*, readable: bool) -> FrameworkDict:
    """The formatter of structlog, which also renders lines of the standard library."""
    renderers: list[Processor] = (
        [
            request_as_text,
            structlog.processors.format_exc_info,
            printable,
            # Without `plain_traceback` it would show local variables, such as passwords, wherever
            # the package rich is installed.
            structlog.dev.ConsoleRenderer(
                pad_event_to=0, exception_formatter=structlog.dev.plain_traceback
            ),
        ]
        if readable
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    return {
        "()": "structlog.stdlib.ProcessorFormatter",
        "foreign_pre_chain": [
            *_shared(CLOCK if readable else TIME),
            structlog.stdlib.ExtraAdder(),
        ],
        "processors": [
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            *renderers,
        ],
    }


def _loggers(level: str) -> FrameworkDict:
    """The loggers of libraries, so that each line appears once and talkative ones are quiet."""
    return {
        # Remove the handlers that Django gives these two.
        "django": {"handlers": [], "level": level, "propagate": True},
        "django.server": {"handlers": [], "level": level, "propagate": True},
        # Remove gunicorn's handlers too.
        "gunicorn.error": {"handlers": [], "level": level, "propagate": True},
        "django.request": {"filters": ["only_failures"]},
        # At DEBUG it would log all variables of a page, for example the key of a second factor.
        "django.template": {"level": "INFO" if level == "DEBUG" else level},
        **({} if level == "DEBUG" else {name: {"level": "WARNING"} for name in TALKATIVE}),
    }


def _shared(time: Processor) -> list[Processor]:
    return [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        time,
    ]
