"""Accepting attempts, reading them, and what organisers may do with them afterwards.

Submit (one attempt or a bulk), participants who are made on first use, the evidence that is checked
and saved beside an attempt, places in the queue, withdrawing, retrying and reading. The rooms above
(`challenges`, `operations`, `imports`, `scoring`) and the doors import it.
"""
