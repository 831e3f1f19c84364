"""Taking attempts in, reading them, and what may be done with them afterwards.

Submit (one attempt or a bulk), participants who are made on first use, the evidence that is
checked and saved beside an attempt, places in the queue, withdrawing, retrying and reading.
Imported by the rooms above (`challenges`, `operations`, `imports`, `scoring`) and by the doors.
"""
