from leaderboard.columns.column import Column

COLUMN = Column(
    key="tokens_total",
    label="Tokens",
    direction="asc",
    decimals=0,
    description="Tokens the attempt used, input and output together",
    level="reported",
    place=2,
)
