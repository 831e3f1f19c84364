"""The settings of an operator: each is a variable of the environment.

A variable is a field of `Variables`, with its help below it. `python -m tests.tables` writes the
table in docs/deploy.md from them. pydantic alone validates a dict of the environment: all that
pydantic-settings would add is reading lists as JSON, which these variables are not.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import gettempdir
from typing import Annotated, Any, Final, Literal

from django.core.exceptions import ImproperlyConfigured
from pydantic import BaseModel, ConfigDict, Field, ValidationError, ValidationInfo, field_validator

import leaderboard
from leaderboard.environment.database_url import ACCEPTED as ACCEPTED_DATABASES
from leaderboard.environment.database_url import DatabaseEntry, database_config
from leaderboard.environment.storage_url import ACCEPTED as ACCEPTED_STORAGES
from leaderboard.environment.storage_url import storage_options
from leaderboard.rules.plugins.owners import ACCEPTED as ACCEPTED_OWNERS
from leaderboard.rules.plugins.owners import parse_owners
from leaderboard.schemas.variables import (
    AcceptedText,
    Files,
    Folders,
    Hosts,
    Link,
    LowerCase,
    MailAddress,
    MailSetting,
    Origins,
    Packages,
    Providers,
    PublicUrl,
    Rate,
    ReadBy,
    Redis,
    SentryDsn,
    Text,
    Unit,
    WaitingLimits,
    WebhookTargets,
    WritableFolder,
    accepted,
    available_processors,
)

PACKAGE_DIR: Final = Path(leaderboard.__file__).resolve().parent
IS_INSTALLED: Final = (PACKAGE_DIR / "_files").is_dir()
"""Whether the product is installed from a wheel, which has templates and static files there."""

DROPPED: Final = {
    "MAX_WAITING_TENANT": "Write MAX_WAITING=…/tenant instead.",
    "THROTTLE_TRY": "A user may try a plugin ten times a minute.",
}
"""Settings of former versions, and what holds now."""
PluginOwners = Annotated[dict[str, frozenset[str]], AcceptedText(ACCEPTED_OWNERS)]


class SettingError(ImproperlyConfigured):
    """Variables have values that are not accepted; one line for each."""


def default(text: str | Callable[[Any], str], documented: str = "") -> Any:
    """The default of a setting as an operator would write it; documented: in the documentation.

    A function gets the settings above it.
    """
    if isinstance(text, str):
        return Field(text, json_schema_extra={"shown": documented}, validate_default=True)
    return Field(
        default_factory=text, json_schema_extra={"shown": documented}, validate_default=True
    )


class Variables(BaseModel):
    """All settings. A setting may use those above it."""

    model_config = ConfigDict(frozen=True, hide_input_in_errors=True)

    DATA_DIR: WritableFolder = default(
        str("~/.local/share/podium" if IS_INSTALLED else PACKAGE_DIR.parent / "var"),
        documented="`var` beside `manage.py`; `~/.local/share/podium` where a"
        " [wheel](#from-a-wheel) is installed",
    )
    """SQLite file, generated secret key, uploaded files, prepared metric scripts"""
    DATABASE_URL: Annotated[
        DatabaseEntry, ReadBy(database_config, ACCEPTED_DATABASES), Field(repr=False)
    ] = default(
        lambda above: f"sqlite:///{above['DATA_DIR']}/db.sqlite3",
        documented="`sqlite:///$DATA_DIR/db.sqlite3`",
    )
    """SQLite, or `postgresql://user:password@host:5432/name`; a socket folder is written
    `postgresql://user@/name?host=/run/postgresql`. Podium stops waiting for a host that does
    not accept a connection after 10 s, and for one that disappears from the network, or hangs,
    during a statement after about 25 s. Set `connect_timeout`, `tcp_user_timeout` or
    `keepalives_…` in the query to change this"""
    STORAGE_URL: Annotated[
        dict[str, object] | None, ReadBy(storage_options, ACCEPTED_STORAGES), Field(repr=False)
    ] = default("", documented="the folder `uploads/files` of `DATA_DIR`")
    """the S3 bucket that submitted files and those of challenges lie in, such as
    `s3://bucket/folder?endpoint_url=https://minio:9000`, for [workers on several
    hosts](#files-on-several-hosts). It needs the extra `s3`"""
    PARTICIPANT_FILES_MIB: Annotated[int, Field(ge=1, le=10_000_000), Unit("MiB")] = default("2000")
    """MiB of files that a participant may have submitted to a challenge"""
    CHALLENGE_FILES_MIB: Annotated[int, Field(ge=1, le=10_000_000), Unit("MiB")] = default("100000")
    """MiB of files that a challenge may have, its own and submitted ones"""
    REDIS_URL: Redis = default("")
    """broker and cache; empty = the broker in memory, for one web process only"""
    PREPARED_STATEMENTS: bool = default("on")
    """PostgreSQL plans the most frequent queries once per connection. `off` behind a pooler
    that gives each transaction another connection and does not support prepared statements,
    such as PgBouncer before 1.21"""
    KEY_DIR: WritableFolder = default(lambda above: str(above["DATA_DIR"]), documented="`DATA_DIR`")
    """folder of the generated secret key. If processes that run plugins share `DATA_DIR`, give
    the web, and the commands of `manage.py`, a folder of its own: the key is enough to forge
    sessions"""
    DEBUG: bool = default("off")
    """Django's debug pages. Never on a machine that others reach"""
    SECRET_KEY: Annotated[
        str,
        AcceptedText(
            "at least 50 characters, 5 of them different, without Django's 'django-insecure-'"
            " (DEBUG=1 takes any), or empty for one that is generated and kept in KEY_DIR"
        ),
        Field(repr=False),
    ] = default("", documented="generated into `KEY_DIR`")
    """at least 50 characters; with `DEBUG=0` a weak one refuses to start"""
    PUBLIC_URL: PublicUrl = default("")
    """the address that people open, such as `https://board.example.org`, or
    `https://example.org/podium` for a [path of a host](#below-a-path): [what follows from
    it](#behind-a-reverse-proxy)"""
    SOURCE_URL: Link = default("")
    """where the source of this installation is, such as `https://example.org/podium.git`;
    `/about/` links it"""
    OG_FONTS: Files = default("")
    """font files for the pictures that other sites show beside links, for scripts that the
    built-in DejaVu Sans does not have, such as
    `/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc`; several are separated by `:`"""
    ALLOWED_HOSTS: Hosts = default("localhost,127.0.0.1,[::1]")
    """host names of the site beside that of `PUBLIC_URL`"""
    CSRF_TRUSTED_ORIGINS: Origins = default("")
    """origins that may send forms beside `PUBLIC_URL`. Without `PUBLIC_URL` one with `https`
    turns on secure cookies, the redirect to https and HSTS"""
    TRUSTED_PROXIES: Annotated[int, Field(ge=0, le=10), Unit("proxies in front")] = default("0")
    """how many reverse proxies stand in front; their `X-Forwarded-For` and `X-Forwarded-Proto`
    are believed"""
    TRUST_REQUEST_START: bool = default("off")
    """whether the header `X-Request-Start` of the proxy says [when a request
    arrived](#when-an-attempt-arrived). Only for a proxy that sets it itself: otherwise clients
    could choose their time"""
    WEB_CONCURRENCY: Annotated[int, Field(ge=1, le=256), Unit("web processes")] = default(
        "1", documented="`2` under gunicorn, else `1`"
    )
    """web processes; more than one needs `REDIS_URL`"""
    SITE_NAME: Annotated[Text, Field(max_length=60)] = default("Podium")
    """shown in pages and feeds"""
    WEBHOOK_ALLOW: WebhookTargets = default("")
    """networks and hosts that [webhooks](webhooks.md) may call although they are private, such as
    `10.0.0.0/8,chat.example.org`"""
    SCORER_PACKAGES: Packages = default("scorers")
    """comma-separated top-level packages whose `module:Class` may be named, beside installed
    entry points"""
    SCORER_PATH: Folders = default("")
    """extra folders, separated like `PATH`, with packages of plugins. A plugin's process sees
    [its own package and what it needs](#plugins-of-several-tenants)"""
    SCORER_TENANTS: PluginOwners = default("")
    """the tenants that packages, or folders of `SCORER_PATH`, belong to:
    `acme=team-a,/plugins/b=team-b|team-c`. Every tenant may use the others"""
    SCORER_TIMEOUT_MS: Annotated[int, Field(ge=1, le=600_000), Unit("milliseconds")] = default(
        "5000"
    )
    """default limit of one scorer call"""
    SCORER_ISOLATION: Annotated[Literal["require", "prefer", "off"], LowerCase] = default("prefer")
    """`require`: refuse to score when a promised protection is missing; `prefer`: use what the
    host has and report the rest; `off`"""
    SCORER_WORK: WritableFolder = default(gettempdir(), documented="the temporary folder")
    """where scorers' working folders are made on hosts without mount namespaces. A file system
    of 64 MiB limits what they write to that size. If workers run as root, all users must be
    able to write there (mode 1733), since scorers then run as other users. `/scratch` in the
    worker and the web of `docker-compose.yml`"""
    MODEL_PATH: Folders = default(
        lambda above: str(next(above["DATA_DIR"].glob("models/"), "")),
        documented="`$DATA_DIR/models` if it is there",
    )
    """folders, separated like `PATH`, below which the models of text metrics lie: see
    [models](#models)"""
    METRIC_SCRIPTS: bool = default("off")
    """`on` allows uv-script metrics, which install and run code"""
    CHALLENGE_CODE: bool = default("on")
    """`off` refuses scoring programs, plugins and code that organisers and participants upload.
    They run in the sandbox, without a network. Those that challenges have already go on"""
    PROGRAM_MEMORY_MIB: Annotated[int, Field(ge=256, le=65536), Unit("MiB")] = default("4096")
    """the most memory that a challenge may give a program"""
    THROTTLE_SUBMIT: Rate = default("600/min")
    """submissions per token, else per address; `off`"""
    THROTTLE_BULK: Rate = default("60000/min")
    """attempts in bulk requests and imported files, each counted, per token, else per address;
    organisers of the challenge are exempt"""
    THROTTLE_MIB: Rate = default("2000/hour")
    """MiB of the bodies of submissions and forms, per user, else per address; organisers are
    exempt; `off`"""
    THROTTLE_READ: Rate = default("3000/min")
    """reads of the API, and requests with wrong tokens, per token, else per address"""
    THROTTLE_PAGES: Rate = default("1200/min")
    """pages, per user, else per address. This and `THROTTLE_READ` also limit [processor
    time](decisions/0097-limits-for-requests-sign-ins-and-sizes.md): 25 ms for each request that
    they allow, at least 10 s"""
    THROTTLE_SIGN_IN: Rate = default("20/min")
    """how often signing in may fail from an address, wrong codes at `/link/` included, and with
    one username; how often a user may try the code of a challenge. Five times as many accounts
    may be made from an address"""
    SIGN_UP: Annotated[Literal["open", "invited", "off"], LowerCase] = default("invited")
    """who may create an account: `open`: everyone; `invited`: people with an invitation; `off`:
    no one, only operators create accounts ([accounts](accounts.md))"""
    OPENID_CONNECT: Providers = default("")
    """providers through which people may sign in: [a JSON list](accounts.md#openid-connect), or
    the absolute path of a file with such a list"""
    EMAIL_URL: MailSetting = default("")
    """the SMTP server for outgoing mail: `smtp+tls://user:password@host` (STARTTLS, port 587),
    `smtps://…` (port 465) or `smtp://…` (port 25), with reserved characters percent-encoded;
    empty: the server sends no mail, or prints it on the console if `REDIS_URL` is empty too"""
    DEFAULT_FROM_EMAIL: MailAddress = default("podium@localhost")
    """the sender of mail"""
    MAX_WAITING: WaitingLimits = default("10000/participant,50000/tenant")
    """how many attempts of one participant, and of one tenant, may wait to be scored, without past
    attempts that organisers import; organisers are exempt. One of both is enough, a number alone
    is that of participants; `off`"""
    SWEEP_SECONDS: Annotated[float, Field(ge=0.1, le=3600), Unit("seconds")] = default("5")
    """how often the sweeper looks for attempts that no worker scores"""
    SCORING_SLOTS: Annotated[int, Field(ge=1, le=8), Unit("attempts at a time")] = default(
        str(min(2, available_processors())), documented="`2`, or `1` on one processor"
    )
    """how many attempts `make up` scores at the same time. Each slot needs the memory of one
    scorer. Celery workers have `--concurrency` instead"""
    PROGRAM_SLOTS: Annotated[int, Field(ge=0, le=64), Unit("programs at a time")] = default("1")
    """how many programs of challenges each worker process runs at the same time; `0` on hosts that
    shall run none. A program may need PROGRAM_MEMORY_MIB"""
    STATIC_ROOT: Annotated[Text, Field(max_length=4096)] = default("")
    """folder of collected static files, compressed beforehand; empty = served from the source,
    without a build step, and compressed when they are asked for. Either way browsers keep them
    for a year, because their names contain a hash"""
    LOG_LEVEL: Annotated[Literal["debug", "info", "warning", "error"], LowerCase] = default("info")
    """`debug`, `info`, `warning`, `error`, in every process. Lines on a terminal, JSON objects
    anywhere else: see [logs](#logs)"""
    SLOW_QUERY_MS: Annotated[int, Field(ge=0, le=3_600_000), Unit("milliseconds")] = default("1000")
    """statements of the database that take longer are logged as warnings, without their
    parameters; `0`: none"""
    SENTRY_DSN: SentryDsn = default("")
    """unexpected errors are reported to this Sentry project, without request bodies and local
    variables"""
    PROMETHEUS_TOKEN: Annotated[Text, Field(max_length=200, repr=False)] = default("")
    """turns on counters, and `/metrics` for requests with this bearer token: see
    [metrics](#metrics)"""

    @field_validator("SECRET_KEY")
    @classmethod
    def _strong_key(cls, key: str, info: ValidationInfo) -> str:
        """The key; if there is none, the one that was generated into the folder of keys."""
        if key and not info.data.get("DEBUG") and is_weak(key):
            raise ValueError
        folder: Path | None = info.data.get("KEY_DIR")
        return key or (generated_key(folder / "secret_key") if folder else "")

    @field_validator("SCORER_TENANTS", mode="plain")
    @classmethod
    def _owners(cls, text: str, info: ValidationInfo) -> dict[str, frozenset[str]]:
        return parse_owners(text, info.data.get("SCORER_PATH", ()))


def read_variables(variables: Mapping[str, str]) -> Variables:
    """The settings in these variables, of which an empty one counts as not set.

    Raises SettingError, which names each wrong variable and what it accepts.
    """
    texts = {name: variables.get(name, "").strip() for name in Variables.model_fields}
    try:
        return Variables.model_validate({name: text for name, text in texts.items() if text})
    except ValidationError as error:
        wrong = {str(part["loc"][0]): part["type"] for part in error.errors(include_url=False)}
    names = [name for name, kind in wrong.items() if kind != "default_factory_not_called"]
    raise SettingError("\n".join(_refused(name, texts[name]) for name in names))


def _refused(name: str, text: str) -> str:
    field = Variables.model_fields[name]
    value = f"{name}={text!r}" if text and field.repr else f"The value of {name}"
    return f"{value} is not accepted. Accepted: {accepted(field)}."


def is_weak(key: str) -> bool:
    return len(key) < 50 or len(set(key)) < 5 or key.startswith("django-insecure-")


def generated_key(path: Path) -> str:
    """The key in the file; the first process that calls this generates it.

    Raises ImproperlyConfigured if it cannot be written, as on a full disk.
    """
    if not path.exists():
        draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        try:
            private_file(draft, secrets.token_urlsafe(64))
            os.link(draft, path)
        except FileExistsError:
            pass
        except OSError as error:
            raise ImproperlyConfigured(f"{path}: {error.strerror}") from None
        finally:
            draft.unlink(missing_ok=True)
    return path.read_text().strip()


def private_file(path: Path, text: str = "") -> None:
    """Create a file that only its owner can read; an existing file stays unchanged."""
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        return
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
