"""Malicious uploads: no path escapes, no archive fills the memory, nothing crashes."""

import gzip
import io
import json
import os
import stat
import struct
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from backports.zstd import compress

from leaderboard.importers import ImportFailed, Source
from leaderboard.importers.reading import trees
from leaderboard.importers.reading.amounts import rows_in
from tests.importers.uploads import (
    folder,
    imported,
    lines,
    refusal,
    tarred,
    zipped,
    zstandard,
)

ATTEMPT = lines({"participant": "atlas", "values": {"solved": 9}})
ESCAPES = [
    "../x.jsonl",
    "a/../../x.jsonl",
    "/etc/x.jsonl",
    "C:\\x.jsonl",
    "..\\x.jsonl",
    "\\\\h\\x",
]
PACKERS: list[Callable[[dict[str, bytes]], bytes]] = [zipped, tarred, zstandard]


@pytest.fixture
def one_mebibyte(monkeypatch: pytest.MonkeyPatch) -> int:
    """A limit of inflated bytes that is small enough to reach in a test."""
    most = 2**20
    for module in ("source", "tars"):
        monkeypatch.setattr(f"leaderboard.importers.reading.{module}.MAX_BYTES", most)
    return most


@contextmanager
def peak_memory_below(most: int) -> Iterator[None]:
    """Fail if more than that many bytes are allocated at once."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < most
    finally:
        tracemalloc.stop()


def test_no_name_leads_out_of_an_archive() -> None:
    for name in ESCAPES:
        for pack in PACKERS:
            assert "path within the archive" in refusal(
                pack({"a.jsonl": ATTEMPT, name: ATTEMPT})
            ), name


def test_names_are_normalised_and_sorted() -> None:
    upload = tarred({"./b//two.json": b"2", "b/./one.json": b"1", "c.json": b"3"})
    with Source.open(upload) as source:
        assert source.names == ("b/one.json", "b/two.json", "c.json")
        assert source.read("b/two.json") == b"2"
        assert source.named("*.json") == ["c.json", "b/one.json", "b/two.json"]


def test_links_and_devices_in_a_tar_are_skipped() -> None:
    for kind in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.CHRTYPE, tarfile.FIFOTYPE):
        buffer = io.BytesIO()
        with tarfile.open(fileobj=buffer, mode="w") as archive:
            link = tarfile.TarInfo("link.jsonl")
            link.type, link.linkname = kind, "/etc/passwd"
            archive.addfile(link)
            member = tarfile.TarInfo("a.jsonl")
            member.size = len(ATTEMPT)
            archive.addfile(member, io.BytesIO(ATTEMPT))
        contents = imported(buffer.getvalue())
        assert [attempt.participant for attempt in contents.attempts] == ["atlas"], kind
        assert contents.warnings == ["1 link or device was left out"], kind


def test_links_in_a_zip_are_skipped() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name in ("link.jsonl", "other.jsonl"):
            link = zipfile.ZipInfo(name)
            link.external_attr = (stat.S_IFLNK | 0o777) << 16
            archive.writestr(link, "/etc/passwd")
        archive.writestr("a.jsonl", ATTEMPT)
    contents = imported(buffer.getvalue())
    assert len(contents.attempts) == 1
    assert contents.warnings == ["2 links or devices were left out"]


def test_links_in_a_folder_are_skipped(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "b.jsonl").write_bytes(ATTEMPT)
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "a.jsonl").write_bytes(ATTEMPT)
    (inside / "link.jsonl").symlink_to(tmp_path / "secret" / "b.jsonl")
    (inside / "there").symlink_to(tmp_path / "secret", target_is_directory=True)
    os.mkfifo(inside / "pipe.jsonl")
    contents = imported(inside)
    assert len(contents.attempts) == 1
    assert contents.warnings == ["3 links or devices were left out"]


def test_a_file_that_becomes_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(ATTEMPT)
    with Source.open(tmp_path) as source:
        (tmp_path / "a.jsonl").unlink()
        (tmp_path / "a.jsonl").symlink_to("/etc/passwd")
        with pytest.raises(ImportFailed, match=r"a\.jsonl: must be readable; got an error"):
            source.read("a.jsonl")


@pytest.mark.parametrize("pack", PACKERS)
def test_more_entries_than_allowed_are_refused(
    pack: Callable[[dict[str, bytes]], bytes], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(trees, "MAX_ENTRIES", 3)
    files = {f"{at}.jsonl": ATTEMPT for at in range(4)}
    assert "at most 3 entries" in refusal(pack(files))
    for name in files:
        (tmp_path / name).write_bytes(ATTEMPT)
    assert "at most 3 entries" in refusal(tmp_path)


def test_a_long_table_of_contents_is_refused_before_it_is_read() -> None:
    upload = zipped({f"{'d/' * 100}{at}": b"" for at in range(20_000)})
    refused = pytest.raises(ImportFailed, match="at most 4 MiB")
    with peak_memory_below(20 * 2**20), refused:
        imported(upload)


def test_a_zip_bomb_is_refused_while_it_inflates(one_mebibyte: int) -> None:
    for pack in PACKERS:
        upload = pack({"result.json": b" " * 64 * one_mebibyte, "b.json": b"{}"})
        assert len(upload) < one_mebibyte, pack
        refused = pytest.raises(ImportFailed, match="at most 1 MiB")
        with peak_memory_below(8 * one_mebibyte), refused:
            imported(upload)


def test_the_limit_counts_many_small_files_together(one_mebibyte: int) -> None:
    half = b" " * (one_mebibyte // 2)
    with Source.open(zipped({"a": half, "b": half, "c": half})) as source:
        source.read("a")
        source.read("a")
        source.read("b")
        with pytest.raises(ImportFailed, match="at most 1 MiB"):
            source.read("c")


def test_unused_members_are_not_inflated(one_mebibyte: int) -> None:
    big = {"weights.bin": b" " * 8 * one_mebibyte, "a.jsonl": ATTEMPT}
    assert len(imported(zipped(big)).attempts) == 1


def test_a_large_file_is_refused(one_mebibyte: int) -> None:
    assert "at most 1 MiB" in refusal(ATTEMPT * (one_mebibyte // len(ATTEMPT) + 1))


def test_a_repeated_name_is_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("a.jsonl", ATTEMPT)
        with pytest.warns(UserWarning, match="Duplicate name"):
            archive.writestr("a.jsonl", ATTEMPT)
    with pytest.raises(ImportFailed, match=r"a\.jsonl: .* twice"):
        imported(buffer.getvalue())


def test_an_encrypted_member_is_refused() -> None:
    upload = bytearray(zipped({"a.jsonl": ATTEMPT}))
    for magic, at in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        upload[upload.index(magic) + at] |= 1
    with pytest.raises(ImportFailed, match=r"a\.jsonl: .* encrypted"):
        imported(bytes(upload))


def test_other_compressions_are_refused() -> None:
    for method in (zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA):
        assert "stored, deflated or Zstandard" in refusal(zipped({"a.jsonl": ATTEMPT}, method)), (
            method
        )


def test_a_damaged_zstandard_member_is_refused() -> None:
    upload = zstandard({"a.jsonl": ATTEMPT})
    at = upload.index(b"PK\x01\x02") + 16
    wrong = upload[:at] + struct.pack("<I", 12345) + upload[at + 4 :]
    assert "a.jsonl: must be complete" in refusal(wrong)


def test_a_truncated_archive_is_refused() -> None:
    for pack in PACKERS:
        for part in (0.2, 0.5, 0.9):
            upload = pack(folder("lm-eval"))
            with pytest.raises(ImportFailed):
                imported(upload[: int(len(upload) * part)])


def test_a_signature_without_content_is_refused() -> None:
    for magic in (b"PK\x03\x04", b"PK\x05\x06", b"\x1f\x8b", b"\x28\xb5\x2f\xfd"):
        with pytest.raises(ImportFailed):
            imported(magic + b"x" * 600)


def test_a_compressed_file_that_is_no_archive_is_refused() -> None:
    for upload in (gzip.compress(ATTEMPT), compress(ATTEMPT)):
        with pytest.raises(ImportFailed):
            imported(upload)


def test_an_open_file_is_read_and_closed() -> None:
    file = io.BytesIO(ATTEMPT)
    file.read()
    with Source.open(file, "upload.jsonl") as source:
        assert source.single
        assert list(source.lines(source.names[0])) == [(1, ATTEMPT.strip())]
    assert file.closed


def test_lines_are_numbered_over_blank_ones_and_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trees, "PIECE", 3)
    with Source.open(b"one\n\n  \r\nfour and more\n\nsix") as source:
        assert list(source.lines("upload")) == [(1, b"one"), (4, b"four and more"), (6, b"six")]


def test_invisible_characters_of_a_file_name_are_not_shown() -> None:
    for name in ("\x1b[31mred\n.zip", "a" * 500, "/home/x/../secret\u202e.zip"):
        with pytest.raises(ImportFailed) as refused:
            imported(b"hello", name)
        label = str(refused.value).partition(":")[0]
        assert label.isprintable(), name
        assert len(label) <= 120, name
        assert "/" not in label, name


def test_a_missing_path_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportFailed, match=r"gone\.zip: must be readable; got an error"):
        Source.open(tmp_path / "gone.zip")


def test_nothing_is_written_to_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    imported(tarred(folder("harbor-job")))
    imported(zipped(folder("harbor-job")))
    assert list(tmp_path.iterdir()) == []


def test_a_file_of_one_line_is_read_once() -> None:
    for text in (b'{"a": 1}', b'\n \n{"a": 1}\n\n', b'{"a": 1}\r\n'):
        with Source.open(text) as source:
            (row,) = source.rows
            assert row is source.document, text


def test_each_line_becomes_a_row() -> None:
    cases: list[tuple[bytes, int]] = [
        (b'{"a": 1}\n{"a": 2}', 2),
        (b"[1]\n", 0),
        (b"[\n1]\n", 0),
        (b"\n", 0),
    ]
    for text, count in cases:
        with Source.open(text) as source:
            assert len(source.rows) == count, text


def test_rows_on_one_line_are_counted() -> None:
    rows = [{"model": f"m{at}", "acc": at} for at in range(300)]
    for text in (json.dumps(rows), json.dumps(rows, separators=(",", ":")), "a,1\n" * 300):
        with Source.open(text.encode(), "t.json") as source:
            assert 295 <= rows_in(source, most=10_000) <= 300
