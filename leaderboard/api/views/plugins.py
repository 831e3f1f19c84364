from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.plugin import PluginsSerializer
from leaderboard.api.views.base import ApiView
from leaderboard.importers import known_importers
from leaderboard.services.plugin_metrics import known_metrics
from leaderboard.services.plugins import known_scorers
from leaderboard.services.text_metrics import known_text_metrics


class PluginsView(ApiView):
    @operation(
        operation_id="plugins_list",
        summary="List the plugins that may be named on this server, and the formats it imports",
        responses={200: PluginsSerializer, **refusals()},
    )
    def get(self, request: Request) -> Response:
        """A broken plugin is listed with its error, and no reason for the others to be away."""
        known = {
            "scorers": known_scorers(),
            "metrics": known_metrics(),
            "text_metrics": known_text_metrics(),
            "importers": known_importers().values(),
        }
        return Response(PluginsSerializer(known).data)
