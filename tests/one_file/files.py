"""One new file of each kind, as a contributor would write it."""

STRATEGY = """
from leaderboard.rules.texts.messages import message
from leaderboard.rules.ranking.places import RankKey
from leaderboard.strategies import Strategy

STRATEGY = Strategy(
    key="cheapest",
    label=message("Cheapest"),
    summary=message("the success that cost least wins"),
    keys=(RankKey("cost_usd", "asc"), RankKey("elapsed_ms", "asc")),
    sentence=message("The successful attempt that cost least wins."),
    only_succeeded=True,
)
"""

CONDITION = """
from typing import Annotated, Literal

from pydantic import Field

from leaderboard.conditions.condition import Condition
from leaderboard.rules.texts.messages import message


class FewFailures(Condition):
    key = "few_failures"
    label = message("Few failures")

    rule: Literal["few_failures"]
    most: Annotated[int, Field(ge=0)]

    def judge(self, attempt):
        if sum(sample.rewards is None for sample in attempt.samples) > self.most:
            yield from self.against(message("too many samples failed"))

    def sentence(self):
        return message("At most {most} samples fail.", most=self.most)


CONDITION = FewFailures
"""

FACT = """
from leaderboard.facts import Fact
from leaderboard.rules.texts.messages import message

FACT = Fact(
    key="energy_wh",
    label=message("Energy"),
    kind="number",
    description=message("Energy the attempt used, in watt hours"),
    hint=message("In watt hours, at the socket."),
    most=5000,
    unit="Wh",
    decimals=1,
    direction="asc",
    of_samples=True,
    example=7.5,
)
"""

SCORER = """
class Thrift:
    \"\"\"A hundred points without energy, and one less for each watt hour.\"\"\"

    def score(self, metrics, config, ctx):
        return {"score": 100 - metrics["energy_wh"], "details": dict(metrics)}
"""

METRIC = """
class Worst:
    \"\"\"The lowest reward of all.\"\"\"

    name = "worst"

    def compute(self, task_rewards):
        return min((each for rewards in task_rewards for each in rewards), default=None)
"""

TEXT_METRIC = """
class Loudness:
    \"\"\"The share of outputs in capital letters.\"\"\"

    id = "LOUDNESS"
    averaged = True
    supervised = False

    def evaluate(self, instances, parameters):
        results = [float(each.output.isupper()) for each in instances]
        return {"score": {"loudness": sum(results) / len(results)}, "results": results}
"""

PREDICTION_METRIC = """
class Distance:
    \"\"\"How far predictions are from the truth.\"\"\"

    id = "distance"
    direction = "asc"

    def evaluate(self, truth, predictions, parameters):
        return abs(predictions - truth.values).mean()
"""

IMPORTER = """
from leaderboard.importers import Import, ImportedAttempt, Importer
from leaderboard.rules.texts.messages import message


def recognises(source):
    return source.single and source.read(source.names[0])[:3] == b"HEY"


def reads(source, whose):
    said = source.read(source.names[0]).decode()
    attempt = ImportedAttempt(whose or "caller", said, values={"penalty": float(len(said))})
    return Import("shouted", [attempt])


IMPORTER = Importer(
    "shouted", message("Shouted"), message("a file that begins with HEY"), recognises, reads
)
"""

COLUMN = """
from leaderboard.columns import Column
from leaderboard.rules.texts.messages import message

COLUMN = Column(
    key="penalty", label=message("Minutes lost"), direction="asc", unit="min", decimals=0
)
"""

STORED_VALUE = """
    took_ms = stored(
        models.FloatField(null=True, editable=False),
        lambda draft: draft.values.get("elapsed_ms"),
    )
"""

FILES = {
    "leaderboard/columns/penalty.py": COLUMN,
    "leaderboard/conditions/few_failures.py": CONDITION,
    "leaderboard/facts/energy_wh.py": FACT,
    "leaderboard/importers/formats/shouted.py": IMPORTER,
    "leaderboard/strategies/cheapest.py": STRATEGY,
    "scorers/metrics/worst.py": METRIC,
    "scorers/predictions/values/distance.py": PREDICTION_METRIC,
    "scorers/text/loudness.py": TEXT_METRIC,
    "scorers/thrift.py": SCORER,
}
"""The files, by their path in the project."""

CHALLENGE_FIELD = """
    season: Annotated[int | None, Field(ge=1, le=99), In("challenge")] = Field(
        default=None, title=message("Season"), description=message("The season it belongs to.")
    )
"""

SCORING_FIELD = """
    grace_ms: Annotated[int, Field(ge=0, le=5000), In("scoring")] = Field(
        default=250, title=message("Grace"), description=message("Milliseconds that are forgiven.")
    )
"""

PHASE_FIELD = """
    laps: Annotated[Annotated[int, Field(ge=1, le=50)] | None, In("limits")] = Field(
        default=None, title=message("Laps"), description=message("How many laps it has.")
    )
"""

LINES = {
    "leaderboard/schemas/challenges.py": ("    is_active: ", CHALLENGE_FIELD),
    "leaderboard/schemas/scoring.py": ("    only_succeeded: ", SCORING_FIELD),
    "leaderboard/schemas/phase_fields.py": ("    per_day: ", PHASE_FIELD),
    "leaderboard/models/standing.py": ("\n    objects = ", STORED_VALUE),
}
"""Lines of files that are there, by the path: what they stand before, and the lines."""
