"""Django's admin for organisers and operators.

Doors only: what changes a challenge or an attempt is a verb of `leaderboard.services`, and what
is asked of a scorer is asked in the sandbox. The rows are registered by the files of `rows`.
"""
