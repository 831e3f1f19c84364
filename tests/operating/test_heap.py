"""Garbage collections do not scan what a server has loaded at its start."""

import gc
import sys

from leaderboard.operating.heap import YOUNG, collect_less_often, keep_what_is_loaded


def test_loaded_objects_are_frozen() -> None:
    before = gc.get_freeze_count()
    try:
        keep_what_is_loaded()
        assert gc.get_freeze_count() > before + 10_000
        assert "leaderboard.pages.attempt.page" in sys.modules
        assert "leaderboard.api.views.attempts" in sys.modules
    finally:
        gc.unfreeze()


def test_later_objects_are_collected() -> None:
    try:
        keep_what_is_loaded()
        circle: list[object] = []
        circle.append(circle)
        del circle
        assert gc.collect() >= 1
    finally:
        gc.unfreeze()


def test_a_start_collects_less_often() -> None:
    before = gc.get_threshold()
    try:
        collect_less_often()
        assert gc.get_threshold() == (YOUNG, *before[1:])
    finally:
        gc.set_threshold(*before)
