"""Texts that come from plugins: cut to a size, without characters that databases and terminals
reject.
"""

MAX_DETAIL_BYTES = 16 * 1024
_KEPT_CONTROLS = "\n\t"
_CONTROLS = {
    code: "\ufffd" for code in (*range(32), *range(127, 160)) if chr(code) not in _KEPT_CONTROLS
}


def clean_output(printed: bytes, limit: int) -> str:
    """The printed output as text of at most `limit` bytes in UTF-8."""
    return clean_text(printed[:limit].decode("utf-8", "replace").replace("\r\n", "\n"), limit)


def clean_text(text: str, limit: int) -> str:
    """A text without controls, of at most `limit` bytes in UTF-8."""
    return cut(text.translate(_CONTROLS), limit)


def cut(text: str, limit: int) -> str:
    """The beginning of a text, at most `limit` bytes in UTF-8."""
    if text.isascii() and len(text) <= limit:
        return text
    return text.encode("utf-8", "replace")[:limit].decode("utf-8", "ignore")


def spoken(kind: str) -> str:
    """A kind of plugin in a sentence."""
    return kind.replace("_", " ")


def class_name(error: BaseException) -> str:
    """The name of an exception's class: an identifier of moderate length."""
    name = type(error).__name__
    return name[:80] if name.isidentifier() else "an exception"
