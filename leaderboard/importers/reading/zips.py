"""Zip archives, with the compression that inspect-ai uses: Zstandard."""

from __future__ import annotations

import io
import stat
import struct
import zipfile
import zlib
from collections.abc import Iterator
from typing import IO, Final

from backports.zstd import ZstdDecompressor, ZstdError

from leaderboard.importers.reading.errors import ImportFailed, Unsafe
from leaderboard.importers.reading.trees import PIECE, check_entries, checked_name, unique
from leaderboard.rules.texts.messages import message

MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
ZSTANDARD: Final = 93
MAX_CONTENTS: Final = 4 * 2**20
"""The largest table of contents. It is read at once, before anything can be counted."""

_BROKEN = (
    zipfile.BadZipFile,
    zlib.error,
    ZstdError,
    struct.error,
    EOFError,
    IndexError,
    NotImplementedError,
    OSError,
    OverflowError,
    RuntimeError,
    ValueError,
)
"""What the readers raise for an invalid archive."""


class Zip:
    """A zip archive whose members are stored, deflated or compressed with Zstandard."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.skipped = 0
        try:
            self._zip = zipfile.ZipFile(_Sparing(file))
        except ImportFailed:
            raise
        except _BROKEN:
            raise Unsafe(message("must be a proper zip archive; got another file")) from None
        members = self._zip.infolist()
        check_entries(len(members))
        named = [
            (checked_name(member.filename), member) for member in members if self._is_file(member)
        ]
        self.names = unique(name for name, _ in named)
        self._members = dict(named)

    def _is_file(self, member: zipfile.ZipInfo) -> bool:
        """Whether it is a regular file. Its name is checked either way."""
        checked_name(member.filename)
        kind = stat.S_IFMT(member.external_attr >> 16)
        if member.is_dir() or kind == stat.S_IFDIR:
            return False
        is_file = kind in (0, stat.S_IFREG)
        self.skipped += not is_file
        return is_file

    def pieces(self, name: str) -> Iterator[bytes]:
        member = self._members[name]
        try:
            yield from self._inflated(member)
        except ImportFailed:
            raise
        except _BROKEN:
            raise Unsafe(
                message("must be complete; got a file that is cut off or damaged"), file=name
            ) from None

    def _inflated(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        if member.flag_bits & 0x1:
            raise Unsafe(
                message("must not be encrypted; got an encrypted file"), file=member.filename
            )
        if member.compress_type == ZSTANDARD:
            yield from self._zstandard(member)
        elif member.compress_type in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            with self._zip.open(member) as opened:
                while piece := opened.read(PIECE):
                    yield piece
        else:
            raise Unsafe(
                message(
                    "must be stored, deflated or Zstandard; got method {method}",
                    method=member.compress_type,
                ),
                file=member.filename,
            )

    def _zstandard(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        """Python's own reader knows method 93 from 3.14 on, and inflates without a bound."""
        checksum, inflater = 0, ZstdDecompressor()
        for packed in self._packed(member):
            feed = packed
            while not inflater.eof and (feed or not inflater.needs_input):
                piece = inflater.decompress(feed, PIECE)
                feed = b""
                checksum = zlib.crc32(piece, checksum)
                yield piece
        if not inflater.eof or checksum != member.CRC:
            raise EOFError

    def _packed(self, member: zipfile.ZipInfo) -> Iterator[bytes]:
        self._file.seek(member.header_offset)
        head = self._file.read(30)
        if head[:4] != MAGIC[0]:
            raise EOFError
        name_length, extra_length = struct.unpack("<HH", head[26:])
        at, left = member.header_offset + 30 + name_length + extra_length, member.compress_size
        while left > 0:
            self._file.seek(at)
            piece = self._file.read(min(PIECE, left))
            if not piece:
                raise EOFError
            at, left = at + len(piece), left - len(piece)
            yield piece

    def close(self) -> None:
        self._zip.close()
        self._file.close()


class _Sparing(io.RawIOBase):
    """A file that limits each read to the size of an honest table of contents."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file

    def read(self, size: int = -1) -> bytes:
        most = MAX_CONTENTS + 1
        piece = self._file.read(min(size, most) if size >= 0 else most)
        if len(piece) == most:
            raise Unsafe(
                message(
                    "must have a table of contents of at most {most} MiB; got more",
                    most=MAX_CONTENTS >> 20,
                )
            )
        return piece

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()

    def seekable(self) -> bool:
        return True

    def readable(self) -> bool:
        return True
