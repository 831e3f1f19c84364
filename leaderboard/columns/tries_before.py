from leaderboard.columns.column import Column
from leaderboard.rules.texts.messages import message
from leaderboard.rules.texts.value_names import TRIES_BEFORE

COLUMN = Column(
    key=TRIES_BEFORE,
    label=message("Tries before"),
    direction="asc",
    decimals=0,
    description=message(
        "Attempts of the participant in this phase before the one that counts, with withdrawn and "
        "failed ones; 0: a first look"
    ),
    unit_is_fixed=True,
    is_kept=False,
)
