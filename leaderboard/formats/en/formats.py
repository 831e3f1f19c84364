"""English formats of dates and numbers.

The first three formats are ours, see `leaderboard.languages.translation.moment_formats`; they are
in the letters of Django's filter `date`, as are those with `#`, which stands for a number. The
admin shows moments by the formats of Django's names.
"""

DAY_FORMAT = "j M Y"
MOMENT_FORMAT = "j M Y, H:i"
EXACT_MOMENT_FORMAT = "j F Y, H:i:s"
DATE_FORMAT = DAY_FORMAT
DATETIME_FORMAT = MOMENT_FORMAT
TIME_FORMAT = "H:i"
DECIMAL_SEPARATOR = "."
THOUSAND_SEPARATOR = ","
PERCENT_FORMAT = "#%"
DOLLAR_FORMAT = "$#"
