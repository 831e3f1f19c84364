"""The header of a metric script."""

from __future__ import annotations

import sys

import pytest

from leaderboard.services.scripts.headers import HeaderError, read_header
from tests.metric_scripts import COUNT, header


def test_a_header_is_read() -> None:
    python = f">={sys.version_info[0]}.{sys.version_info[1]}"
    text = header(
        f'requires-python = "{python}"',
        "dependencies = [",
        '  "numpy==2.3.4",',
        "  \"rich[jupyter]>13,<14; python_version > '3.8'\",",
        "]",
        "[tool.black]",
        "line-length = 100",
    )
    assert read_header(text).dependencies == (
        "numpy==2.3.4",
        'rich[jupyter]<14,>13; python_version > "3.8"',
    )
    assert read_header("print()").dependencies == ()


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (["[tool.uv]", 'index-url = "https://evil.invalid"'], "[tool.uv]"),
        (["[tool.uv.sources]"], "[tool.uv]"),
        (['tool = "uv"'], "[tool.uv]"),
        (['dependencies = ["evil @ https://evil.invalid/evil.whl"]'], "names a place"),
        (['dependencies = ["evil @ git+https://evil.invalid/evil"]'], "names a place"),
        (['dependencies = ["evil @ file:///tmp/evil"]'], "names a place"),
        (['dependencies = ["./evil"]'], "must be a package by name; got"),
        (['dependencies = ["/tmp/evil.whl"]'], "must be a package by name; got"),
        (['dependencies = ["https://evil.invalid/evil.whl"]'], "must be a package by name; got"),
        (['dependencies = ["git+https://evil.invalid/evil"]'], "must be a package by name; got"),
        (['dependencies = ["--index-url=https://evil.invalid"]'], "must be a package by name; got"),
        (['dependencies = ["-e ."]'], "must be a package by name; got"),
        (['dependencies = ["a\\nb"]'], "must be a package by name; got"),
        (['dependencies = "numpy"'], "must be a list"),
        (["dependencies = [1]"], "must be a list"),
        ([f"dependencies = {['a'] * 101}"], "at most 100"),
        (["dependencies = ["], "must be TOML; got a syntax error: "),
        (["name = 'x'"], 'got "name"'),
        (["requires-python = 'soon'"], "must be a version specifier; got"),
        (["requires-python = 3"], "must be a version specifier; got"),
    ],
)
def test_the_error_for_a_refused_header_gives_the_reason(lines: list[str], said: str) -> None:
    with pytest.raises(HeaderError) as caught:
        read_header(header(*lines) + COUNT)
    assert said in str(caught.value)


def test_a_missing_python_version_is_refused() -> None:
    with pytest.raises(
        HeaderError, match=r'must allow .*, the Python of this server; got ">=3\.99"'
    ) as caught:
        read_header(header('requires-python = ">=3.99"') + COUNT)
    assert caught.value.code == "not_installed"


def test_two_headers_are_refused() -> None:
    empty = header("dependencies = []")
    with pytest.raises(HeaderError, match="at most one header; got 2"):
        read_header(f"{empty}\n{empty}{COUNT}")


def test_a_header_without_an_end_is_refused() -> None:
    with pytest.raises(HeaderError, match="end with '# ///'; got no end"):
        read_header("# /// script\n# dependencies = []\n" + COUNT)
