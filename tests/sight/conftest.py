"""The world of a module, which is made once, and given to each test as it was."""

from __future__ import annotations

import pytest

from tests.sight.world import World


@pytest.fixture(scope="module")
def first_world(module_rows: None) -> World:
    """The rows of a module. It takes half a second to make them; no test changes this object."""
    return World()


@pytest.fixture
def world(db: None, first_world: World) -> World:
    return first_world.copied()
