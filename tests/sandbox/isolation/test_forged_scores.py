"""Scores that a scorer writes itself, with the token that it finds in its process."""

import pytest

from leaderboard.sandbox import Request, Sandbox

FORGER = "hostile.vandals:ForgesTexts"
BAD = "a\0b\ud800\x1bc\x9bd"


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize(
    "answer",
    ["5.0 [null, {text}]", '5.0 [null, "", {text}]', '- ["exception", {text}, {text}, {text}]'],
    ids=["note", "output", "failure"],
)
def test_forged_texts_can_be_stored(sandbox: Sandbox, answer: str, fresh: bool) -> None:
    """A database refuses NUL and halves of surrogate pairs; the worker would fail each time."""
    config: dict[str, object] = {"answer": answer, "text": BAD * 3000}
    (outcome,) = sandbox.score(FORGER, config, [Request({}, {})], timeout_ms=60_000, fresh=fresh)
    error = outcome.error or ("", "", "")
    texts = [outcome.details_note, outcome.output, *error]
    assert (outcome.value == 5) == (outcome.error is None)
    assert fresh or any("a\ufffdb" in text for text in texts)
    for text in texts:
        assert len(text.encode()) <= 64 << 10, "neither is it too long"
        assert not {"\0", "\ud800", "\x1b", "\x9b"} & {*text}


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize(
    "details",
    [
        *('{"a": 1e400}', '{"a": [-1e999]}', '{"a": NaN}', '{"a": "\\u0000"}', '{"\\ud800": 1}'),
        *('{"a": 1' + "0" * 309 + "}", '{"a": [-' + "9" * 4000 + "]}"),
    ],
    ids=range(7),
)
def test_forged_details_can_be_stored(sandbox: Sandbox, details: str, fresh: bool) -> None:
    """1e400 is JSON and becomes an infinity, which PostgreSQL refuses, and so do pages."""
    config: dict[str, object] = {"answer": f'5.0 [{details}, ""]', "text": ""}
    (outcome,) = sandbox.score(FORGER, config, [Request({}, {})], timeout_ms=60_000, fresh=fresh)
    assert outcome.details is None
    assert outcome.error or outcome.details_note
