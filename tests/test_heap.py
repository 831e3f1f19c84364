"""What a server has loaded is not looked at again by garbage collections."""

import gc
import sys

from leaderboard.heap import keep_what_is_loaded


def test_what_is_loaded_is_left_alone() -> None:
    before = gc.get_freeze_count()
    try:
        keep_what_is_loaded()
        assert gc.get_freeze_count() > before + 10_000
        assert "leaderboard.pages.attempt" in sys.modules
        assert "leaderboard.api.views.attempts" in sys.modules
    finally:
        gc.unfreeze()


def test_what_comes_later_is_collected() -> None:
    try:
        keep_what_is_loaded()
        circle: list[object] = []
        circle.append(circle)
        del circle
        assert gc.collect() >= 1
    finally:
        gc.unfreeze()
