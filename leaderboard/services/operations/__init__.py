"""Running an installation: health, status, alive workers, counters, disk, backup and restore.

Imported by `scoring`, whose workers report themselves here, and by the doors and commands.
"""
