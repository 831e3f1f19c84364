"""What organisers configure: challenges, scoring configs, references, registries.

Also which code of plugins a board accepts, and beginning a rescore; the work of a rescore is in
`scoring`. Imported by `operations`, `imports`, `scoring` and by the doors.
"""
