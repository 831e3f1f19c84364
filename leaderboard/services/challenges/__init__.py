"""What organisers configure: challenges, scoring configs, references, registries.

This room also decides which code of plugins a board accepts, and begins a rescore; the work of a
rescore is in `scoring`. `operations`, `imports`, `scoring` and the doors import it.
"""
