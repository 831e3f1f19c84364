"""English formats of dates and numbers.

The first three formats are ours (`leaderboard.translation.moment_formats`), in the letters of
Django's filter `date`; all others are Django's.
"""

DAY_FORMAT = "j M Y"
MOMENT_FORMAT = "j M Y, H:i"
EXACT_MOMENT_FORMAT = "j F Y, H:i:s"
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
