"""The OpenAPI schema says what the API does: checked by reading it and by trying it."""

from __future__ import annotations

import re
from io import StringIO
from typing import Any

import pytest
import schemathesis
from django.core.management import call_command
from django.test import Client
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from leaderboard.models import ApiToken, Challenge, Membership, Tenant, User
from leaderboard.services.tokens import create_token
from leaderboard.wsgi import application
from tests.api.conftest import ME, METRICS, Api
