"""Django's admin for organisers and operators.

It only parses and answers: functions of `leaderboard.services` change challenges and attempts, and
scorers run in the sandbox. The files of `models` register the models.
"""
