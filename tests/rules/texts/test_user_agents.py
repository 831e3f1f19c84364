"""Browsers as their users know them."""

from __future__ import annotations

from leaderboard.rules.texts.user_agents import browser_and_system

LIKE = "AppleWebKit/537.36 (KHTML, like Gecko)"


def test_a_browser_and_its_system_are_recognised() -> None:
    cases: list[tuple[str, str]] = [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox Linux"),
        (f"Mozilla/5.0 (X11; Linux x86_64) {LIKE} Chrome/140.0.0.0 Safari/537.36", "Chrome Linux"),
        (
            f"Mozilla/5.0 (Windows NT 10.0; Win64; x64) {LIKE} Chrome/140.0.0.0 Safari/537.36"
            " Edg/140.0.0.0",
            "Edge Windows",
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15"
            " (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1",
            "Safari iPhone",
        ),
        (
            f"Mozilla/5.0 (Linux; Android 15; K) {LIKE} Chrome/140.0.0.0 Mobile Safari/537.36",
            "Chrome Android",
        ),
        (
            "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15"
            " (KHTML, like Gecko) Version/18.0 Safari/605.1.15",
            "Safari macOS",
        ),
        ("curl/8.5.0", " "),
        ("", " "),
    ]
    for user_agent, expected in cases:
        assert " ".join(browser_and_system(user_agent)) == expected, user_agent
