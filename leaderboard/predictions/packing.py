"""Columns as bytes: an Arrow stream compressed with Zstandard, with some JSON beside it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    import pyarrow as pa

_KEY = b"podium"


class Columns(NamedTuple):
    """Equally long columns by name, and what is known about them, as plain JSON."""

    arrays: dict[str, pa.Array]
    about: Mapping[str, Any]


def pack(arrays: Mapping[str, pa.Array | NDArray[Any]], about: Mapping[str, Any]) -> bytes:
    """Columns of floats, of codes or of texts as bytes. Whole numbers take as few as they need."""
    import pyarrow as pa

    columns = {name: _column(array) for name, array in arrays.items()}
    table = pa.table(columns).replace_schema_metadata({_KEY: json.dumps(about).encode()})
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, table.schema, options=options) as stream:
        stream.write_table(table)
    return bytes(sink.getvalue())


def _column(array: Any) -> Any:
    import pyarrow as pa

    if isinstance(array, np.ndarray) and array.dtype.kind in "iu" and array.size:
        array = array.astype(
            np.promote_types(np.min_scalar_type(array.min()), np.min_scalar_type(array.max()))
        )
    return pa.array(array) if isinstance(array, np.ndarray) else array


def unpack(content: bytes | memoryview) -> Columns:
    """What `pack` made bytes of."""
    import pyarrow as pa

    table = pa.ipc.open_stream(pa.BufferReader(content)).read_all()
    arrays = {name: table.column(name).combine_chunks() for name in table.column_names}
    return Columns(arrays, json.loads(table.schema.metadata[_KEY]))


def to_numpy(array: pa.Array) -> NDArray[Any]:
    """A column of numbers as an array of numpy."""
    return np.asarray(array.to_numpy(zero_copy_only=False))
