"""Running an installation: health, status, alive workers, counters, disk, backup and restore.

The interfaces import this package, and so does `scoring`, because its workers report here that they
are alive.
"""
