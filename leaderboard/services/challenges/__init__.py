"""What organisers configure: challenges, scoring configs, references, registries.

This package also decides which code of plugins a board accepts, and starts rescores; `scoring` does
the work of a rescore. `operations`, `imports`, `scoring` and the interfaces import it.
"""
