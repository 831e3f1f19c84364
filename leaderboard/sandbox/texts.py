"""Texts that come from plugins: cut to a size, free of what databases and terminals choke on."""

import importlib
import os
import traceback

MAX_DETAIL_BYTES = 16 * 1024
MAX_MESSAGE_BYTES = 500
_OURS = os.path.dirname(__file__)
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


def describe_exception(error: BaseException) -> str:
    """The traceback from the plugin's first frame on; its end is what is kept of a long one.

    A plugin's exception may do anything while it is turned into text, so this never raises.
    """
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    try:
        text = "".join(traceback.format_exception(type(error), error, trace))
    except BaseException:
        text = class_name(error)
    printed = text.encode("utf-8", "replace")
    return clean_output(printed[-MAX_DETAIL_BYTES:], MAX_DETAIL_BYTES)


def public_message(error: BaseException) -> str:
    """The message of an exception that says it is for everybody, in one line; "" of any other."""
    try:
        if getattr(error, "is_public", False) is not True:
            return ""
        printed = " ".join(str(error).split()).encode("utf-8", "replace")
    except BaseException:
        return ""
    return clean_output(printed, MAX_MESSAGE_BYTES)


def _is_ours(file: str) -> bool:
    return file.startswith((_OURS, "<frozen importlib", importlib.__file__))


def spoken(kind: str) -> str:
    """A kind of plugin in a sentence."""
    return kind.replace("_", " ")


def class_name(error: BaseException) -> str:
    """The name of an exception's class: an identifier of moderate length."""
    name = type(error).__name__
    return name[:80] if name.isidentifier() else "an exception"
