"""The setting OPENID_CONNECT: a list of providers, here or in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from leaderboard.schemas.openid_providers import parse_providers

UNI = {
    "id": "uni",
    "name": "University",
    "server_url": "https://login.example.org/realms/uni",
    "client_id": "podium",
    "client_secret": "hunter2",
}


def written(**changes: Any) -> str:
    return json.dumps([{**UNI, **changes}])


def test_a_list_of_providers_is_read() -> None:
    (provider,) = parse_providers(written())
    assert {name: getattr(provider, name) for name in UNI} == UNI
    assert "hunter2" not in repr(provider)
    assert parse_providers("") == parse_providers("[]") == ()


def test_a_file_with_a_list_is_read(tmp_path: Path) -> None:
    file = tmp_path / "providers.json"
    file.write_text(written())
    assert parse_providers(str(file)) == parse_providers(written())
    with pytest.raises(ValueError, match="absolute path"):
        parse_providers(str(tmp_path / "missing.json"))
    file.write_bytes(b"\xff")
    with pytest.raises(ValueError, match="UTF-8"):
        parse_providers(str(file))


def test_anything_else_is_refused() -> None:
    for text in (
        "providers.json",
        "{}",
        "[1]",
        "[",
        json.dumps([UNI, UNI]),
        json.dumps([{name: UNI[name] for name in UNI if name != "name"}]),
        written(more="x"),
        written(id="Uni"),
        written(id="a/b"),
        written(id="-a"),
        written(name=""),
        written(name=1),
        written(name="two\nlines"),
        written(name="x" * 41),
        written(id="a" * 41),
        written(id="uni\n"),
        json.dumps([UNI])[:-2] + ', "id": "other"}]',
        written(server_url="http://login.example.org"),
        written(server_url="https://"),
        written(server_url="https://login.example.org/?a=1"),
        written(server_url="ftp://127.0.0.1"),
    ):
        with pytest.raises(ValueError) as refused:  # noqa: PT011 - of the reader or of the model
            parse_providers(text)
        assert "hunter2" not in str(refused.value), text


def test_a_provider_on_this_machine_needs_no_certificate() -> None:
    for host in ("127.0.0.1:8080", "localhost", "[::1]:8080"):
        (provider,) = parse_providers(written(server_url=f"http://{host}/realm"))
        assert host in provider.server_url, host
