"""Files in an S3 bucket: written, read, copied by a zip, and deleted once their rows are gone."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import timedelta
from importlib.util import find_spec
from typing import Any
from unittest.mock import patch

import pytest
from django.conf import LazySettings
from django.utils import timezone

from leaderboard.environment.storage_url import storage_options
from leaderboard.models import Challenge, ChallengeFile
from leaderboard.services.files import unnamed
from leaderboard.services.files.challenge_files import add_file
from leaderboard.services.files.store import is_on_disk, open_file, store_file
from leaderboard.services.files.unnamed import delete_unnamed

_MISSING = [name for name in ("storages", "boto3", "moto") if find_spec(name) is None]

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(bool(_MISSING), reason=f"not installed: {', '.join(_MISSING)}"),
]


@pytest.fixture
def bucket(settings: LazySettings, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """A bucket of moto, as STORAGE_URL names it."""
    import boto3  # type: ignore[import-untyped]
    from moto import mock_aws

    options = storage_options("s3://key:secret@podium/deep/folder?region_name=us-east-1")
    backend = {"BACKEND": "storages.backends.s3.S3Storage", "OPTIONS": options}
    with mock_aws():
        made = boto3.resource("s3", region_name="us-east-1").create_bucket(Bucket="podium")
        settings.STORAGES = {**settings.STORAGES, "files": backend}
        yield made


def test_files_lie_in_a_bucket(sprint: Challenge, bucket: Any) -> None:
    def keys() -> list[str]:
        return [entry.key for entry in bucket.objects.all()]

    role = ChallengeFile.Role.PUBLIC_DATA
    file = add_file(sprint, io.BytesIO(b"a,b\n"), name="a.csv", role=role, user=None)
    assert keys() == [f"deep/folder/{file.path}"]
    assert not is_on_disk()
    with open_file(file.path) as stored:
        assert stored.read() == b"a,b\n"
    lost = store_file(io.BytesIO(b"x"), name="x", challenge=sprint.pk)
    assert delete_unnamed() == 0
    with patch.object(unnamed, "KEPT", -timedelta(minutes=1)):
        assert delete_unnamed() == 1
    assert lost.path not in "".join(keys())
    assert len(keys()) == 1
    file.refresh_from_db()
    assert file.created_at < timezone.now()
