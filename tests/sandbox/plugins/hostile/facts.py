"""Scorers that do to their metrics what one may do to a dict."""

import pickle
from typing import Any

Json = dict[str, Any]


class Same:
    """Writes into the metrics, and gives them back as the result and as the details."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        details = metrics.copy()
        metrics["score"] = details["score"] = metrics["rating"]
        metrics["details"] = details
        return metrics


class Pickled:
    """Sends the metrics through a pickle, as a pool of processes does."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": pickle.loads(pickle.dumps(metrics))["rating"]}
