"""Scorers that use their metrics as any dict may be used."""

import pickle
from typing import Any

Json = dict[str, Any]


class Same:
    """Writes into the metrics, and returns them as the result and as the details."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        details = metrics.copy()
        metrics["score"] = details["score"] = metrics["rating"]
        metrics["details"] = details
        return metrics


class Pickled:
    """Pickles and unpickles the metrics, as a pool of processes does."""

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": pickle.loads(pickle.dumps(metrics))["rating"]}
