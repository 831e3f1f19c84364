"""Requests as they come in: when one is complete, and which are not received at all."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leaderboard.http.incoming_bodies import MOST_BODY, MOST_HEAD, MOST_SMALL, Incoming

HEAD = b"POST /theme/ HTTP/1.1\r\nHost: localhost\r\n"
REQUESTS = {
    "no body": b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "body": HEAD + b"Content-Length: 10\r\n\r\ntheme=dark",
    "empty body": HEAD + b"content-length:0\r\n\r\n",
    "chunks": HEAD + b"Transfer-Encoding: chunked\r\n\r\na\r\ntheme=dark\r\n0\r\n\r\n",
    "trailers": HEAD + b"Transfer-Encoding: chunked\r\n\r\n1;x=y\r\na\r\n0\r\nA: b\r\n\r\n",
}


@given(st.sampled_from(sorted(REQUESTS)), st.data())
def test_a_request_is_complete_with_its_last_byte_however_it_is_cut(
    name: str, data: st.DataObject
) -> None:
    request, incoming, sent = REQUESTS[name], Incoming(), 0
    while sent < len(request):
        assert not incoming.is_complete
        assert incoming.wanted > 0
        step = data.draw(st.integers(1, len(request) - sent))
        incoming.feed(request[sent : sent + step])
        sent += step
    assert incoming.is_complete
    assert incoming.taken() == request
    assert (incoming.method, incoming.path) in (("GET", "/healthz"), ("POST", "/theme/"))


def test_a_large_body_is_in_a_file_and_nothing_behind_it_is_read() -> None:
    length = MOST_SMALL + 5
    incoming = Incoming()
    head = HEAD + b"Authorization: Bearer x\r\nContent-Length: %d\r\n\r\n" % length
    incoming.feed(head + b"y")
    assert (incoming.is_large, incoming.wanted) == (True, length - 1)
    incoming.feed(b"y" * (length - 1))
    assert incoming.is_complete
    assert incoming.file is not None
    assert incoming.file.read() == head + b"y" * length


@pytest.mark.parametrize(
    "sent",
    [
        b"x" * (MOST_HEAD + 1),
        HEAD + b"Content-Length: 70000\r\n\r\n",
        HEAD + b"Cookie: sessionid=x\r\nContent-Length: %d\r\n\r\n" % (MOST_BODY + 1),
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzzz\r\n",
    ],
    ids=["endless head", "large body of a stranger", "too large", "malformed chunk"],
)
def test_what_is_refused_anyway_is_not_received(sent: bytes) -> None:
    incoming = Incoming()
    incoming.feed(sent)
    assert incoming.is_complete


def test_small_forms_have_seconds_and_large_files_minutes() -> None:
    form, file = Incoming(), Incoming()
    form.feed(HEAD + b"Content-Length: 500\r\n\r\n")
    file.feed(HEAD + b"Cookie: a\r\nContent-Length: 60000000\r\n\r\n")
    assert form.patience < 15
    assert 600 < file.patience <= 900
