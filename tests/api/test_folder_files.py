"""A damaged zip file of a challenge is refused; it is never an error of the server."""

import io
import zipfile
from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st
from rest_framework.exceptions import APIException

from leaderboard.api.folder_files import read_folder
from leaderboard.services.errors import ServiceError


def folder(compression: int) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", compression) as archive:
        archive.writestr("challenge.json", '{"name": "Ferry fuel", "description": "Litres."}')
        archive.writestr("references.jsonl", '{"id": "one", "expected": "Quay"}\n' * 9)
        archive.writestr("files/truth/truth.csv", "id,litres\n1,4.5\n2,3.25\n")
    return file.getvalue()


FOLDERS = {kind: folder(kind) for kind in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)}


@given(
    kind=st.sampled_from(list(FOLDERS)),
    place=st.integers(0, min(map(len, FOLDERS.values())) - 1),
    bits=st.integers(1, 255),
)
def test_a_damaged_folder_is_read_or_refused(kind: int, place: int, bits: int) -> None:
    damaged = bytearray(FOLDERS[kind])
    damaged[place] ^= bits
    with suppress(ServiceError, APIException):
        read_folder(bytes(damaged))
