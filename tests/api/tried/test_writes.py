"""All other changes are answered as the schema says."""

import pytest

from tests.api.tried.process import try_part


@pytest.mark.once
@pytest.mark.slow
def test_the_api_does_what_its_schema_says() -> None:
    try_part("writes")
