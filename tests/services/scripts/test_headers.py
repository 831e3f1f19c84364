"""The header of a metric script."""

from __future__ import annotations

import sys

import pytest

from leaderboard.sandbox.scripts.headers import HeaderError, read_header
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


def test_the_error_for_a_refused_header_gives_the_reason() -> None:
    index = ["[tool.uv]", 'index-url = "https://evil.invalid"']
    cases = [
        *((lines, "[tool.uv]") for lines in (index, ["[tool.uv.sources]"], ['tool = "uv"'])),
        *(
            ([f'dependencies = ["evil @ {place}"]'], "names a place")
            for place in (
                "https://evil.invalid/evil.whl",
                "git+https://evil.invalid/evil",
                "file:///tmp/evil",
            )
        ),
        *(
            ([f'dependencies = ["{requirement}"]'], "a package by name")
            for requirement in (
                "./evil",
                "/tmp/evil.whl",
                "https://evil.invalid/evil.whl",
                "git+https://evil.invalid/evil",
                "--index-url=https://evil.invalid",
                "-e .",
                "a\\nb",
            )
        ),
        (['dependencies = "numpy"'], "a list"),
        (["dependencies = [1]"], "a list"),
        ([f"dependencies = {['a'] * 101}"], "at most 100"),
        (["dependencies = ["], "TOML"),
        (["name = 'x'"], 'got "name"'),
        (["requires-python = 'soon'"], "version specifier"),
        (["requires-python = 3"], "version specifier"),
    ]
    for lines, part in cases:
        assert part in str(refused(header(*lines) + COUNT)), lines


def test_a_missing_python_version_is_refused() -> None:
    error = refused(header('requires-python = ">=3.99"') + COUNT)
    assert error.code == "not_installed"
    assert 'got ">=3.99"' in str(error)


def test_a_script_has_one_whole_header() -> None:
    empty = header("dependencies = []")
    assert "got 2" in str(refused(f"{empty}\n{empty}{COUNT}"))
    assert "got no end" in str(refused("# /// script\n# dependencies = []\n" + COUNT))


def refused(text: str) -> HeaderError:
    with pytest.raises(HeaderError) as caught:
        read_header(text)
    return caught.value
