"""Counters for Prometheus, for whoever knows the token."""

import secrets

from django.conf import settings
from django.http import Http404, HttpRequest, HttpResponse


def metrics(request: HttpRequest) -> HttpResponse:
    """The text of django-prometheus. 404 without `Authorization: Bearer PROMETHEUS_TOKEN`."""
    from django_prometheus.exports import ExportToDjangoView

    expected = f"Bearer {settings.PROMETHEUS_TOKEN}"
    given = request.headers.get("Authorization", "")
    if not secrets.compare_digest(given.encode(), expected.encode()):
        raise Http404
    answer: HttpResponse = ExportToDjangoView(request)
    return answer
