from __future__ import annotations

from rest_framework.request import Request
from rest_framework.response import Response

from leaderboard.api.operations import operation
from leaderboard.api.permissions import reader_of
from leaderboard.api.serializers.errors import refusals
from leaderboard.api.serializers.plugin import PluginsSerializer
from leaderboard.api.views.base import ApiView
from leaderboard.importers import known_importers
from leaderboard.services.plugins.catalogue import known_plugins
from leaderboard.services.plugins.tenants import visible_plugins


class PluginsView(ApiView):
    @operation(
        operation_id="plugins_list",
        summary="List the plugins that may be named on this server, and the formats it imports",
        responses={200: PluginsSerializer, **refusals()},
    )
    def get(self, request: Request) -> Response:
        """A broken plugin is listed with its error and does not affect the others.

        Plugins that belong to tenants are listed for members of these tenants only.
        """
        user = reader_of(request)
        plugins = known_plugins()
        lists = {
            "scorers": visible_plugins(user, plugins.scorers),
            "metrics": visible_plugins(user, plugins.metrics),
            "text_metrics": visible_plugins(user, plugins.text_metrics),
            "prediction_metrics": visible_plugins(user, plugins.prediction_metrics),
            "importers": known_importers().values(),
        }
        return Response(PluginsSerializer(lists).data)
