"""Texts that come from plugins: cut to a size, free of what databases and terminals choke on."""

import traceback
from types import TracebackType

MAX_DETAIL_BYTES = 16 * 1024
_KEPT_CONTROLS = "\n\t"
_CONTROLS = {code: "\ufffd" for code in range(32) if chr(code) not in _KEPT_CONTROLS} | {
    127: "\ufffd"
}


def clean_output(printed: bytes, limit: int) -> str:
    """What was printed, as text of at most `limit` bytes in UTF-8."""
    text = printed[:limit].decode("utf-8", "replace").replace("\r\n", "\n").translate(_CONTROLS)
    return cut(text, limit)


def cut(text: str, limit: int) -> str:
    """The beginning of a text, at most `limit` bytes in UTF-8."""
    encoded = text.encode("utf-8", "replace")
    return text if len(encoded) == len(text) <= limit else encoded[:limit].decode("utf-8", "ignore")


def describe_exception(error: BaseException, own_frames: int = 1) -> str:
    """The traceback without its first frames, which are ours; its end is what is kept.

    A plugin's exception may do anything while it is turned into text, so this never raises.
    """
    trace: TracebackType | None = error.__traceback__
    for _ in range(own_frames):
        trace = trace.tb_next if trace is not None else None
    try:
        text = "".join(traceback.format_exception(type(error), error, trace))
    except BaseException:
        text = class_name(error)
    printed = text.encode("utf-8", "replace")
    return clean_output(printed[-MAX_DETAIL_BYTES:], MAX_DETAIL_BYTES)


def class_name(error: BaseException) -> str:
    """The name of an exception's class: an identifier of moderate length."""
    name = type(error).__name__
    return name[:80] if name.isidentifier() else "an exception"
