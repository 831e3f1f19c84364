"""German formats of dates and numbers; `leaderboard/formats/en/formats.py` says which are ours."""

DAY_FORMAT = "j. M Y"
MOMENT_FORMAT = "j. M Y, H:i"
EXACT_MOMENT_FORMAT = "j. F Y, H:i:s"
DATE_FORMAT = DAY_FORMAT
DATETIME_FORMAT = MOMENT_FORMAT
TIME_FORMAT = "H:i"
DECIMAL_SEPARATOR = ","
THOUSAND_SEPARATOR = "."
PERCENT_FORMAT = "#\N{NO-BREAK SPACE}%"
DOLLAR_FORMAT = "#\N{NO-BREAK SPACE}$"
