"""Parses STORAGE_URL, which names the S3 bucket that files lie in, to the form Django expects."""

from __future__ import annotations

from importlib.util import find_spec
from typing import Final
from urllib.parse import parse_qsl, unquote, urlsplit

ACCEPTED: Final = (
    "s3://bucket/folder or s3://key:secret@bucket/folder?endpoint_url=https://host (this needs the"
    " extra s3 to be installed), or empty for files below DATA_DIR"
)
PARAMETERS: Final = frozenset({"endpoint_url", "region_name", "addressing_style"})


def storage_options(url: str) -> dict[str, object] | None:
    """The options of `storages.backends.s3.S3Storage`; None for an empty address.

    Without a key in the address, boto3 looks for one in its own variables and files. Raises
    ValueError, also if django-storages is not installed.
    """
    if not url:
        return None
    parts = urlsplit(url)
    query = dict(parse_qsl(parts.query, strict_parsing=True)) if parts.query else {}
    if parts.scheme != "s3" or not parts.hostname or not query.keys() <= PARAMETERS:
        raise ValueError("not an address of a bucket")
    if find_spec("storages") is None:
        raise ValueError("django-storages is not installed")
    key = {"access_key": unquote(parts.username or ""), "secret_key": unquote(parts.password or "")}
    return {
        "bucket_name": parts.hostname,
        "location": unquote(parts.path.strip("/")),
        "default_acl": None,
        "file_overwrite": False,
        **(key if parts.username else {}),
        **query,
    }
