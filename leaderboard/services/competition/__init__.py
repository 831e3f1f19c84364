"""The rules of a competition: who may submit when, and how often.

Each rule is enforced here and nowhere else. `admission` is what every door to a challenge passes:
attempts that come alone, in bulk, by a form or in a file. `clock` tells the time at which a
request began. The rooms above (`attempts`, `challenges`, `imports`, `scoring`) and the doors import
this room; it imports `board` and the rooms below.
"""
