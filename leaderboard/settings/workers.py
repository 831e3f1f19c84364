"""Celery: workers and the messages that wake them.

The attempt row is the queue and a message only wakes a worker: a lost message costs seconds, so
nothing waits for messages.
"""

from leaderboard.settings.application import TIME_ZONE
from leaderboard.settings.variables import DATA_DIR, REDIS_URL, SWEEP_SECONDS

CELERY_BROKER_URL = REDIS_URL or "memory://localhost"
CELERY_BROKER_TRANSPORT_OPTIONS = (
    {
        "socket_timeout": 1,
        "socket_connect_timeout": 1,
        # A message only wakes a worker, and the sweeper notifies workers again. So Redis need not
        # store which worker has taken which message, in keys that a full Redis would refuse.
        "ack_emulation": False,
        # Sending a message connects if needed, and would retry for four seconds and more. Workers
        # and beat keep trying by CELERY_BROKER_CONNECTION_MAX_RETRIES.
        "max_retries": 0,
    }
    if REDIS_URL
    else {}
)
MAX_DELIVERIES = 3 if REDIS_URL else 10
"""An attempt that lost so many workers ends as `worker_lost`, as it may have caused the losses.
Without Redis the worker is a part of the server, and an operator who restarts the server several
times must not make attempts fail that were being scored, so the number is higher."""
CELERY_BROKER_TRANSPORT = None if REDIS_URL else "leaderboard.messages.memory_broker:Transport"
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None
# A full Redis refuses what a worker declares when it starts. The worker tries again instead of
# ending, and its sweeper scores meanwhile.
CELERY_BROKER_CHANNEL_ERROR_RETRY = True
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_DEFAULT_QUEUE = "podium"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = False
CELERY_TASK_PUBLISH_RETRY = False
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_MAX_TASKS_PER_CHILD = 5000
# In KiB, after a task: a large import or evaluation leaves holes that Python cannot return.
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 600_000
# Ends a process that hangs for ever. Plugins have limits of their own, and claims have leases. The
# limit of a text metric that needs all instances at once may be a day.
CELERY_TASK_TIME_LIMIT = 25 * 3600
# Matters only for late acknowledgement, which is off; with False, Celery logs a warning.
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = True
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "celerybeat-schedule")
CELERY_BEAT_SCHEDULE = {
    "sweep": {
        "task": "leaderboard.tasks.sweep",
        "schedule": SWEEP_SECONDS,
        # So that messages do not accumulate while no worker listens.
        "options": {"expires": 2 * SWEEP_SECONDS},
    }
}
