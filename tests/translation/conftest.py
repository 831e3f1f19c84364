from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.utils import translation

from tests.translation import pseudo


@pytest.fixture(scope="session")
def pseudo_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the pseudo-language into a folder for LOCALE_PATHS."""
    return pseudo.write(tmp_path_factory.mktemp("locale"))


@pytest.fixture
def pseudo_offered(settings: Any, pseudo_folder: Path) -> Any:
    """Let readers choose the pseudo-language."""
    settings.LANGUAGES = [*settings.LANGUAGES, (pseudo.LANGUAGE, "Pseudo")]
    settings.LOCALE_PATHS = [*settings.LOCALE_PATHS, pseudo_folder]
    yield
    translation.activate("en")
