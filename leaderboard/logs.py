"""Logging of our own code and of the libraries, in one form: structlog renders both."""

from typing import Any

import structlog
from structlog.typing import Processor

TIME = structlog.processors.TimeStamper(fmt="iso", utc=True)
SHARED: list[Processor] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_log_level,
    structlog.stdlib.add_logger_name,
    TIME,
]

# Celery says when each message comes and goes, axes which options it has at each start.
TALKATIVE = ("axes", "celery.app.trace", "celery.worker.strategy")


def configure_structlog() -> None:
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            structlog.stdlib.PositionalArgumentsFormatter(),
            *SHARED,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.stdlib.BoundLogger,
        cache_logger_on_first_use=True,
    )


def logging_config(level: str, *, readable: bool) -> dict[str, Any]:
    """The dictionary for `logging.config`: lines for people if `readable`, else JSON objects."""
    renderers: list[Processor] = (
        [structlog.dev.ConsoleRenderer()]
        if readable
        else [structlog.processors.format_exc_info, structlog.processors.JSONRenderer()]
    )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "plain": {
                "()": "structlog.stdlib.ProcessorFormatter",
                "foreign_pre_chain": [*SHARED, structlog.stdlib.ExtraAdder()],
                "processors": [
                    structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                    *renderers,
                ],
            }
        },
        "handlers": {"stderr": {"class": "logging.StreamHandler", "formatter": "plain"}},
        "root": {"handlers": ["stderr"], "level": level},
        "loggers": {
            # Django gives these two handlers of their own.
            "django": {"handlers": [], "level": level, "propagate": True},
            "django.server": {"handlers": [], "level": level, "propagate": True},
            **({} if level == "DEBUG" else {name: {"level": "WARNING"} for name in TALKATIVE}),
        },
    }
