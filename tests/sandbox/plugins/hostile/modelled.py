"""A scorer whose config is a pydantic model; the other modules do not need pydantic."""

from typing import Any

from pydantic import BaseModel, Field

Json = dict[str, Any]


class Modelled:
    class Config(BaseModel):
        weight: float
        bonus: float = Field(default=5.0, ge=0)
        note: str | None = None

    def score(self, metrics: Json, config: Json, ctx: Json) -> Json:
        return {"score": config["weight"] + config["bonus"]}
